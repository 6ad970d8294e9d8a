// Reads the rows that orders will need in the next block ahead into the processor cache, while a run trades often.

import type { FeedRun } from '../feeds/feed.ts';

/** Fills in a block from which on reading the next block ahead pays off. */
const BUSY_FILLS = 8;
/** Rows in a cache line of times, and of prices, which mostly have four bytes each. */
const TIMES = 8;
const PRICES = 16;

/**
 * Orders read times and opens at scattered rows, and each such read waits about 100 ns for memory. Read in sequence, once a cache line,
 * they arrive at memory speed. When trading is rare, reading ahead costs more than it saves.
 */
export class Prefetch {
  /** A sink of the prefetch reads. Hot: docs/performance.md#read-sink and docs/performance.md#double-fields. */
  sum = 0.5;
  private fillsBefore = 0;

  /** Call before a block is visited. `fills`: number of fills booked until now. */
  beforeBlock(feeds: readonly FeedRun[], fills: number): void {
    const isBusy = fills - this.fillsBefore >= BUSY_FILLS;
    this.fillsBefore = fills;
    if (isBusy) for (const feed of feeds) this.touch(feed);
  }

  private touch({ bars: { closeMs }, openTicks, cur, to, hasGap }: FeedRun): void {
    let sum = 0;
    for (let row = cur; row < to; row += PRICES) sum += openTicks[row]!;
    if (hasGap) for (let row = cur; row < to; row += TIMES) sum += closeMs[row]!;
    this.sum = sum;
  }
}
