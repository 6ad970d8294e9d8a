// Shows on a terminal what the command is waiting for, once that takes longer than a second.

import { monotonicMs, repeatEvery } from '../../adapters/clock/wallClock.ts';

/** A line of a terminal that shows what the command waits for. */
export interface WaitingLine {
  /** Starts waiting for `task`. */
  begin(task: string): void;
  /** Removes the line until the next `begin`. */
  clear(): void;
  /** Removes the line and stops the timer. */
  end(): void;
}

/** Time for which the line stays invisible. */
const QUIET_MS = 1000;

/** Returns a line that stays invisible if stderr is not a terminal. */
export function waitingLine(): WaitingLine {
  let task: string | null = null;
  let beganMs = 0;
  let isShown = false;
  const show = (): void => {
    const waitedMs = monotonicMs() - beganMs;
    if (task === null || waitedMs < QUIET_MS) return;
    process.stderr.write(`\r\u001b[K${task}  ${Math.floor(waitedMs / 1000)} s`);
    isShown = true;
  };
  const stop = process.stderr.isTTY ? repeatEvery(QUIET_MS / 2, show) : () => {};
  const clear = (): void => {
    task = null;
    if (isShown) process.stderr.write('\r\u001b[K');
    isShown = false;
  };
  return {
    begin(next) {
      task = next;
      beganMs = monotonicMs();
    },
    clear,
    end() {
      stop();
      clear();
    },
  };
}
