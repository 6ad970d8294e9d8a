// Mark prices for each row of the traded bars: aggregated from finer mark klines, or bounded by coarser ones.

import type { MarkColumns } from '../../model/bars/marks.ts';
import type { SeriesColumns } from '../../adapters/catalog/series/series.ts';
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

export interface AlignedMarks {
  readonly marks: MarkColumns;
  /** Number of bars from `firstRow` on that mark klines do not cover completely. Their own prices are used instead. */
  readonly uncovered: number;
}

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
  const into: OwnPrices = {
    open: ownTicks(bars, 'open'),
    high: ownTicks(bars, 'high'),
    low: ownTicks(bars, 'low'),
    close: ownTicks(bars, 'close'),
  };
  let uncovered = 0;
  let at = 0;
  for (let row = 0; row < bars.length; row++) {
    // Finer klines: the first one that opens in the bar. Coarser klines: the first one that ends with the bar or later.
    const edge = bars.openMs[row]!;
    while (at < klines.openMs.length && (isFine ? klines.openMs[at]! < edge : klines.closeMs[at]! <= edge)) at++;
    const isCovered = isFine
      ? mergeInto(into, row, klines, at, edge, bars.closeMs[row]!)
      : boundBy(into, row, klines, at, edge, bars.closeMs[row]!);
    if (!isCovered && row >= firstRow) uncovered++;
  }
  const source = isFine ? `mark klines ${klines.interval}` : `bars within mark klines ${klines.interval}`;
  return {
    marks: { open: narrow(into.open), high: narrow(into.high), low: narrow(into.low), close: narrow(into.close), source },
    uncovered,
  };
}

type OwnPrices = Readonly<Record<'open' | 'high' | 'low' | 'close', Float64Array>>;

function ownTicks(bars: BarColumns, price: 'open' | 'high' | 'low' | 'close'): Float64Array {
  return Float64Array.from(ticksOf(bars, price));
}

function mergeInto(into: OwnPrices, row: number, klines: MarkKlines, from: number, startMs: number, endMs: number): boolean {
  const { interval, openMs, closeMs, open, high, low, close } = klines;
  const slackMs = markLengthMs(interval) / 2;
  let [top, bottom] = [-Infinity, Infinity];
  /** End of the part of the bar with complete marks; NaN once marks are missing. */
  let knownMs = startMs;
  let at = from;
  for (; at < openMs.length && openMs[at]! < endMs; at++) {
    top = Math.max(top, high[at]!);
    bottom = Math.min(bottom, low[at]!);
    knownMs = openMs[at]! - knownMs <= slackMs ? closeMs[at]! : NaN;
  }
  if (at === from) return false;
  const isWhole = endMs - knownMs <= slackMs;
  if (openMs[from]! - startMs <= slackMs) into.open[row] = open[from]!;
  if (endMs - closeMs[at - 1]! <= slackMs) into.close[row] = close[at - 1]!;
  into.high[row] = isWhole ? top : Math.max(top, into.high[row]!);
  into.low[row] = isWhole ? bottom : Math.min(bottom, into.low[row]!);
  return isWhole;
}

function boundBy(into: OwnPrices, row: number, klines: MarkKlines, at: number, openMs: number, closeMs: number): boolean {
  if (!(at < klines.openMs.length && klines.openMs[at]! <= openMs && closeMs <= klines.closeMs[at]!)) return false;
  const [bottom, top] = [klines.low[at]!, klines.high[at]!];
  for (const prices of [into.open, into.high, into.low, into.close]) prices[row] = Math.min(top, Math.max(bottom, prices[row]!));
  if (klines.openMs[at] === openMs) into.open[row] = klines.open[at]!;
  if (klines.closeMs[at] === closeMs) into.close[row] = klines.close[at]!;
  into.high[row] = Math.max(into.high[row]!, into.open[row]!, into.close[row]!);
  into.low[row] = Math.min(into.low[row]!, into.open[row]!, into.close[row]!);
  return true;
}

function narrow(ticks: Float64Array): TickColumn {
  return ticks.every((tick) => tick < 2 ** 31) ? Int32Array.from(ticks) : ticks;
}
