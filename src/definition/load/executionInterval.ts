// Finer bars inside those of a strategy: what the store has of an instrument beside its feeds, so that orders fill where they really would.

import type { LoadedBars } from '../../adapters/catalog/bars/catalog.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import type { BarStore } from '../../adapters/catalog/bars/store.ts';
import { ConfigError } from '../../base/errors.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import { nestedIn } from '../../model/bars/aggregateBars.ts';
import { closeOf, parseInterval, typicalLengthMs, type Interval } from '../../model/interval.ts';
import { finestFeeds } from '../plan/finestFeeds.ts';
import type { FeedPlan } from '../plan/plan.ts';
import { marketsOf, type Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/** `finest`: the shortest interval that covers the run; an interval: that one; `off`: the bars of the feeds alone. */
export type ExecutionIntervalRule = 'finest' | 'off' | Interval;

export function executionIntervalRule(definition: Definition): ExecutionIntervalRule {
  const given = definition.fills?.inside;
  if (given === 'finest' || given === 'off') return given;
  const interval = given === undefined ? null : parseInterval(given);
  if (interval !== null) return interval;
  return marketsOf(definition).has('futures') ? 'finest' : 'off';
}

/**
 * A hidden feed for each instrument of which the store has finer bars that cover all of its feed's. Throws ConfigError where the
 * definition names an interval that does not.
 */
export function executionOnlyFeeds(
  definition: Definition,
  source: DefinitionSource,
  store: BarStore,
  feeds: readonly FeedPlan[],
  adapted: (bars: BarColumns) => BarColumns,
): readonly FeedPlan[] {
  const rule = executionIntervalRule(definition);
  if (rule === 'off') return [];
  const execution = finestFeeds(feeds);
  if (rule !== 'finest' && execution.every(({ bars }) => typicalLengthMs(rule) > typicalLengthMs(bars.interval))) {
    throw new ConfigError(
      `${whereIs(source, ['fills', 'inside'])}: expected an interval below that of the feeds (${execution[0]!.bars.interval}), got ${rule}`,
      'write a shorter one, or finest',
    );
  }
  return execution.flatMap((feed) => {
    const found = rule === 'finest' ? finestCover(store, feed) : namedCover(store, feed, rule, whereIs(source, ['fills', 'inside']));
    if (found === null) return [];
    const { bars, firstRow, quality, files = [] } = found;
    return [{ name: `inside ${feed.name}`, bars: adapted(bars), firstRow, quality, files, isHidden: true }];
  });
}

/** The shortest interval first; bars that were made by resampling say nothing that theirs do not. */
function finestCover(store: BarStore, feed: FeedPlan): LoadedBars | null {
  for (const interval of nestedIn(feed.bars.interval).toReversed()) {
    const key = keyOf(feed, interval);
    if (!mayCover(store, key, feed)) continue;
    const loaded = load(store, key, feed);
    if (loaded !== null && firstUnlike(loaded.bars, feed) < 0) return loaded;
  }
  return null;
}

function namedCover(store: BarStore, feed: FeedPlan, interval: Interval, where: string): LoadedBars | null {
  const { bars } = feed;
  // Several feeds may differ in length: what has bars as short already needs none inside.
  if (typicalLengthMs(interval) >= typicalLengthMs(bars.interval)) return null;
  const key = keyOf(feed, interval);
  const loaded = mayCover(store, key, feed) ? load(store, key, feed) : null;
  if (loaded !== null && firstUnlike(loaded.bars, feed) < 0) return loaded;
  const have = store.keys().flatMap((each) => (each.market === key.market && each.symbol === key.symbol ? [each.interval] : []));
  const what = loaded === null ? `${store.name} has ${have.join(' ')}` : `theirs do not reach the prices of the bars everywhere`;
  throw new ConfigError(
    `${where}: expected bars of ${interval} inside every ${bars.interval} bar of ${key.symbol}, ${what}`,
    `${store.remedy}; finest takes what is there`,
  );
}

const keyOf = ({ bars: { instrument } }: FeedPlan, interval: Interval): BarKey => ({
  market: instrument.market,
  symbol: instrument.wireName,
  interval,
});

/** By its ends alone, before its rows are read. */
function mayCover(store: BarStore, key: BarKey, { bars, firstRow }: FeedPlan): boolean {
  const facts = store.factsOf(key);
  if (facts === null || !['import', 'synthetic'].includes(facts.source) || firstRow >= bars.length) return false;
  return facts.firstMs < bars.closeMs[firstRow]! && closeOf(key.interval, facts.lastMs) > bars.openMs[bars.length - 1]!;
}

/** One row of warm-up: its close is the price with which the run begins. */
function load(store: BarStore, key: BarKey, { bars, firstRow }: FeedPlan): LoadedBars {
  return store.load(key, { fromMs: bars.openMs[firstRow]!, toMs: bars.closeMs[bars.length - 1]!, warmupRows: 1 });
}

/**
 * The first row of the run whose high or low no finer bar inside it reaches, because some are missing or are of another market's prices: a
 * stop that the row reaches would not go off. -1: there is none.
 */
function firstUnlike({ openMs, high, low, length }: BarColumns, { bars, firstRow }: FeedPlan): number {
  let at = 0;
  for (let row = firstRow; row < bars.length; row++) {
    let top = -Infinity;
    let bottom = Infinity;
    while (at < length && openMs[at]! < bars.openMs[row]!) at++;
    for (; at < length && openMs[at]! < bars.closeMs[row]!; at++) {
      if (high[at]! > top) top = high[at]!;
      if (low[at]! < bottom) bottom = low[at]!;
    }
    if (!(top >= bars.high[row]! && bottom <= bars.low[row]!)) return row;
  }
  return -1;
}
