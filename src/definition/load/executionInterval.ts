// Selects execution-only feeds: finer bars of the strategy's instruments, in which orders fill at more realistic prices.

import type { LoadedBars } from '../../adapters/catalog/bars/catalog.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import type { BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { ConfigError } from '../../base/errors.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import { nestedIn } from '../../model/bars/aggregateBars.ts';
import { closeOf, parseInterval, TRADE_ROWS, typicalLengthMs, type Interval } from '../../model/interval.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import { finestFeeds } from '../plan/finestFeeds.ts';
import type { FeedPlan } from '../plan/plan.ts';
import { marketsOf, type Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';
import { tradeFeeds } from './tradeFeeds.ts';

/**
 * The bars in which orders fill: the shortest that cover the run (`finest`), those of an interval, `trades`, or those of the feeds (`off`).
 */
export type ExecutionIntervalRule = 'finest' | 'off' | Interval;

/** Returns the rule of a definition. Futures default to `finest`, spot to `off`. */
export function executionIntervalRule(definition: Definition): ExecutionIntervalRule {
  const value = ruleValue(definition);
  if (value === 'finest' || value === 'off' || value === TRADE_ROWS) return value;
  const interval = value === undefined ? null : parseInterval(value);
  if (interval !== null) return interval;
  return marketsOf(definition).has('futures') ? 'finest' : 'off';
}

/** Returns the value of `executionInterval` or of its older name `inside`, which does not accept `trades`. */
const ruleValue = ({ fills }: Definition): string | undefined => fills?.executionInterval ?? fills?.inside;
const ruleKeyPath = ({ fills }: Definition): readonly string[] => [
  'fills',
  fills?.executionInterval === undefined ? 'inside' : 'executionInterval',
];

/**
 * Returns an execution-only feed for each instrument with finer bars that cover all bars of its feed. Throws ConfigError if the definition
 * names an interval whose bars do not.
 */
export function executionOnlyFeeds(
  definition: Definition,
  source: DefinitionSource,
  store: BarStore,
  feeds: readonly FeedPlan[],
  withRunRecord: (bars: BarColumns) => BarColumns,
): readonly FeedPlan[] {
  const rule = executionIntervalRule(definition);
  checkQueue(definition, source, rule);
  if (rule === 'off') return [];
  const where = whereIs(source, ruleKeyPath(definition));
  if (rule === TRADE_ROWS) return tradeFeeds(definition, source, store, finestFeeds(feeds), where);
  const execution = finestFeeds(feeds);
  const tradeBarFeed = rule === 'finest' ? undefined : execution.find(({ bars }) => isTradeBars(bars.interval));
  if (tradeBarFeed !== undefined) {
    throw new ConfigError(
      `${where}: expected trades, finest or off beside bars of ${tradeBarFeed.bars.interval}, which hold no bars of ${rule}`,
      'write executionInterval: trades, or leave it out: orders then fill in the bars from trades themselves',
    );
  }
  if (rule !== 'finest' && execution.every(({ bars }) => typicalLengthMs(rule) > typicalLengthMs(bars.interval))) {
    throw new ConfigError(
      `${where}: expected an interval below that of the feeds (${execution[0]!.bars.interval}), got ${rule}`,
      'write a shorter one, or finest',
    );
  }
  return execution.flatMap((feed) => {
    const loadedCover = rule === 'finest' ? finestCover(store, feed) : namedCover(store, feed, rule, where);
    if (loadedCover === null) return [];
    const { bars, firstRow, quality, files = [] } = loadedCover;
    return [{ name: `inside ${feed.name}`, bars: withRunRecord(bars), firstRow, quality, files, isExecutionOnly: true }];
  });
}

/** Throws ConfigError if the keys about trades contradict each other. */
function checkQueue({ fills }: Definition, source: DefinitionSource, rule: ExecutionIntervalRule): void {
  const throwConfigError = (key: string, expected: string, remedy: string): never => {
    throw new ConfigError(`${whereIs(source, ['fills', key])}: expected ${expected}`, remedy);
  };
  if (fills?.inside !== undefined && fills.executionInterval !== undefined)
    throwConfigError('inside', 'it or executionInterval, which is the same key, got both', 'leave one of them out');
  const { queue } = fills ?? {};
  if (queue === undefined) return;
  if (rule !== TRADE_ROWS) throwConfigError('queue', 'fills against trades beside it', 'add executionInterval: trades, or leave it out');
  if ((queue.ahead === undefined) === (queue.aheadTrades === undefined))
    throwConfigError('queue', 'either ahead or aheadTrades', "for example { ahead: '2.5' }, in the base asset");
  if (fills?.limit === 'touch')
    throwConfigError('limit', 'through beside a queue, got touch', 'leave it out: the queue decides at the limit');
}

/** Returns the shortest bars that cover the feed; null without any. Resampled bars are skipped, because they add no information. */
function finestCover(store: BarStore, feed: FeedPlan): LoadedBars | null {
  for (const interval of nestedIn(feed.bars.interval, store.intervalsOf(symbolOfFeed(feed))).toReversed()) {
    const key = barKeyOf(feed, interval);
    if (!mayCover(store, key, feed)) continue;
    const loadedCover = loadCovering(store, key, feed);
    if (loadedCover !== null && firstUnreachedRow(loadedCover.bars, feed) < 0) return loadedCover;
  }
  return null;
}

/** Returns bars of the named interval, or null if the feed needs none. Throws ConfigError if they do not cover the feed. */
function namedCover(store: BarStore, feed: FeedPlan, interval: Interval, where: string): LoadedBars | null {
  const { bars } = feed;
  // A feed whose bars are as short needs no finer ones. Feeds of an instrument may differ in interval.
  if (typicalLengthMs(interval) >= typicalLengthMs(bars.interval)) return null;
  const key = barKeyOf(feed, interval);
  const loadedCover = mayCover(store, key, feed) ? loadCovering(store, key, feed) : null;
  if (loadedCover !== null && firstUnreachedRow(loadedCover.bars, feed) < 0) return loadedCover;
  const availableIntervals = store
    .keys()
    .flatMap((stored) => (stored.market === key.market && stored.symbol === key.symbol ? [stored.interval] : []));
  const problem =
    loadedCover === null ? `${store.name} has ${availableIntervals.join(' ')}` : `theirs do not reach the prices of the bars everywhere`;
  throw new ConfigError(
    `${where}: expected bars of ${interval} inside every ${bars.interval} bar of ${key.symbol}, ${problem}`,
    `${store.remedy}; finest takes what is there`,
  );
}

const symbolOfFeed = ({ bars: { instrument } }: FeedPlan) => ({ market: instrument.market, symbol: instrument.wireName });
const barKeyOf = ({ bars: { instrument } }: FeedPlan, interval: Interval): BarKey => ({
  market: instrument.market,
  symbol: instrument.wireName,
  interval,
});

/** True if the bars may cover the feed, by their first and last times. Their rows are read later. */
function mayCover(store: BarStore, key: BarKey, { bars, firstRow }: FeedPlan): boolean {
  const facts = store.factsOf(key);
  if (facts === null || !['import', 'synthetic'].includes(facts.source) || firstRow >= bars.length) return false;
  return facts.firstMs < bars.closeMs[firstRow]! && closeOf(key.interval, facts.lastMs) > bars.openMs[bars.length - 1]!;
}

/** Loads the bars, with one row before the run, because its close is the first price of the run. */
function loadCovering(store: BarStore, key: BarKey, { bars, firstRow }: FeedPlan): LoadedBars {
  return store.load(key, { fromMs: bars.openMs[firstRow]!, toMs: bars.closeMs[bars.length - 1]!, warmupRows: 1 });
}

/**
 * Returns the first row of the run whose high or low is not reached by its finer bars; -1 if all are reached. Finer bars may be missing or
 * have other prices. Then a stop that the row reaches would not trigger.
 */
function firstUnreachedRow({ openMs, high, low, length }: BarColumns, { bars, firstRow }: FeedPlan): number {
  let fineRow = 0;
  for (let row = firstRow; row < bars.length; row++) {
    let maxHigh = -Infinity;
    let minLow = Infinity;
    while (fineRow < length && openMs[fineRow]! < bars.openMs[row]!) fineRow++;
    for (; fineRow < length && openMs[fineRow]! < bars.closeMs[row]!; fineRow++) {
      if (high[fineRow]! > maxHigh) maxHigh = high[fineRow]!;
      if (low[fineRow]! < minLow) minLow = low[fineRow]!;
    }
    if (!(maxHigh >= bars.high[row]! && minLow <= bars.low[row]!)) return row;
  }
  return -1;
}
