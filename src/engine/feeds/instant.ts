// The instant that is being processed: the loop sets it, and all code that needs the time reads it.

import type { RowCursor } from '../../indicators/graph/series.ts';

/** The feed whose cursor the instant follows within a block. */
interface FollowedFeed {
  readonly cursor: RowCursor;
  closeOf(row: number): number;
}

/** Most rows are visited without a read of the time. In a run with one feed it is therefore computed from the cursor when it is read. */
export class Instant {
  // hot: docs/performance.md#double-fields
  private fixedMs = 0.5;
  private feed: FollowedFeed | null = null;
  /** 1 while the row after the cursor is matched: the row is not delivered yet, but its close is the time. */
  rowsAhead = 0;
  /** Number of deliveries and rewinds of rows. In a run of one execution feed some are not counted. */
  deliveries = 0;

  constructor(timeMs: number) {
    this.fixedMs = timeMs;
  }
  /** The time of the instant, ms UTC. */
  get ms(): number {
    const feed = this.feed;
    return feed === null ? this.fixedMs : feed.closeOf(feed.cursor.row + this.rowsAhead);
  }
  /** Sets the instant to a fixed time, ms UTC. */
  set(timeMs: number): void {
    this.fixedMs = timeMs;
    this.feed = null;
  }
  /** From now on, until the end of the block, the instant is the close of the row at the feed's cursor. */
  follow(feed: FollowedFeed): void {
    this.feed = feed;
    this.rowsAhead = 0;
  }
}
