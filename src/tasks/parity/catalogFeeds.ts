// Builds the bars of a rerun: from the catalog, or from the journal for the causes that are switched on.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { readInstrument } from '../../adapters/catalog/bars/catalog.ts';
import { loadFeed } from '../../adapters/catalog/bars/loadFeed.ts';
import { catalogStore } from '../../adapters/catalog/bars/barStore.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import { withConfigFees, catalogOf, feedQualityOf } from '../bot/feeds/liveFeeds.ts';
import { wantedFeeds } from '../bot/config/wantedFeeds.ts';
import type { LiveBehaviour } from '../bot/config/liveConfig.ts';
import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { firstFrom } from '../../base/number/search.ts';
import { loadTradeBars } from '../../definition/load/tradeBarFeed.ts';
import type { FeedPlan } from '../../definition/plan/plan.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closeOf, type Interval } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import type { Lifetime } from '../bot/lifetime/lifetime.ts';
import type { Divergence } from './divergences.ts';
import { barKey, causeOfMissing, type ReceivedBar, type RecordedRun } from './recordedRun.ts';

/** One row: its open time, ms UTC, then open, high, low, close, volume and its close time. */
type RowValues = readonly [openMs: number, values: readonly number[]];

/** The rows of a feed in the catalog, from its first warm-up bar to the newest bar of the bot. */
export interface CatalogFeed {
  readonly plan: FeedPlan;
  readonly rows: readonly RowValues[];
  /** Open time of the newest warm-up bar, ms UTC. Later rows belong to the run. */
  readonly warmToMs: number;
}

/** Returns the feeds of the bot with the bars of the catalog. Throws ConfigError if the catalog lacks these bars. */
export function catalogFeeds(behaviour: LiveBehaviour, { warm, fromMs }: Lifetime, run: RecordedRun): readonly CatalogFeed[] {
  const folder = catalogOf(behaviour);
  const instruments = new Map<string, Instrument>();
  return wantedFeeds(behaviour).map(({ name, key, isExecutionOnly }, feed) => {
    const warmOpens = warm.filter(([warmFeed]) => warmFeed === feed).map(([, openMs]) => openMs);
    const received = [...run.bars.values()].filter((bar) => bar.feed === feed).map(({ openMs }) => openMs);
    const firstMs = Math.min(fromMs, smallestOf([...warmOpens, ...received]));
    // A symbol that had not traded yet has no bars in the journal, and needs none in the catalog.
    const isUntraded = warmOpens.length === 0 && received.length === 0;
    const range = { fromMs: firstMs, toMs: run.lastMs };
    const { bars, quality } = isUntraded ? barsIfAny(folder, key, range) : loadBarsOf(folder, key, range);
    const id = `${key.market} ${key.symbol}`;
    const instrument = instruments.get(id) ?? withConfigFees(bars.instrument, behaviour.definition.fees);
    instruments.set(id, instrument);
    const rows = Array.from({ length: bars.length }, (_, row): RowValues => [bars.openMs[row]!, valuesAt(bars, row)]);
    const warmToMs = warmOpens.length > 0 ? largestOf(warmOpens) : smallestOf(received) - 1;
    if (!isUntraded && !rows.some(([openMs]) => openMs > warmToMs)) {
      throw new ConfigError(
        `${folder}: no bars of ${key.symbol} ${key.interval} in the period of the bot`,
        isTradeBars(key.interval) ? 'add its trades with isobar data import --as trades' : 'add them with isobar data download',
      );
    }
    if (!isUntraded && !isTradeBars(key.interval)) checkEnds(folder, key, { rows, received, warmToMs, lastMs: run.lastMs });
    return { plan: { name, bars: { ...bars, instrument }, firstRow: 0, quality, isExecutionOnly }, rows, warmToMs };
  });
}

/** Throws ConfigError if the catalog begins or ends within the run: a backtest over a part of it compares nothing. */
function checkEnds(
  folder: string,
  { symbol, interval }: BarKey,
  { rows, received, warmToMs, lastMs }: Pick<CatalogFeed, 'rows' | 'warmToMs'> & { received: readonly number[]; lastMs: number },
): void {
  const isOfRun = (openMs: number): boolean => openMs > warmToMs && closeOf(interval, openMs) <= lastMs;
  const own = received.filter(isOfRun);
  const known = rows.map(([openMs]) => openMs).filter(isOfRun);
  if (own.length === 0) return;
  const isWhole = known.length > 0 && known[0]! <= smallestOf(own) && known.at(-1)! >= largestOf(own);
  if (isWhole) return;
  const rangeText = (opens: readonly number[]): string =>
    opens.length === 0 ? 'none' : `${formatTime(smallestOf(opens))} to ${formatTime(closeOf(interval, largestOf(opens)))}`;
  throw new ConfigError(
    `${folder}: expected the bars of ${symbol} ${interval} that the bot had, ${rangeText(own)}, got ${rangeText(known)}`,
    'add them with isobar data download',
  );
}

/** The time of a recorded run, ms UTC. */
interface RecordedRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the bars of the range, as a backtest loads them. Throws ConfigError without such bars. */
const loadBarsOf = (folder: string, key: BarKey, range: RecordedRange): Pick<FeedPlan, 'bars' | 'quality'> =>
  isTradeBars(key.interval)
    ? loadTradeBars(catalogStore(folder), key, range, `${key.symbol} ${key.interval}`)
    : loadFeed(catalogStore(folder), key, range);

/** Returns the bars of the range, or no rows if the catalog has the instrument but no bar in the range. */
function barsIfAny(folder: string, key: BarKey, range: RecordedRange): Pick<FeedPlan, 'bars' | 'quality'> {
  try {
    return loadBarsOf(folder, key, range);
  } catch (error) {
    const instrument = readInstrument(folder, key.market, key.symbol);
    if (!(error instanceof ConfigError) || instrument === null) throw error;
    const none = new Float64Array(0);
    const columns = { openMs: none, closeMs: none, open: none, high: none, low: none, close: none, volume: none };
    const bars: BarColumns = { instrument, interval: key.interval, length: 0, ...columns };
    return { bars, quality: feedQualityOf(bars) };
  }
}

/** Returns open, high, low, close, volume and close time of a row. */
const valuesAt = (bars: BarColumns, row: number): readonly number[] => [
  bars.open[row]!,
  bars.high[row]!,
  bars.low[row]!,
  bars.close[row]!,
  bars.volume[row]!,
  bars.closeMs[row]!,
];

/** Position of the volume in the values of a row. The prices come before it. */
const VOLUME_INDEX = 4;
/** Position of the close time in the values of a row. */
const CLOSE_MS_INDEX = 5;

/** Returns the values of a bar in ticks and lots. Bars are compared by these. */
export function comparedValues(values: readonly number[], { priceDigits, quantityDigits }: Instrument): readonly number[] {
  return values
    .slice(0, CLOSE_MS_INDEX)
    .map((value, index) => Math.round(value * pow10(index < VOLUME_INDEX ? priceDigits : quantityDigits)));
}

/** True when the bot received a bar with these values in ticks and lots. A bar from trades also ended at the same time. */
export const isSameBar = (values: readonly number[], received: ReceivedBar, instrument: Instrument): boolean => {
  const other = comparedValues(received.values, instrument);
  const isSameEnd = received.closeMs === null || received.closeMs === values[CLOSE_MS_INDEX];
  return isSameEnd && comparedValues(values, instrument).every((value, index) => value === other[index]);
};

/** Returns why the bot did not decide when a bar closed at `closeMs`. Null when the bot decided. */
export const causeOfSilence = (run: RecordedRun, closeMs: number): Divergence | null =>
  run.decided.has(closeMs) ? null : causeOfMissing(run, closeMs);

/** Returns the closes of bars at which strategies must not decide, for the causes that are switched on. Times in ms UTC. */
export function undecidedInstants(
  feeds: readonly CatalogFeed[],
  run: RecordedRun,
  isOn: (cause: Divergence) => boolean,
): ReadonlySet<number> {
  const foundRows = new Set<number>();
  const add = (openMs: number, closeMs: number, warmToMs: number): void => {
    if (openMs <= warmToMs || closeMs > run.lastMs) return;
    const cause = causeOfSilence(run, closeMs);
    if (cause !== null && isOn(cause)) foundRows.add(closeMs);
  };
  for (const { plan, rows, warmToMs } of feeds)
    if (plan.isExecutionOnly !== true) for (const [openMs, values] of rows) add(openMs, values[CLOSE_MS_INDEX]!, warmToMs);
  // A bar from trades can end at another time in the bot, because it missed trades.
  for (const { feed, openMs, closeMs } of run.bars.values()) if (closeMs !== null) add(openMs, closeMs, feeds[feed]!.warmToMs);
  return foundRows;
}

/** Returns the feeds of a rerun. `instruments` are those of the bot if the cause `rounding` is on, else null for those of the catalog. */
export function feedsFor(
  feeds: readonly CatalogFeed[],
  run: RecordedRun,
  instruments: readonly Instrument[] | null,
  isOn: (cause: Divergence) => boolean,
): readonly FeedPlan[] {
  return feeds.map((catalogFeed, feed) => {
    const { plan, warmToMs } = catalogFeed;
    const { interval, instrument: instrumentOfPlan } = plan.bars;
    const instrument = instruments?.find(({ id }) => id === instrumentOfPlan.id) ?? instrumentOfPlan;
    const sorted = [...barsOfRerun(catalogFeed, feed, run, isOn)].toSorted(([a], [b]) => a - b);
    const column = (index: number): Float64Array => Float64Array.from(sorted, ([, values]) => values[index]!);
    const bars: BarColumns = {
      instrument,
      interval,
      length: sorted.length,
      openMs: Float64Array.from(sorted, ([ms]) => ms),
      closeMs: column(CLOSE_MS_INDEX),
      open: column(0),
      high: column(1),
      low: column(2),
      close: column(3),
      volume: column(VOLUME_INDEX),
    };
    return { ...plan, bars, firstRow: sorted.filter(([ms]) => ms <= warmToMs).length };
  });
}

/**
 * Returns the bars of one feed of a rerun, by opening time: those of the catalog without those that the bot lacked. If the cause
 * `data revision` is on, they are as the bot received them.
 */
function barsOfRerun(
  { plan, rows, warmToMs }: CatalogFeed,
  feedIndex: number,
  run: RecordedRun,
  isOn: (cause: Divergence) => boolean,
): ReadonlyMap<number, readonly number[]> {
  const { interval, instrument } = plan.bars;
  const bars = new Map<number, readonly number[]>();
  const ownBars = [...run.bars.values()].filter((bar) => bar.feed === feedIndex);
  const isReplaced = isOn('data revision') ? overlapOf(ownBars) : () => false;
  for (const [openMs, values] of rows) {
    const received = run.bars.get(barKey(feedIndex, openMs));
    if (received === undefined && isReplaced(openMs, values[CLOSE_MS_INDEX]!)) continue;
    if (received === undefined && isOn(missingCause(run, openMs <= warmToMs, values[CLOSE_MS_INDEX]!))) continue;
    const isRevised = received !== undefined && isOn('data revision') && !isSameBar(values, received, instrument);
    bars.set(openMs, isRevised ? valuesOf(received, interval) : values);
  }
  if (isOn('data revision')) for (const bar of ownBars) if (!bars.has(bar.openMs)) bars.set(bar.openMs, valuesOf(bar, interval));
  return bars;
}

/** Returns a function that is true for a span that overlaps a received bar from trades. The trades of the span are in that bar. */
function overlapOf(received: readonly ReceivedBar[]): (openMs: number, closeMs: number) => boolean {
  const bars = received
    .flatMap(({ openMs, closeMs }) => (closeMs === null ? [] : [{ openMs, closeMs }]))
    .toSorted((a, b) => a.openMs - b.openMs);
  const opens = Float64Array.from(bars, ({ openMs }) => openMs);
  return (openMs, closeMs) => {
    const newest = bars[firstFrom(opens, opens.length, closeMs) - 1];
    return newest !== undefined && newest.closeMs > openMs;
  };
}

/** Returns the values of a received bar, with its close time. */
const valuesOf = ({ values, openMs, closeMs }: ReceivedBar, interval: Interval): readonly number[] => [
  ...values,
  closeMs ?? closeOf(interval, openMs),
];

/** Returns the cause of a bar that the bot did not receive. */
function missingCause(run: RecordedRun, isWarm: boolean, closeMs: number): Divergence {
  return isWarm ? 'data revision' : (causeOfSilence(run, closeMs) ?? 'late bar');
}
