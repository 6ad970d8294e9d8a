// Stops long commands cleanly on a signal.

/** Exit codes that shells expect of a process that a signal has ended: 128 and the number of the signal. */
const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal of the system as an abort signal. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** Returns the exit code that a shell expects for the received signal. */
  code(): number;
  /** Stops listening for signals. */
  release(): void;
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP, which a closed terminal sends. The first signal aborts `signal`. A later SIGINT or SIGTERM exits the
 * process. A later SIGHUP does not, because a wrapper may forward the one that the process has got already.
 */
export function stopOnSignal(): StopSignal {
  const controller = new AbortController();
  let code = 0;
  const stopOn = (name: keyof typeof SIGNAL_EXIT_CODES) => {
    const exitCode = SIGNAL_EXIT_CODES[name];
    const onSignal = () => {
      if (controller.signal.aborted) {
        if (name !== 'SIGHUP') process.exit(exitCode);
        return;
      }
      code = exitCode;
      controller.abort();
    };
    process.on(name, onSignal);
    return () => void process.off(name, onSignal);
  };
  const removeListeners = [stopOn('SIGHUP'), stopOn('SIGINT'), stopOn('SIGTERM')];
  return { signal: controller.signal, code: () => code, release: () => removeListeners.forEach((remove) => remove()) };
}
