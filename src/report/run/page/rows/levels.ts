// Aggregates bars to longer intervals, so that a chart draws at most as many bars as fit its width.

import { firstFrom } from '../../../../base/number/search.ts';
import { closeOf, INTERVALS, nests, openOf, typicalLengthMs } from '../../../../model/interval.ts';
import type { Interval } from '../../../../model/interval.ts';
import { isTradeBars } from '../../../../model/tradeBars.ts';

/** Bars of one instrument for drawing. Prices are whole numbers of 10^-digits of the packed column. */
export interface ChartLevel {
  readonly interval: Interval;
  readonly length: number;
  readonly openMs: Float64Array;
  readonly open: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly close: Int32Array;
  /** In base or in contracts. */
  readonly volume: Float64Array;
  /** The last row of the finest bars inside each bar. Indicator values at its close are read there. */
  readonly lastRow: Int32Array;
}

/**
 * Returns the intervals at which bars of `interval` can be drawn, `interval` itself first. A page has whole minutes. Shorter bars, and bars
 * made from trades, are aggregated to the minute in which they open.
 */
export function ladder(interval: Interval): Interval[] {
  if (isDrawnByMinute(interval)) return [...INTERVALS];
  return [interval, ...INTERVALS.filter((name) => nests(interval, name))];
}

/** True for bars that a chart shows only aggregated to minutes. */
export function isDrawnByMinute(interval: Interval): boolean {
  return isTradeBars(interval) || typicalLengthMs(interval) < 60_000;
}

/**
 * Aggregates bars to `interval`: the first open, the extremes, the last close, the sum of the volume. A bar without a finer bar is left
 * out.
 */
export function coarsen(fine: ChartLevel, interval: Interval): ChartLevel {
  const { length, openMs, open, high, low, close, volume, lastRow } = fine;
  const outMs = new Float64Array(length);
  const v = new Float64Array(length);
  const [o, h, l, c, rows] = [
    new Int32Array(length),
    new Int32Array(length),
    new Int32Array(length),
    new Int32Array(length),
    new Int32Array(length),
  ];
  let n = 0;
  let end = -Infinity;
  for (let i = 0; i < length; i++) {
    const ms = openMs[i]!;
    if (ms >= end) {
      outMs[n] = openOf(interval, ms);
      end = closeOf(interval, outMs[n]!);
      [o[n], h[n], l[n]] = [open[i]!, high[i]!, low[i]!];
      n++;
    }
    const k = n - 1;
    if (high[i]! > h[k]!) h[k] = high[i]!;
    if (low[i]! < l[k]!) l[k] = low[i]!;
    c[k] = close[i]!;
    v[k]! += volume[i]!;
    rows[k] = lastRow[i]!;
  }
  return {
    interval,
    length: n,
    openMs: outMs.slice(0, n),
    open: o.slice(0, n),
    high: h.slice(0, n),
    low: l.slice(0, n),
    close: c.slice(0, n),
    volume: v.slice(0, n),
    lastRow: rows.slice(0, n),
  };
}

/** Returns the first row whose time is at or after `ms`. `times` must ascend. */
export function rowAtOrAfter(times: ArrayLike<number>, ms: number, length = times.length): number {
  return firstFrom(times, length, ms);
}

/** Returns the rows of the finest level, which map to themselves. */
export function rowNumbers(length: number): Int32Array {
  const rows = new Int32Array(length);
  for (let i = 0; i < length; i++) rows[i] = i;
  return rows;
}
