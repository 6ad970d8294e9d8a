// The exit code that a bot reports to the command that started it, before its process ends.

/** Sends the exit code to the process that started this one, if it listens and still lives. */
export function reportExit(exitCode: number): void {
  if (process.connected) process.send?.({ exitCode }, () => {});
}

/** Returns the exit code in a message from a bot; null for a message without one. */
export function reportedExitCode(message: unknown): number | null {
  if (typeof message !== 'object' || message === null || !('exitCode' in message)) return null;
  return typeof message.exitCode === 'number' ? message.exitCode : null;
}
