// The instant that is being processed: set by the loop, read by whoever needs a time.

import type { RowCursor } from '../../indicators/graph/series.ts';

/** What the instant follows: a feed in its block. */
interface Followed {
  readonly cursor: RowCursor;
  closeOf(row: number): number;
}

/** Most rows are visited without anybody asking for the time: in a plain run it is looked up at the cursor, and only then. */
export class Instant {
  /** Starts as a fraction, so that V8 keeps it as a double that is written in place: a time is no small integer, and would be boxed. */
  #ms = 0.5;
  #feed: Followed | null = null;
  /** 1 while the row after the cursor is matched: it is not delivered yet, but its close is the time. */
  rowsAhead = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }
  /** ms UTC. */
  get ms(): number {
    const feed = this.#feed;
    return feed === null ? this.#ms : feed.closeOf(feed.cursor.row + this.rowsAhead);
  }
  set(ms: number): void {
    this.#ms = ms;
    this.#feed = null;
  }
  /** From now on, to the end of the block, the instant is the close of the row at the feed's cursor. */
  follow(feed: Followed): void {
    this.#feed = feed;
    this.rowsAhead = 0;
  }
}
