// Keeps the inspector of Node closed: whoever may send a signal to the process could read the keys in its memory through it.

/** From now on SIGUSR1 is ignored. Without a listener Node opens its inspector on a port of this computer. */
export function ignoreInspectorSignal(): void {
  process.on('SIGUSR1', () => {});
}
