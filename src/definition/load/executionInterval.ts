// Selects execution-only feeds: finer bars in the store for the strategy's instruments, so that orders fill at more realistic prices.

import type { LoadedBars } from '../../adapters/catalog/bars/catalog.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import type { BarStore } from '../../adapters/catalog/bars/store.ts';
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

/** `finest`: the shortest interval that covers the run. An interval: that one. `trades`: trades. `off`: only the bars of the feeds. */
export type ExecutionIntervalRule = 'finest' | 'off' | Interval;

export function executionIntervalRule(definition: Definition): ExecutionIntervalRule {
  const given = givenRule(definition);
  if (given === 'finest' || given === 'off' || given === TRADE_ROWS) return given;
  const interval = given === undefined ? null : parseInterval(given);
  if (interval !== null) return interval;
  return marketsOf(definition).has('futures') ? 'finest' : 'off';
}

/** `executionInterval` and `inside` are two names of one key; only the first one knows trades. */
const givenRule = ({ fills }: Definition): string | undefined => fills?.executionInterval ?? fills?.inside;
const keyOfRule = ({ fills }: Definition): readonly string[] => [
  'fills',
  fills?.executionInterval === undefined ? 'inside' : 'executionInterval',
];

/**
 * Returns an execution-only feed for each instrument with finer bars that cover all bars of its feed. Throws ConfigError if the definition
 * names an interval that does not.
 */
export function executionOnlyFeeds(
  definition: Definition,
  source: DefinitionSource,
  store: BarStore,
  feeds: readonly FeedPlan[],
  adapted: (bars: BarColumns) => BarColumns,
): readonly FeedPlan[] {
  const rule = executionIntervalRule(definition);
  checkQueue(definition, source, rule);
  if (rule === 'off') return [];
  const where = whereIs(source, keyOfRule(definition));
  if (rule === TRADE_ROWS) return tradeFeeds(definition, source, store, finestFeeds(feeds), where);
  const execution = finestFeeds(feeds);
  const ofTrades = rule === 'finest' ? undefined : execution.find(({ bars }) => isTradeBars(bars.interval));
  if (ofTrades !== undefined) {
    throw new ConfigError(
      `${where}: expected trades, finest or off beside bars of ${ofTrades.bars.interval}, which hold no bars of ${rule}`,
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
    const found = rule === 'finest' ? finestCover(store, feed) : namedCover(store, feed, rule, where);
    if (found === null) return [];
    const { bars, firstRow, quality, files = [] } = found;
    return [{ name: `inside ${feed.name}`, bars: adapted(bars), firstRow, quality, files, isHidden: true }];
  });
}

/** Throws ConfigError where the keys about trades contradict each other. */
function checkQueue({ fills }: Definition, source: DefinitionSource, rule: ExecutionIntervalRule): void {
  const refuse = (key: string, expected: string, remedy: string): never => {
    throw new ConfigError(`${whereIs(source, ['fills', key])}: expected ${expected}`, remedy);
  };
  if (fills?.inside !== undefined && fills.executionInterval !== undefined)
    refuse('inside', 'it or executionInterval, which is the same key, got both', 'leave one of them out');
  const { queue } = fills ?? {};
  if (queue === undefined) return;
  if (rule !== TRADE_ROWS) refuse('queue', 'fills against trades beside it', 'add executionInterval: trades, or leave it out');
  if ((queue.ahead === undefined) === (queue.aheadTrades === undefined))
    refuse('queue', 'either ahead or aheadTrades', "for example { ahead: '2.5' }, in the base asset");
  if (fills?.limit === 'touch') refuse('limit', 'through beside a queue, got touch', 'leave it out: the queue decides at the limit');
}

/** Tries the shortest interval first. Resampled bars are skipped, because they add no information. */
function finestCover(store: BarStore, feed: FeedPlan): LoadedBars | null {
  for (const interval of nestedIn(feed.bars.interval, store.intervalsOf(marketOf(feed))).toReversed()) {
    const key = keyOf(feed, interval);
    if (!mayCover(store, key, feed)) continue;
    const loaded = load(store, key, feed);
    if (loaded !== null && firstUnlike(loaded.bars, feed) < 0) return loaded;
  }
  return null;
}

function namedCover(store: BarStore, feed: FeedPlan, interval: Interval, where: string): LoadedBars | null {
  const { bars } = feed;
  // Feeds of an instrument may differ in interval. One whose bars are as short already needs no finer ones.
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

const marketOf = ({ bars: { instrument } }: FeedPlan) => ({ market: instrument.market, symbol: instrument.wireName });
const keyOf = ({ bars: { instrument } }: FeedPlan, interval: Interval): BarKey => ({
  market: instrument.market,
  symbol: instrument.wireName,
  interval,
});

/** Checks only the first and last time of the bars, before their rows are read. */
function mayCover(store: BarStore, key: BarKey, { bars, firstRow }: FeedPlan): boolean {
  const facts = store.factsOf(key);
  if (facts === null || !['import', 'synthetic'].includes(facts.source) || firstRow >= bars.length) return false;
  return facts.firstMs < bars.closeMs[firstRow]! && closeOf(key.interval, facts.lastMs) > bars.openMs[bars.length - 1]!;
}

/** Loads one row of warm-up, because its close is the first price of the run. */
function load(store: BarStore, key: BarKey, { bars, firstRow }: FeedPlan): LoadedBars {
  return store.load(key, { fromMs: bars.openMs[firstRow]!, toMs: bars.closeMs[bars.length - 1]!, warmupRows: 1 });
}

/**
 * Returns the first row of the run whose high or low no finer bar inside it reaches; -1 if every row matches. Finer bars may be missing, or
 * have prices of another market. A stop that the row reaches would then not trigger.
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
