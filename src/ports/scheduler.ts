// Port for timers. A backtest implements it with simulated time, a live bot with the clock.

/** Runs functions at given times of its clock, one after the other. */
export interface Scheduler {
  /** The current time, ms UTC. */
  readonly nowMs: number;
  /** Runs `run` at `timeMs`, after all functions that are due earlier, or that were added earlier for the same time. Returns a handle. */
  at(timeMs: number, run: () => void): number;
  /** Removes the function with this handle. Does nothing if it has run already. */
  cancel(handle: number): void;
}
