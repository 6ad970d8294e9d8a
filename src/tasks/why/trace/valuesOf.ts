// The indicators and signals of a strategy with their values at the newest bar.

import type { Series, Signal } from '../../../indicators/graph/series.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import type { ExplainedValue } from '../model/explanation.ts';
import { signalText } from './signalTree.ts';
import { isSignal } from './watchedViews.ts';

type Run = SealedBot['engine']['runs'][number];
type FeedOfRun = Run['watches'][number]['feed'];

/** Returns the values of all series and signals of a strategy, with the sources of conditions. `instrument`: only of this one; null: of all. */
export function valuesOf(
  run: Run,
  fieldNames: ReadonlyMap<object, readonly string[]>,
  instrument: string | null,
): readonly ExplainedValue[] {
  const feedsByView = new Map<Series | Signal, FeedOfRun>();
  const add = (feed: FeedOfRun, view: Series | Signal): void => {
    if (!feedsByView.has(view)) feedsByView.set(view, feed);
  };
  for (const feed of run.listened)
    for (const column of ['open', 'high', 'low', 'close', 'volume'] as const) add(feed, feed.indicators.series[column]);
  for (const { feed, series } of run.drawn) add(feed, series);
  for (const { feed, signal } of run.watches) for (const view of withSources(feed, signal)) add(feed, view);
  for (const view of fieldNames.keys()) {
    const feed = run.listened.find(({ indicators }) => belongsTo(indicators, view));
    if (feed !== undefined) add(feed, view as Series | Signal);
  }
  const values = [...feedsByView]
    .filter(([view, feed]) => (instrument === null || feed.instrument.id === instrument) && !isConstant(feed, view))
    .map(([view, feed]) => ({
      feed: `${feed.instrument.id} ${feed.bars.interval}`,
      name: isSignal(view) ? signalText(feed.indicators, view) : feed.indicators.keyOf(view),
      fields: fieldNames.get(view) ?? [],
      value: valueOf(view, 'value'),
      prev: valueOf(view, 'prev'),
    }));
  // An external series has two views: one in the field, and one for its rows. Only the one in the field is shown.
  return values.filter(({ feed, name, fields }) => {
    const isDuplicate = (other: ExplainedValue): boolean => other.fields.length > 0 && other.name === name && other.feed === feed;
    return fields.length > 0 || !values.some(isDuplicate);
  });
}

/** Returns a view with all its direct and indirect sources. */
function withSources(feed: FeedOfRun, view: Series | Signal): readonly (Series | Signal)[] {
  return [...feed.indicators.sourcesOf(view).flatMap((source) => withSources(feed, source)), view];
}

/** True when a series or a signal belongs to this set. */
function belongsTo(set: FeedOfRun['indicators'], view: object): boolean {
  try {
    set.keyOf(view as Series);
    return true;
  } catch {
    // `keyOf` throws for a view of another feed.
    return false;
  }
}

/** True for a series or a signal that is the same in every row. */
function isConstant(feed: FeedOfRun, view: Series | Signal): boolean {
  const key = feed.indicators.keyOf(view);
  return key === String(Number(key));
}

/** Returns the value of a series or a signal: of this row, or of the row before. */
function valueOf(view: Series | Signal, which: 'value' | 'prev'): number | boolean | null {
  if (isSignal(view)) return view.ready || which === 'prev' ? view[which] : null;
  const value = view[which];
  return Number.isFinite(value) ? value : null;
}
