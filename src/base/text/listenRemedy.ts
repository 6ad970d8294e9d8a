// What to do when a server cannot listen.

/** Returns the remedy for an error code of `listen`: another port, or another address where the address is the fault. */
export function listenRemedy(code: string | undefined): string {
  const isAddressFault = code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL' || code === 'EAI_AGAIN';
  return isAddressFault ? 'choose an address of this computer, such as 127.0.0.1' : 'choose another port, or 0 for a free one';
}
