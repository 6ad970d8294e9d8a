// Loads the rows of the next block into the processor cache ahead of the orders that need them, while a run trades often.

import type { FeedRun } from '../feeds/feed.ts';

/** From this number of fills in a block, reading the next block ahead saves time. */
const BUSY_FILLS = 8;
/** Rows in one cache line of times, and of prices, which mostly have four bytes each. */
const TIMES_PER_LINE = 8;
const PRICES_PER_LINE = 16;

/**
 * Orders read times and opens at scattered rows, and each such read waits about 100 ns for memory. Reading one row of each cache line in
 * sequence loads them at memory speed. When trading is rare, reading ahead costs more than it saves.
 */
export class Prefetch {
  /** A sink of the prefetch reads. Hot: docs/performance.md#read-sink and docs/performance.md#double-fields. */
  sum = 0.5;
  /** Number of fills at the start of the previous block. */
  private fillsBefore = 0;

  /** Call before a block is visited. `fills`: number of fills booked until now. */
  beforeBlock(feeds: readonly FeedRun[], fills: number): void {
    const isBusy = fills - this.fillsBefore >= BUSY_FILLS;
    this.fillsBefore = fills;
    if (isBusy) for (const feed of feeds) this.readAhead(feed);
  }

  /** Reads one row of each cache line in the block that the feed has loaded. */
  private readAhead({ bars: { closeMs }, openTicks, cursor: { base }, nextRow, blockEnd, hasGap }: FeedRun): void {
    let sum = 0;
    for (let index = nextRow - base; index < blockEnd - base; index += PRICES_PER_LINE) sum += openTicks[index]!;
    if (hasGap) for (let index = nextRow - base; index < blockEnd - base; index += TIMES_PER_LINE) sum += closeMs[index]!;
    this.sum = sum;
  }
}
