// The instant that is being processed: set by the loop, read by whoever needs a time.

import type { RowCursor } from '../indicators/series.ts';

/** What the instant follows: a feed in its block. */
interface Followed {
  readonly cursor: RowCursor;
  closeOf(row: number): number;
}

/** Most rows are visited without anybody asking for the time: in a plain run it is looked up at the cursor, and only then. */
export class Instant {
  /** Starts as a fraction, to be a field of doubles from the start. */
  #ms = 0.5;
  #feed: Followed | null = null;

  constructor(ms: number) {
    this.#ms = ms;
  }
  /** ms UTC. */
  get ms(): number {
    return this.#feed === null ? this.#ms : this.#feed.closeOf(this.#feed.cursor.row);
  }
  set(ms: number): void {
    this.#ms = ms;
    this.#feed = null;
  }
  /** From now on, to the end of the block, the instant is the close of the row at the feed's cursor. */
  follow(feed: Followed): void {
    this.#feed = feed;
  }
}
