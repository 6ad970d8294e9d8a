// Keeps Node's inspector closed: anyone who may send a signal to the process could read keys from its memory through it.

/** Ignores SIGUSR1 from now on. Without a listener, Node would open its inspector on a port of this computer. */
export function ignoreInspectorSignal(): void {
  process.on('SIGUSR1', () => {});
}
