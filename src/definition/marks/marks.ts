// Computes the mark prices of each traded bar: aggregated from finer mark klines, or bounded by coarser ones.

import type { MarkColumns } from '../../model/bars/contractData.ts';
import type { SeriesColumns } from '../../adapters/catalog/series/seriesColumns.ts';
import { mulDiv, pow10 } from '../../base/number/exact.ts';
import { ticksOf, type BarColumns, type TickColumn } from '../../model/bars/bars.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import { markLengthMs, type MarkInterval } from '../../adapters/catalog/files/markInterval.ts';

/** Mark klines in ticks of the contract, oldest first. */
export interface MarkKlines {
  readonly interval: MarkInterval;
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
}

/** Converts a series to ticks, rounded half up, because exchanges compute marks more finely than prices. */
export function markKlines({ timeMs, figures, digits }: SeriesColumns, interval: MarkInterval, priceDigits: number): MarkKlines {
  const [open, high, low, close] = figures.map((prices) => prices.map((price) => toTicks(price, digits, priceDigits)));
  return {
    interval,
    openMs: timeMs,
    closeMs: timeMs.map((ms) => ms + markLengthMs(interval)),
    open: open!,
    high: high!,
    low: low!,
    close: close!,
  };
}

/** Converts through whole numbers of the price's own digits, so that halves are exact. */
function toTicks(price: number, digits: number, priceDigits: number): number {
  const whole = Math.round(price * pow10(digits));
  return digits <= priceDigits ? whole * pow10(priceDigits - digits) : mulDiv(whole, 1, pow10(digits - priceDigits), 'halfUp');
}

/** Mark prices aligned with the bars of an instrument. */
export interface AlignedMarks {
  readonly marks: MarkColumns;
  /** Number of bars from `firstRow` on that mark klines do not cover completely. Their own prices are used instead. */
  readonly uncovered: number;
}

/** Prices of all bars in ticks, with a fraction where marks have one. */
type BarPrices = Readonly<Record<'open' | 'high' | 'low' | 'close', Float64Array>>;

/**
 * Returns the marks of each bar.
 * Klines as long as the bars or shorter are aggregated: first open, highest high, lowest low, last close of those that open inside the bar.
 * A longer kline bounds the bar. No mark in it lay beyond its high and low, so the bar's own prices are moved into that range. If the kline
 * opens or closes with the bar, its open or close is used.
 * A bar without a kline keeps its own prices. If some of its shorter klines are missing, the worse of both sources is used. If the first or
 * last kline is missing, the bar's own open or close is used, because an older mark says nothing about this bar. The bar's high and low are
 * used if they lie beyond the klines.
 */
export function alignMarks(bars: BarColumns, klines: MarkKlines, firstRow: number): AlignedMarks {
  const isFine = markLengthMs(klines.interval) <= typicalLengthMs(bars.interval);
  const prices: BarPrices = {
    open: ownTicks(bars, 'open'),
    high: ownTicks(bars, 'high'),
    low: ownTicks(bars, 'low'),
    close: ownTicks(bars, 'close'),
  };
  let uncovered = 0;
  let kline = 0;
  for (let row = 0; row < bars.length; row++) {
    // Finer klines: the first one that opens in the bar. Coarser klines: the first one that ends with the bar or later.
    const openMs = bars.openMs[row]!;
    while (kline < klines.openMs.length && (isFine ? klines.openMs[kline]! < openMs : klines.closeMs[kline]! <= openMs)) kline++;
    const bar = { row, openMs, closeMs: bars.closeMs[row]! };
    const isCovered = isFine ? applyFinerKlines(prices, bar, klines, kline) : clampToKline(prices, bar, klines, kline);
    if (!isCovered && row >= firstRow) uncovered++;
  }
  const source = isFine ? `mark klines ${klines.interval}` : `bars within mark klines ${klines.interval}`;
  return {
    marks: {
      open: narrowColumn(prices.open),
      high: narrowColumn(prices.high),
      low: narrowColumn(prices.low),
      close: narrowColumn(prices.close),
      source,
    },
    uncovered,
  };
}

/** A bar: its row and its span, ms UTC. */
interface BarSpan {
  readonly row: number;
  readonly openMs: number;
  readonly closeMs: number;
}

/** Returns a copy of a price column in ticks. */
function ownTicks(bars: BarColumns, price: 'open' | 'high' | 'low' | 'close'): Float64Array {
  return Float64Array.from(ticksOf(bars, price));
}

/** Replaces the prices of a bar by those of the klines from `from` on that open in it. Returns true if they cover the whole bar. */
function applyFinerKlines(prices: BarPrices, { row, openMs: startMs, closeMs: endMs }: BarSpan, klines: MarkKlines, from: number): boolean {
  const { interval, openMs, closeMs, open, high, low, close } = klines;
  const slackMs = markLengthMs(interval) / 2;
  let highest = -Infinity;
  let lowest = Infinity;
  /** End of the part of the bar with complete marks; NaN once marks are missing. */
  let knownMs = startMs;
  let kline = from;
  for (; kline < openMs.length && openMs[kline]! < endMs; kline++) {
    highest = Math.max(highest, high[kline]!);
    lowest = Math.min(lowest, low[kline]!);
    knownMs = openMs[kline]! - knownMs <= slackMs ? closeMs[kline]! : NaN;
  }
  if (kline === from) return false;
  const isWhole = endMs - knownMs <= slackMs;
  if (openMs[from]! - startMs <= slackMs) prices.open[row] = open[from]!;
  if (endMs - closeMs[kline - 1]! <= slackMs) prices.close[row] = close[kline - 1]!;
  prices.high[row] = isWhole ? highest : Math.max(highest, prices.high[row]!);
  prices.low[row] = isWhole ? lowest : Math.min(lowest, prices.low[row]!);
  return isWhole;
}

/** Moves the prices of a bar into the range of a longer kline. Returns false, with the prices as they were, if the kline does not span the bar. */
function clampToKline(prices: BarPrices, { row, openMs, closeMs }: BarSpan, klines: MarkKlines, kline: number): boolean {
  const spansBar = kline < klines.openMs.length && klines.openMs[kline]! <= openMs && closeMs <= klines.closeMs[kline]!;
  if (!spansBar) return false;
  const lowest = klines.low[kline]!;
  const highest = klines.high[kline]!;
  for (const column of [prices.open, prices.high, prices.low, prices.close]) {
    column[row] = Math.min(highest, Math.max(lowest, column[row]!));
  }
  if (klines.openMs[kline] === openMs) prices.open[row] = klines.open[kline]!;
  if (klines.closeMs[kline] === closeMs) prices.close[row] = klines.close[kline]!;
  prices.high[row] = Math.max(prices.high[row]!, prices.open[row]!, prices.close[row]!);
  prices.low[row] = Math.min(prices.low[row]!, prices.open[row]!, prices.close[row]!);
  return true;
}

/** Returns 32-bit whole numbers where all ticks fit: they take half of the memory. */
function narrowColumn(ticks: Float64Array): TickColumn {
  return ticks.every((tick) => tick < 2 ** 31) ? Int32Array.from(ticks) : ticks;
}
