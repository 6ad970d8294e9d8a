// The average range of the bars that a strategy sees. A risk rule measures the distance to liquidation in this unit.

import { pow10 } from '../../base/number/exact.ts';
import { isFiner, type FeedRun } from './feed.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Number of bars over which the true range is averaged. */
export const RANGE_BARS = 14;

/**
 * Returns the mean true range, in ticks, of an instrument's newest bars, on the finest feed that strategies see. NaN until there are enough
 * bars.
 */
export function rangeTicks(feeds: readonly FeedRun[], execution: FeedRun): number {
  const visible = execution.isExecutionOnly ? finestVisible(feeds, execution.instrumentIndex) : execution;
  if (visible === null || visible.cursor.row < RANGE_BARS) return NAN;
  const { high, low, close, instrument } = visible.bars;
  const newest = visible.cursor.row - visible.cursor.base;
  let sum = 0;
  for (let row = newest - RANGE_BARS + 1; row <= newest; row++) {
    const previousClose = close[row - 1]!;
    sum += Math.max(high[row]!, previousClose) - Math.min(low[row]!, previousClose);
  }
  return (sum / RANGE_BARS) * pow10(instrument.priceDigits);
}

/** Returns the finest feed of an instrument that strategies see. Null without one. The feeds come in the order of the definition. */
function finestVisible(feeds: readonly FeedRun[], instrumentIndex: number): FeedRun | null {
  let finest: FeedRun | null = null;
  for (const feed of feeds) {
    if (feed.isExecutionOnly || feed.instrumentIndex !== instrumentIndex) continue;
    if (finest === null || isFiner(feed, finest)) finest = feed;
  }
  return finest;
}
