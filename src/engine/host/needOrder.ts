// The order in which strategies need feeds. The bars of the strategy that decides first are delivered first.

import type { FeedRun } from '../feeds/feed.ts';

/** A strategy and the feeds that it listens to. */
interface Listener {
  readonly listened: readonly FeedRun[];
}

/**
 * Returns the feeds by need: those of the first strategy in the order in which it registered them, then those of the second, and so on.
 * Feeds that no strategy listens to, such as execution-only feeds, come last.
 */
export function feedsByNeed(feeds: readonly FeedRun[], strategies: readonly Listener[]): readonly FeedRun[] {
  return [...new Set([...strategies.flatMap(({ listened }) => listened), ...feeds])];
}
