// Finds the feed that a strategy refers to: by an indicator over it, or by an interval that the definition does not name.

import { ConfigError } from '../../base/errors.ts';
import type { Series } from '../../indicators/graph/series.ts';
import { ownerOf, type IndicatorSpec, type SignalSource } from '../../indicators/graph/spec.ts';
import type { Interval } from '../../model/interval.ts';
import type { FeedRun } from './feed.ts';

/** Returns the feed of an indicator spec, a series or a signal. */
export function feedOf(feeds: readonly FeedRun[], what: IndicatorSpec<unknown> | Series | SignalSource): FeedRun {
  const owner = ownerOf(what);
  const feed = feeds.find((one) => one.indicators === owner);
  if (!feed) throw new ConfigError('an indicator is registered over a feed of another run', 'register it over a feed of this strategy');
  return feed;
}

/** Returns the feed for a name that the definition lacks: the only feed of the default feed's instrument with that interval, or null. */
export function defaultFeed(feeds: readonly FeedRun[], interval: Interval | null, main: FeedRun | null): FeedRun | null {
  if (interval === null) return null;
  const matching = feeds.filter((feed) => feed.bars.interval === interval && (main ?? feed).instrumentIndex === feed.instrumentIndex);
  return matching.length === 1 ? matching[0]! : null;
}
