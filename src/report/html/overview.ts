// The whole run in about 2,000 points: the picture that a reader sees before anything is unpacked.

import type { FeedRecord, RunRecord } from '../../model/run.ts';
import { meanPosition } from './page/exposure.ts';
import type { PositionChanges } from './page/exposure.ts';
import { rowAtOrAfter } from './page/levels.ts';
import type { WireOverview } from './page/wire.ts';

const BUCKETS = 1000;
const MINUTE = 60_000;

/** Signed position changes of one instrument in the base asset. */
export function positionChanges(run: RunRecord, instrument: number): PositionChanges & { readonly ms: number[]; readonly lots: number[] } {
  const { fills } = run;
  const ms: number[] = [];
  const lots: number[] = [];
  for (let i = 0; i < fills.length; i++) {
    if (fills.instrument[i] !== instrument) continue;
    ms.push(fills.timeMs[i]!);
    lots.push(fills.side[i] === 0 ? fills.lots[i]! : -fills.lots[i]!);
  }
  const lot = 10 ** -(run.instruments[instrument]?.quantityDigits ?? 0);
  return { length: ms.length, ms, lots, change: lots.map(n => n * lot) };
}

/** The close of `feed` that was known at `ms`; before its first bar, the first open. */
export function closeAt(feed: FeedRecord, ms: number): number {
  const { bars, firstRow } = feed;
  const row = rowAtOrAfter(bars.closeMs, ms + 1, bars.length) - 1;
  return row < firstRow ? (bars.open[firstRow] ?? Number.NaN) : (bars.close[row] ?? Number.NaN);
}

/** Lowest and highest equity of each of `BUCKETS` spans of rows, in their order, with everything else at those instants. */
export function overviewOf(run: RunRecord): WireOverview {
  const { equity } = run;
  const start = run.startUnits;
  const rows = pickedRows(equity.units, equity.length);
  const minutes = [Math.floor(run.fromMs / MINUTE)];
  const values = [start];
  const drawdown = [0];
  const worst = worstBetween(equity.units, equity.length, rows, start);
  rows.forEach((row, k) => {
    minutes.push(Math.round(equity.timeMs[row]! / MINUTE));
    values.push(equity.units[row]!);
    drawdown.push(Number(worst[k]!.toFixed(6)));
  });
  const scale = 10 ** -run.reportingDigits;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, start * scale) / 1e4)));
  const money = (units: number): number => Number((units * scale).toFixed(Math.min(8, digits)));
  return { minutes, equity: values.map(money), hold: holdAt(run, minutes), drawdown, exposure: exposureAt(run, minutes, values) };
}

/** In each span of rows the row of the lowest and the row of the highest value, ascending; always the last row. */
function pickedRows(values: Float64Array, length: number): number[] {
  const rows: number[] = [];
  const spans = Math.min(BUCKETS, length);
  for (let b = 0; b < spans; b++) {
    const from = Math.floor((b * length) / spans);
    const to = Math.floor(((b + 1) * length) / spans);
    let low = from;
    let high = from;
    for (let i = from; i < to; i++) {
      if (values[i]! < values[low]!) low = i;
      if (values[i]! > values[high]!) high = i;
    }
    if (low !== high) rows.push(Math.min(low, high));
    rows.push(Math.max(low, high));
  }
  if (length > 0 && rows.at(-1) !== length - 1) rows.push(length - 1);
  return rows;
}

/** The deepest drawdown of all rows between one picked row and the next. */
function worstBetween(values: Float64Array, length: number, rows: readonly number[], start: number): Float64Array {
  const worst = new Float64Array(rows.length);
  let peak = start;
  let k = 0;
  for (let i = 0; i < length && k < rows.length; i++) {
    const value = values[i]!;
    if (value > peak) peak = value;
    const down = value / peak - 1;
    if (down < worst[k]!) worst[k] = down;
    if (i === rows[k]) k++;
  }
  return worst;
}

/** Buy-and-hold of the instruments that the run executed on, equal weights at its start, in the reporting asset. */
function holdAt(run: RunRecord, minutes: readonly number[]): number[] {
  const feeds = run.feeds.filter(feed => feed.execution && feed.bars.length > feed.firstRow);
  const start = run.startUnits * 10 ** -run.reportingDigits;
  const first = feeds.map(feed => feed.bars.open[feed.firstRow] ?? Number.NaN);
  return minutes.map(minute => {
    let sum = 0;
    feeds.forEach((feed, k) => (sum += closeAt(feed, minute * MINUTE) / (first[k] ?? Number.NaN)));
    return Number(((start * sum) / feeds.length).toPrecision(7));
  });
}

/** Mean absolute position within each span, at the closing price, as a fraction of equity. */
function exposureAt(run: RunRecord, minutes: readonly number[], units: readonly number[]): number[] {
  const edges = minutes.map(minute => minute * MINUTE);
  const notional = new Float64Array(minutes.length);
  for (const feed of run.feeds) {
    if (!feed.execution) continue;
    const mean = meanPosition(edges, positionChanges(run, run.instruments.indexOf(feed.bars.instrument)));
    for (let k = 0; k < mean.length; k++) notional[k + 1]! += mean[k]! === 0 ? 0 : mean[k]! * closeAt(feed, edges[k + 1]!);
  }
  const scale = 10 ** -run.reportingDigits;
  return units.map((value, k) => (value > 0 ? Number((notional[k]! / (value * scale)).toFixed(4)) : 0));
}
