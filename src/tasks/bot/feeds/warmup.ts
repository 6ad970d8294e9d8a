// The bars with which a live feed begins: what the catalog has, joined to the newest bars of the exchange where the two agree.

import { isSame, type MarketBar } from '../../../adapters/exchange/klines/window.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { GrowingBars } from '../../../model/bars/growingBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { barsBetween, closeOf, typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';

export interface Warmup {
  readonly bars: GrowingBars;
  /** Why the catalog's bars were left out, in words; null where they were not, or there are none. */
  readonly note: string | null;
}

export interface WarmupDeps {
  readonly instrument: Instrument;
  readonly interval: Interval;
  /** Null: the catalog has none. */
  readonly catalog: BarColumns | null;
  /** The closed bars of the exchange, oldest first. */
  readonly window: readonly MarketBar[];
  readonly room?: number;
}

/**
 * Bars of the catalog stand only in front of bars of the exchange that they reach, and whose common bars they have in the same figures:
 * an indicator over a hole, or over two sources, would have values that no backtest has.
 */
export function joinWarmup({ instrument, interval, catalog, window, room }: WarmupDeps): Warmup {
  const bars = room === undefined ? new GrowingBars(instrument, interval) : new GrowingBars(instrument, interval, room);
  const name = `${instrument.wireName} ${interval}`;
  const first = window[0];
  const note = catalog === null || catalog.length === 0 || first === undefined ? null : whyApart(name, catalog, window, first);
  if (catalog !== null && note === null) {
    const rows = first === undefined ? catalog.length : rowsBefore(catalog, first.openMs);
    for (let row = 0; row < rows; row++) bars.append(rowOf(catalog, row));
  }
  for (const bar of window) bars.append(bar);
  return { bars, note };
}

/**
 * The closed bars after the one that opened at `lastMs`, oldest first: those of the exchange, and in front of them those of the catalog.
 * Throws ConfigError where some are missing that neither has.
 */
export function barsSince(lastMs: number, { instrument, interval, catalog, window }: Omit<WarmupDeps, 'room'>): readonly MarketBar[] {
  const newer = window.filter(({ openMs }) => openMs > lastMs);
  const first = newer[0];
  const isReached = lastMs === -Infinity || window.some(({ openMs }) => openMs <= lastMs);
  if (first === undefined || isReached || barsBetween(interval, lastMs, first.openMs) <= 1) return newer;
  const name = `${instrument.wireName} ${interval}`;
  const why = catalog === null || catalog.length === 0 ? null : whyApart(name, catalog, window, first);
  const rows = catalog === null || why !== null ? [] : rowsBetween(catalog, lastMs, first.openMs);
  // A catalog may have holes of its own.
  const times = [lastMs, ...rows.map(({ openMs }) => openMs), first.openMs];
  const isHole = (at: number): boolean => at > 0 && barsBetween(interval, times[at - 1]!, times[at]!) > 1;
  const from = times.findIndex((_, at) => isHole(at));
  if (from < 0) return [...rows, ...newer];
  const fromMs = closeOf(interval, times[from - 1]!);
  const toMs = times[times.findLastIndex((_, at) => isHole(at))]!;
  const missing = barsBetween(interval, lastMs, first.openMs) - 1 - rows.length;
  throw new ConfigError(
    `${name}: expected every bar since the bot was down, ${missing} are missing from ${formatMinute(fromMs)} to ${formatMinute(toMs)}` +
      (why === null ? '' : ` (${why})`),
    'isobar data download brings them into the catalog; or begin anew with --accept-changes: strategies start afresh, the books go on',
  );
}

function rowsBetween(bars: BarColumns, afterMs: number, beforeMs: number): readonly MarketBar[] {
  const rows: MarketBar[] = [];
  for (let row = 0; row < bars.length; row++) {
    const openMs = bars.openMs[row]!;
    if (openMs > afterMs && openMs < beforeMs) rows.push({ ...rowOf(bars, row), closeMs: bars.closeMs[row]!, barsIn: 1 });
  }
  return rows;
}

function whyApart(name: string, catalog: BarColumns, window: readonly MarketBar[], first: MarketBar): string | null {
  const { interval } = catalog;
  const lastMs = catalog.openMs[catalog.length - 1]!;
  const missing = barsBetween(interval, lastMs, first.openMs) - 1;
  if (missing >= 0) {
    const from = formatMinute(closeOf(interval, lastMs));
    return missing === 0
      ? `${name}: the bars of the catalog end where those of the exchange begin, so that nothing shows that they are the same: left out`
      : `${name}: ${missing} bars are missing from ${from} to ${formatMinute(first.openMs)}, behind the catalog: it is left out`;
  }
  // What the catalog has beyond the window is not compared, and not taken.
  const endMs = window.at(-1)!.openMs;
  const byTime = new Map(window.map((bar) => [bar.openMs, bar]));
  for (let row = catalog.length - 1; row >= 0 && catalog.openMs[row]! >= first.openMs; row--) {
    const other = byTime.get(catalog.openMs[row]!);
    if (catalog.openMs[row]! > endMs) continue;
    const own = { ...rowOf(catalog, row), closeMs: 0, barsIn: 1 };
    if (other && isSame(own, other)) continue;
    return `${name}: the bar of ${formatMinute(own.openMs)} is another in the catalog than at the exchange: the catalog is left out`;
  }
  return null;
}

function rowsBefore({ openMs, length }: BarColumns, ms: number): number {
  let rows = length;
  while (rows > 0 && openMs[rows - 1]! >= ms) rows--;
  return rows;
}

const rowOf = (bars: BarColumns, row: number) => ({
  openMs: bars.openMs[row]!,
  open: bars.open[row]!,
  high: bars.high[row]!,
  low: bars.low[row]!,
  close: bars.close[row]!,
  volume: bars.volume[row]!,
});

/**
 * What `name` lacks of the `needed` bars, in words, with the bars by their times; null where nothing is missing.
 */
export function missingWarmup(name: string, bars: BarColumns, needed: number): string | null {
  const missing = needed - bars.length;
  if (missing <= 0) return null;
  const { instrument, interval, length } = bars;
  const set = `${instrument.wireName} ${interval}`;
  if (length === 0) return `${name} needs ${needed} bars of ${set} before it can begin, and there is none`;
  const firstMs = bars.openMs[0]!;
  const range = `from ${formatMinute(firstMs - missing * typicalLengthMs(interval))} to ${formatMinute(firstMs)}`;
  return `${name} needs ${needed} bars of ${set} before it can begin; ${missing} are missing, ${range}`;
}
