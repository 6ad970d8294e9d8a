// Port for timers: simulated time in a backtest, the clock in live.

export interface Scheduler {
  readonly nowMs: number;
  /** Runs `run` when `timeMs` is due, after everything due earlier or added earlier for the same time. Returns a handle. */
  at(timeMs: number, run: () => void): number;
  cancel(handle: number): void;
}
