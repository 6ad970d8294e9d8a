// The instant that is being processed: set by the loop, read by whoever needs a time.

import type { RowCursor } from '../indicators/series.ts';

/** What the instant follows: a feed in its block. */
interface Followed {
  readonly cursor: RowCursor;
  closeOf(row: number): number;
}

/**
 * Most rows are visited without anybody asking for the time: in a plain run it is looked up at the cursor, and only then. Whoever asks
 * again at the same row gets the same boxed number: a time is no small integer, and a fresh box for each reader costs more than the look.
 */
export class Instant {
  /** Starts as null, so that V8 keeps the box and not a copy of what is in it. */
  #ms: number | null = null;
  #feed: Followed | null = null;
  /** The row of the followed feed at which `#ms` was looked up. */
  #row = -1;

  constructor(ms: number) {
    this.#ms = ms;
  }
  /** ms UTC. */
  get ms(): number {
    const feed = this.#feed;
    if (feed !== null && feed.cursor.row !== this.#row) {
      this.#row = feed.cursor.row;
      this.#ms = feed.closeOf(this.#row);
    }
    return this.#ms!;
  }
  set(ms: number): void {
    this.#ms = ms;
    this.#feed = null;
  }
  /** From now on, to the end of the block, the instant is the close of the row at the feed's cursor. */
  follow(feed: Followed): void {
    this.#feed = feed;
    this.#row = -1;
  }
}
