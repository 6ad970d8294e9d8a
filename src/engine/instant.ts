// The instant that is being processed: set by the loop, read by whoever needs a time.

import type { RowCursor } from '../indicators/series.ts';

/** Most rows are visited without anybody asking for the time: in a plain run it is looked up at the cursor, and only then. */
export class Instant {
  /** Starts as a fraction, to be a field of doubles from the start. */
  #ms = 0.5;
  #times: Float64Array | null = null;
  #cursor: RowCursor | null = null;

  constructor(ms: number) {
    this.#ms = ms;
  }
  /** ms UTC. */
  get ms(): number {
    return this.#times === null ? this.#ms : this.#times[this.#cursor!.row]!;
  }
  set(ms: number): void {
    this.#ms = ms;
    this.#times = null;
  }
  /** From now on the instant is the close of the cursor's row. */
  follow(closeMs: Float64Array, cursor: RowCursor): void {
    this.#times = closeMs;
    this.#cursor = cursor;
  }
}
