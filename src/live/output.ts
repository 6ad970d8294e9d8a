// What a bot prints may lose its reader (a log shipper that ends, a terminal that is closed): that is no reason to leave positions alone.

/** `lost` is told once, with the code of the failure; later writes go nowhere. */
export function outliveReaders(streams: readonly NodeJS.WriteStream[], lost: (code: string) => void): void {
  let isTold = false;
  const failed = ({ code, message }: NodeJS.ErrnoException): void => {
    if (isTold) return;
    isTold = true;
    lost(code ?? message);
  };
  for (const stream of streams) stream.on('error', failed);
}
