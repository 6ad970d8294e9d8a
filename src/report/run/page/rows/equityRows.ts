// Equity, buy-and-hold and drawdown by row, reduced to the points that a plot of a given width can show.

import { meanPosition, type PositionChanges } from './exposure.ts';
import { rowAtOrAfter } from './levels.ts';
import type { WireOverview } from '../../../page/wire.ts';

/** The equity of a run as columns. */
export interface EquityRows {
  readonly length: number;
  /** Times in ms, ascending, starting with the start of the run. */
  readonly ms: ArrayLike<number>;
  readonly equity: ArrayLike<number>;
  readonly hold: ArrayLike<number> | null;
  /** Drawdown, at most 0. */
  readonly drawdown: ArrayLike<number>;
}

/** Points for drawing. `depth` is the deepest drawdown since the previous point. */
export interface EquityPoints {
  readonly ms: number[];
  readonly equity: number[];
  readonly hold: (number | null)[];
  readonly drawdown: number[];
  readonly depth: number[];
}

/** A position that can be valued at any time. */
export interface HeldPosition {
  readonly changes: PositionChanges;
  /** Returns the value of one unit in money, at the last close at or before `timeMs`. */
  readonly priceAt: (timeMs: number) => number;
}

/**
 * Returns the lowest and the highest equity in each of `spans` parts of the rows from `from` to `to` (ms). The rows next to the range and
 * the last row are always included.
 */
export function pointsBetween(rows: EquityRows, from: number, to: number, spans: number): EquityPoints {
  const { ms, equity, hold, drawdown, length } = rows;
  const first = Math.max(0, rowAtOrAfter(ms, from, length) - 1);
  const end = Math.min(length, rowAtOrAfter(ms, to, length) + 1);
  const points: EquityPoints = { ms: [], equity: [], hold: [], drawdown: [], depth: [] };
  const addPoint = (row: number, depth: number) => {
    points.ms.push(ms[row]!);
    points.equity.push(equity[row]!);
    points.hold.push(hold ? finite(hold[row]!) : null);
    points.drawdown.push(drawdown[row]!);
    points.depth.push(depth);
  };
  const parts = Math.min(spans, end - first);
  for (let part = 0; part < parts; part++) {
    const start = first + Math.floor((part * (end - first)) / parts);
    const stop = first + Math.floor(((part + 1) * (end - first)) / parts);
    let lowRow = start;
    let highRow = start;
    let depth = 0;
    for (let row = start; row < stop; row++) {
      if (equity[row]! < equity[lowRow]!) lowRow = row;
      if (equity[row]! > equity[highRow]!) highRow = row;
      if (drawdown[row]! < depth) depth = drawdown[row]!;
    }
    const earlierRow = Math.min(lowRow, highRow);
    const laterRow = Math.max(lowRow, highRow);
    if (earlierRow !== laterRow) addPoint(earlierRow, depth);
    addPoint(laterRow, depth);
    const isLastPart = part === parts - 1;
    if (isLastPart && laterRow < stop - 1) addPoint(stop - 1, drawdown[stop - 1]!);
  }
  return points;
}

/** Returns the equity band of an overview at given times, by linear interpolation. The values are null for a run without a band. */
export function bandAt(
  { minutes, band }: Pick<WireOverview, 'minutes' | 'band'>,
  timesMs: readonly number[],
): { readonly low: (number | null)[]; readonly high: (number | null)[] } {
  if (band === null) return { low: timesMs.map(() => null), high: timesMs.map(() => null) };
  let nextIndex = 1;
  const low: number[] = [];
  const high: number[] = [];
  for (const time of timesMs) {
    const minute = time / 60_000;
    while (nextIndex < minutes.length - 1 && minutes[nextIndex]! < minute) nextIndex++;
    const from = minutes[nextIndex - 1] ?? minute;
    const to = minutes[nextIndex] ?? minute;
    const share = to > from ? Math.min(1, Math.max(0, (minute - from) / (to - from))) : 1;
    const between = (values: readonly number[]) => {
      const before = values[nextIndex - 1]!;
      const after = values[nextIndex] ?? before;
      return before + (after - before) * share;
    };
    low.push(between(band.low));
    high.push(between(band.high));
  }
  return { low, high };
}

/** Returns null in place of NaN and infinities. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Returns the share of equity in the market as means over equal spans from `from` to `to` (ms UTC): the ends of the spans and the values. */
export function exposureBetween(
  rows: EquityRows,
  holdings: readonly HeldPosition[],
  { from, to, spans }: { readonly from: number; readonly to: number; readonly spans: number },
): { ms: number[]; exposure: number[] } {
  const edges = Array.from({ length: spans + 1 }, (_, edge) => from + ((to - from) * edge) / spans);
  const notional = new Float64Array(spans);
  for (const { changes, priceAt } of holdings) {
    const mean = meanPosition(edges, changes);
    for (let span = 0; span < spans; span++) if (mean[span]! !== 0) notional[span]! += mean[span]! * priceAt(edges[span + 1]!);
  }
  const ms = edges.slice(1);
  const exposure = ms.map((end, span) => {
    const equity = rows.equity[Math.max(0, rowAtOrAfter(rows.ms, end + 1, rows.length) - 1)]!;
    return equity > 0 ? notional[span]! / equity : 0;
  });
  return { ms, exposure };
}

/** Returns the fall below the highest equity up to each row. */
export function drawdownsOf(equity: ArrayLike<number>): Float64Array {
  const drawdowns = new Float64Array(equity.length);
  let peak = -Infinity;
  for (let row = 0; row < drawdowns.length; row++) {
    const value = equity[row]!;
    if (value > peak) peak = value;
    drawdowns[row] = peak > 0 ? value / peak - 1 : 0;
  }
  return drawdowns;
}
