// Finds the execution feed of each instrument, in whose rows its orders match.

import type { InstrumentId } from '../../model/instrument.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import type { FeedPlan } from './plan.ts';

/** Returns the feed with the shortest bars of each instrument, in the order of the feeds. */
export function finestFeeds(feeds: readonly FeedPlan[]): readonly FeedPlan[] {
  const finestById = new Map<InstrumentId, FeedPlan>();
  for (const feed of feeds) {
    const { id } = feed.bars.instrument;
    const finest = finestById.get(id);
    if (finest === undefined || typicalLengthMs(feed.bars.interval) < typicalLengthMs(finest.bars.interval)) finestById.set(id, feed);
  }
  return [...finestById.values()];
}
