// Drops what strategy code prints while the sample of a backtest repeats it. The user has already seen that output once.

/** Runs a function whose output to stdout and stderr of this thread is dropped. */
export async function silently<T>(run: () => Promise<T>): Promise<T> {
  const restorers = [process.stdout, process.stderr].map((stream) => {
    const descriptor = Object.getOwnPropertyDescriptor(stream, 'write');
    const dropOutput: typeof stream.write = (_chunk: unknown, ...args: unknown[]): boolean => {
      const callback = args.at(-1);
      if (typeof callback === 'function') queueMicrotask(() => void Reflect.apply(callback, stream, []));
      return true;
    };
    stream.write = dropOutput;
    return () => {
      if (descriptor === undefined) Reflect.deleteProperty(stream, 'write');
      else Object.defineProperty(stream, 'write', descriptor);
    };
  });
  try {
    return await run();
  } finally {
    for (const restore of restorers) restore();
  }
}
