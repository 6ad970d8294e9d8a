// Finds the execution feed of each instrument, in whose rows its orders match.

import type { InstrumentId } from '../../model/instrument.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import type { FeedPlan } from './plan.ts';

/** Returns the feed with the shortest bars of each instrument, in the sequence of the feeds. */
export function finestFeeds(feeds: readonly FeedPlan[]): readonly FeedPlan[] {
  const finest = new Map<InstrumentId, FeedPlan>();
  for (const feed of feeds) {
    const { id } = feed.bars.instrument;
    const best = finest.get(id);
    if (best === undefined || typicalLengthMs(feed.bars.interval) < typicalLengthMs(best.bars.interval)) finest.set(id, feed);
  }
  return [...finest.values()];
}
