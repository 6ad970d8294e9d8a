// The warm-up bars of a live feed: bars of the catalog, joined to the newest bars of the exchange if both agree.

import type { MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { GrowingBars } from '../../../model/bars/growingBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { barsBetween, closeOf, typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';
import { formatMinute } from '../../../model/time.ts';

/** Joined warm-up bars. */
export interface Warmup {
  readonly bars: GrowingBars;
  /** Why the catalog's bars were left out, as a sentence; null: they were used, or there are none. */
  readonly note: string | null;
}

/** The bars of catalog and exchange. */
export interface WarmupDeps {
  readonly instrument: Instrument;
  readonly interval: Interval;
  /** Null: the catalog has no bars. */
  readonly catalog: BarColumns | null;
  /** Closed bars of the exchange, oldest first. */
  readonly window: readonly MarketBar[];
  /** Maximum number of bars that the joined series can hold. */
  readonly capacityRows?: number;
}

/**
 * Joins catalog and exchange. Catalog bars are used only if they reach the exchange's bars and their common bars are equal. An indicator
 * over a gap, or over two sources, would have values that no backtest has.
 */
export function joinWarmup({ instrument, interval, catalog, window, capacityRows }: WarmupDeps): Warmup {
  const bars = capacityRows === undefined ? new GrowingBars(instrument, interval) : new GrowingBars(instrument, interval, capacityRows);
  const name = `${instrument.wireName} ${interval}`;
  const firstOfExchange = window[0];
  const canCompare = catalog !== null && catalog.length > 0 && firstOfExchange !== undefined;
  const note = canCompare ? mismatchOf(name, catalog, window, firstOfExchange) : null;
  if (catalog !== null && note === null) {
    const rows = firstOfExchange === undefined ? catalog.length : rowsBefore(catalog, firstOfExchange.openMs);
    for (let row = 0; row < rows; row++) bars.append(rowOf(catalog, row));
  }
  for (const bar of window) bars.append(bar);
  return { bars, note };
}

/**
 * Returns the closed bars after the one that opened at `lastMs`, oldest first: bars of the catalog, then bars of the exchange. Throws
 * ConfigError if neither has all of them.
 */
export function barsAfter(
  lastMs: number,
  { instrument, interval, catalog, window }: Omit<WarmupDeps, 'capacityRows'>,
): readonly MarketBar[] {
  const newer = window.filter(({ openMs }) => openMs > lastMs);
  const firstNewer = newer[0];
  const isExchangeEnough = lastMs === -Infinity || window.some(({ openMs }) => openMs <= lastMs);
  if (firstNewer === undefined || isExchangeEnough || barsBetween(interval, lastMs, firstNewer.openMs) <= 1) return newer;
  const name = `${instrument.wireName} ${interval}`;
  const mismatch = catalog === null || catalog.length === 0 ? null : mismatchOf(name, catalog, window, firstNewer);
  const rows = catalog === null || mismatch !== null ? [] : rowsBetween(catalog, lastMs, firstNewer.openMs);
  // A catalog may have gaps of its own.
  const times = [lastMs, ...rows.map(({ openMs }) => openMs), firstNewer.openMs];
  const isAfterHole = (index: number): boolean => index > 0 && barsBetween(interval, times[index - 1]!, times[index]!) > 1;
  const firstHole = times.findIndex((_, index) => isAfterHole(index));
  if (firstHole < 0) return [...rows, ...newer];
  const lastHole = times.findLastIndex((_, index) => isAfterHole(index));
  const fromMs = closeOf(interval, times[firstHole - 1]!);
  const toMs = times[lastHole]!;
  const missing = barsBetween(interval, lastMs, firstNewer.openMs) - 1 - rows.length;
  throw new ConfigError(
    `${name}: expected every bar since the bot was down, ${missing} are missing from ${formatMinute(fromMs)} to ${formatMinute(toMs)}` +
      (mismatch === null ? '' : ` (${mismatch})`),
    'add them to the catalog with isobar data download, or use --accept-changes: strategies start afresh, the books continue',
  );
}

/** Returns the bars that open after `afterMs` and before `beforeMs`. */
function rowsBetween(bars: BarColumns, afterMs: number, beforeMs: number): readonly MarketBar[] {
  const rows: MarketBar[] = [];
  for (let row = 0; row < bars.length; row++) {
    const openMs = bars.openMs[row]!;
    if (openMs > afterMs && openMs < beforeMs) rows.push({ ...rowOf(bars, row), closeMs: bars.closeMs[row]!, barsIn: 1 });
  }
  return rows;
}

/** Returns why the bars of the catalog do not fit those of the exchange, as a sentence; null if they do. */
function mismatchOf(name: string, catalog: BarColumns, window: readonly MarketBar[], first: MarketBar): string | null {
  const { interval } = catalog;
  const lastMs = catalog.openMs[catalog.length - 1]!;
  const missing = barsBetween(interval, lastMs, first.openMs) - 1;
  if (missing >= 0) {
    const from = formatMinute(closeOf(interval, lastMs));
    return missing === 0
      ? `${name}: the bars of the catalog end where those of the exchange begin, so they cannot be compared: the catalog is left out`
      : `${name}: ${missing} bars are missing from ${from} to ${formatMinute(first.openMs)}, after the end of the catalog: it is left out`;
  }
  // Catalog bars after the exchange's bars are not compared and not used.
  const endMs = window.at(-1)!.openMs;
  const exchangeBarByTime = new Map(window.map((bar) => [bar.openMs, bar]));
  for (let row = catalog.length - 1; row >= 0 && catalog.openMs[row]! >= first.openMs; row--) {
    const catalogBar = rowOf(catalog, row);
    if (catalogBar.openMs > endMs) continue;
    const exchangeBar = exchangeBarByTime.get(catalogBar.openMs);
    if (exchangeBar && isEqual(catalogBar, exchangeBar, catalog.instrument)) continue;
    return `${name}: the bar of ${formatMinute(catalogBar.openMs)} differs between catalog and exchange: the catalog is left out`;
  }
  return null;
}

/** The volume of a bar that was built from shorter ones is a sum of doubles, whose last digits depend on how it was summed up. */
const VOLUME_TOLERANCE = 1e-9;

/**
 * True when two bars have equal prices and volumes. Volumes of the same number of lots are equal too: an exchange has whole lots, while a
 * catalog may have volumes of contracts in coins.
 */
function isEqual(catalogBar: ReturnType<typeof rowOf>, exchangeBar: MarketBar, { quantityDigits }: Instrument): boolean {
  const lotsOf = (volume: number): number => Math.round(volume * pow10(quantityDigits));
  const [catalogVolume, exchangeVolume] = [catalogBar.volume, exchangeBar.volume];
  const tolerance = VOLUME_TOLERANCE * Math.max(catalogVolume, exchangeVolume);
  const isVolumeEqual = Math.abs(catalogVolume - exchangeVolume) <= tolerance || lotsOf(catalogVolume) === lotsOf(exchangeVolume);
  return isVolumeEqual && (['open', 'high', 'low', 'close'] as const).every((price) => catalogBar[price] === exchangeBar[price]);
}

/** Returns the number of rows that open before `timeMs`. */
function rowsBefore({ openMs, length }: BarColumns, timeMs: number): number {
  let rows = length;
  while (rows > 0 && openMs[rows - 1]! >= timeMs) rows--;
  return rows;
}

/** Returns one bar as a record, for comparisons. */
const rowOf = (bars: BarColumns, row: number) => ({
  openMs: bars.openMs[row]!,
  open: bars.open[row]!,
  high: bars.high[row]!,
  low: bars.low[row]!,
  close: bars.close[row]!,
  volume: bars.volume[row]!,
});

/** Returns a sentence about the warm-up bars that strategy `name` is missing of the `neededRows` ones; null: none is missing. */
export function missingWarmup(name: string, bars: BarColumns, neededRows: number): string | null {
  const missing = neededRows - bars.length;
  if (missing <= 0) return null;
  const { instrument, interval, length } = bars;
  const needText = `${name} needs ${neededRows} bars of ${instrument.wireName} ${interval} before it can begin`;
  if (length === 0) return `${needText}, and there are none`;
  const firstMs = bars.openMs[0]!;
  if (isTradeBars(interval)) return `${needText}; ${missing} are missing, before ${formatMinute(firstMs)}`;
  const range = `from ${formatMinute(firstMs - missing * typicalLengthMs(interval))} to ${formatMinute(firstMs)}`;
  return `${needText}; ${missing} are missing, ${range}`;
}
