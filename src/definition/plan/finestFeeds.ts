// Finds the execution feed of each instrument: the one in whose rows its orders match.

import type { InstrumentId } from '../../model/instrument.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import type { FeedPlan } from './plan.ts';

/** Returns the finest feed of each instrument, in the order of the feeds. */
export function finestFeeds(feeds: readonly FeedPlan[]): readonly FeedPlan[] {
  const finest = new Map<InstrumentId, FeedPlan>();
  for (const feed of feeds) {
    const { id } = feed.bars.instrument;
    const held = finest.get(id);
    if (held === undefined || typicalLengthMs(feed.bars.interval) < typicalLengthMs(held.bars.interval)) finest.set(id, feed);
  }
  return [...finest.values()];
}
