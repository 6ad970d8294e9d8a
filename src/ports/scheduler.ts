// Port for timers. A backtest implements it with simulated time, a live bot with the clock.

export interface Scheduler {
  readonly nowMs: number;
  /** Runs `run` at `timeMs`, after all entries that are due earlier, or that were added earlier for the same time. Returns a handle. */
  at(timeMs: number, run: () => void): number;
  cancel(handle: number): void;
}
