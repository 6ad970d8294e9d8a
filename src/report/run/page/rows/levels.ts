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
  const { length } = fine;
  const openMs = new Float64Array(length);
  const open = new Int32Array(length);
  const high = new Int32Array(length);
  const low = new Int32Array(length);
  const close = new Int32Array(length);
  const volume = new Float64Array(length);
  const lastRow = new Int32Array(length);
  let bars = 0;
  let endMs = -Infinity;
  for (let row = 0; row < length; row++) {
    const fineMs = fine.openMs[row]!;
    if (fineMs >= endMs) {
      openMs[bars] = openOf(interval, fineMs);
      endMs = closeOf(interval, openMs[bars]!);
      open[bars] = fine.open[row]!;
      high[bars] = fine.high[row]!;
      low[bars] = fine.low[row]!;
      bars++;
    }
    const bar = bars - 1;
    if (fine.high[row]! > high[bar]!) high[bar] = fine.high[row]!;
    if (fine.low[row]! < low[bar]!) low[bar] = fine.low[row]!;
    close[bar] = fine.close[row]!;
    volume[bar]! += fine.volume[row]!;
    lastRow[bar] = fine.lastRow[row]!;
  }
  return {
    interval,
    length: bars,
    openMs: openMs.slice(0, bars),
    open: open.slice(0, bars),
    high: high.slice(0, bars),
    low: low.slice(0, bars),
    close: close.slice(0, bars),
    volume: volume.slice(0, bars),
    lastRow: lastRow.slice(0, bars),
  };
}

/** Returns the first row whose time is at or after `timeMs`. `times` must ascend. */
export function rowAtOrAfter(times: ArrayLike<number>, timeMs: number, length = times.length): number {
  return firstFrom(times, length, timeMs);
}

/** Returns the rows of the finest level, which map to themselves. */
export function rowNumbers(length: number): Int32Array {
  const rows = new Int32Array(length);
  for (let i = 0; i < length; i++) rows[i] = i;
  return rows;
}
