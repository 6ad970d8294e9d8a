// Finds the feed that a strategy refers to: by an indicator over it, or by an interval that the definition does not name.

import { ConfigError } from '../../base/errors.ts';
import type { Series } from '../../indicators/graph/series.ts';
import { ownerOf, type IndicatorSpec, type SignalSource } from '../../indicators/graph/spec.ts';
import type { Interval } from '../../model/interval.ts';
import type { FeedRun } from './feed.ts';

/** Returns the feed over which an indicator spec, a series or a signal is computed. Throws ConfigError for a feed of another run. */
export function feedOf(feeds: readonly FeedRun[], source: IndicatorSpec<unknown> | Series | SignalSource): FeedRun {
  const owner = ownerOf(source);
  const feed = feeds.find(({ indicators }) => indicators === owner);
  if (!feed) throw new ConfigError('an indicator is registered over a feed of another run', 'register it over a feed of this strategy');
  return feed;
}

/**
 * Returns the feed for a name that the definition lacks: the only feed of that interval. If there is a default feed, only feeds on its
 * instrument count. Null if there is no such feed, or several.
 */
export function defaultFeed(feeds: readonly FeedRun[], interval: Interval | null, main: FeedRun | null): FeedRun | null {
  if (interval === null) return null;
  const isOnInstrument = (feed: FeedRun): boolean => main === null || main.instrumentIndex === feed.instrumentIndex;
  const matching = feeds.filter((feed) => feed.bars.interval === interval && isOnInstrument(feed));
  return matching.length === 1 ? matching[0]! : null;
}
