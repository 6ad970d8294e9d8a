// Stops long commands cleanly on a signal.

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Returns the exit code that a shell expects for the received signal. */
  code(): number;
  release(): void;
}

/** The first signal stops the work cleanly, the second ends the process. */
export function stopOnSignal(): StopSignal {
  const controller = new AbortController();
  let code = 0;
  const stopOn = (name: 'SIGINT' | 'SIGTERM', exitCode: number) => {
    const act = () => {
      if (controller.signal.aborted) process.exit(exitCode);
      code = exitCode;
      controller.abort();
    };
    process.on(name, act);
    return () => void process.off(name, act);
  };
  const offs = [stopOn('SIGINT', 130), stopOn('SIGTERM', 143)];
  return { signal: controller.signal, code: () => code, release: () => offs.forEach((off) => off()) };
}
