// Drops what strategy code prints while a check runs it once more than the user asked for.

/** Runs a function whose output to stdout and stderr of this thread is dropped. */
export async function silently<T>(run: () => Promise<T>): Promise<T> {
  const restore = [process.stdout, process.stderr].map((stream) => {
    const descriptor = Object.getOwnPropertyDescriptor(stream, 'write');
    const dropOutput: typeof stream.write = (_chunk: unknown, ...args: unknown[]): boolean => {
      const done = args.at(-1);
      if (typeof done === 'function') queueMicrotask(() => void Reflect.apply(done, stream, []));
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
    for (const step of restore) step();
  }
}
