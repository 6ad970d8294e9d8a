// The price at several resolutions: each coarser one is made from a finer one, so that a chart never draws more bars than it has room for.

import { closeOf, INTERVALS, openOf, typicalLengthMs } from '../../../../model/interval.ts';
import type { Interval } from '../../../../model/interval.ts';

/** Bars of one instrument for drawing: prices are whole numbers of 10^-digits of the pack. */
export interface ChartLevel {
  readonly interval: Interval;
  readonly length: number;
  readonly openMs: Float64Array;
  readonly open: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly close: Int32Array;
  /** The last row of the finest bars that each bar rests on: where an indicator's value at its close is read. */
  readonly lastRow: Int32Array;
}

/** The intervals of which bars of `interval` are the parts, `interval` itself first; weeks do not fit into months. */
export function ladder(interval: Interval): Interval[] {
  return INTERVALS.filter(
    (name) => name === interval || (typicalLengthMs(name) > typicalLengthMs(interval) && !(name === '1M' && interval === '1w')),
  );
}

/** Bars of `interval` from finer ones: the first open, the extremes, the last close. A bar that no finer bar opened in is absent. */
export function coarsen(fine: ChartLevel, interval: Interval): ChartLevel {
  const { length, openMs, open, high, low, close, lastRow } = fine;
  const outMs = new Float64Array(length);
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
    lastRow: rows.slice(0, n),
  };
}

/** The first row whose time is at or after `ms`; `times` ascend. */
export function rowAtOrAfter(times: ArrayLike<number>, ms: number, length = times.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows of the finest level, one for one. */
export function rowNumbers(length: number): Int32Array {
  const rows = new Int32Array(length);
  for (let i = 0; i < length; i++) rows[i] = i;
  return rows;
}
