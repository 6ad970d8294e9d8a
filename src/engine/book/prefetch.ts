// Brings what orders will read of the next block into the cache, while a run trades often.

import type { FeedRun } from '../feeds/feed.ts';

/** So many fills in a block make it worth while to read the next one ahead. */
const BUSY_FILLS = 8;
/** Rows in a cache line of times, and of prices: four bytes each mostly. */
const TIMES = 8;
const PRICES = 16;

/**
 * Orders read times and opens here and there, and each such read waits for memory some 100 ns. Read in a row, once a cache line, they come
 * as fast as memory delivers. Where little is traded it would cost more than it saves.
 */
export class Prefetch {
  /** Of no meaning: what was read is added up here, or else V8 would leave the reads out. Starts as a fraction to stay a double. */
  sum = 0.5;
  #fillsBefore = 0;

  /** A block is about to be visited; `fills`: those booked so far. */
  beforeBlock(feeds: readonly FeedRun[], fills: number): void {
    const isBusy = fills - this.#fillsBefore >= BUSY_FILLS;
    this.#fillsBefore = fills;
    if (isBusy) for (const feed of feeds) this.#touch(feed);
  }

  #touch({ bars: { closeMs }, openTicks, cur, to, hasGap }: FeedRun): void {
    let sum = 0;
    for (let row = cur; row < to; row += PRICES) sum += openTicks[row]!;
    if (hasGap) for (let row = cur; row < to; row += TIMES) sum += closeMs[row]!;
    this.sum = sum;
  }
}
