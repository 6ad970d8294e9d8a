// How commands that take long are stopped: by a signal, in order.

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Exit code that a shell expects of the signal that came. */
  code(): number;
  release(): void;
}

/** The first signal ends the work in order, a second one the process. */
export function stopOnSignal(): StopSignal {
  const controller = new AbortController();
  let code = 0;
  const on = (name: 'SIGINT' | 'SIGTERM', exitCode: number) => {
    const act = () => {
      if (controller.signal.aborted) process.exit(exitCode);
      code = exitCode;
      controller.abort();
    };
    process.on(name, act);
    return () => void process.off(name, act);
  };
  const offs = [on('SIGINT', 130), on('SIGTERM', 143)];
  return { signal: controller.signal, code: () => code, release: () => offs.forEach((off) => off()) };
}
