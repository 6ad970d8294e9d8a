// Equity, buy-and-hold and drawdown by row, reduced to the points that a plot of a given width can show.

import { meanPosition, type PositionChanges } from './exposure.ts';
import { rowAtOrAfter } from './levels.ts';

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
  /** Returns the value of one unit in money, at the last close at or before `ms`. */
  readonly priceAt: (ms: number) => number;
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
    let [low, high, depth] = [start, start, 0];
    for (let i = start; i < stop; i++) {
      if (equity[i]! < equity[low]!) low = i;
      if (equity[i]! > equity[high]!) high = i;
      if (drawdown[i]! < depth) depth = drawdown[i]!;
    }
    if (low !== high) addPoint(Math.min(low, high), depth);
    addPoint(Math.max(low, high), depth);
    if (part === parts - 1 && Math.max(low, high) < stop - 1) addPoint(stop - 1, drawdown[stop - 1]!);
  }
  return points;
}

/** Returns the equity band of an overview at given times, by linear interpolation. The values are null for a run without a band. */
export function bandAt(
  {
    minutes,
    band,
  }: { readonly minutes: readonly number[]; readonly band: { readonly low: readonly number[]; readonly high: readonly number[] } | null },
  ms: readonly number[],
): { readonly low: (number | null)[]; readonly high: (number | null)[] } {
  if (band === null) return { low: ms.map(() => null), high: ms.map(() => null) };
  let next = 1;
  const [low, high]: [number[], number[]] = [[], []];
  for (const time of ms) {
    const minute = time / 60_000;
    while (next < minutes.length - 1 && minutes[next]! < minute) next++;
    const [from, to] = [minutes[next - 1] ?? minute, minutes[next] ?? minute];
    const share = to > from ? Math.min(1, Math.max(0, (minute - from) / (to - from))) : 1;
    const between = (values: readonly number[]) => values[next - 1]! + ((values[next] ?? values[next - 1]!) - values[next - 1]!) * share;
    low.push(between(band.low));
    high.push(between(band.high));
  }
  return { low, high };
}

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
  const out = new Float64Array(equity.length);
  let peak = -Infinity;
  for (let i = 0; i < out.length; i++) {
    const value = equity[i]!;
    if (value > peak) peak = value;
    out[i] = peak > 0 ? value / peak - 1 : 0;
  }
  return out;
}
