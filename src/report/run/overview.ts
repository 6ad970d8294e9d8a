// Reduces the whole run to about 2,000 points: the first picture, which the page draws before it unpacks any column.

import { pow10 } from '../../base/number/exact.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { buyAndHold, countUpTo, executionFeeds } from '../series/daily.ts';
import { contractValueAt } from '../kernels/contractValue.ts';
import { contractFaceOf } from '../metrics/instrumentValue.ts';
import { shortsOf } from '../trades/positions.ts';
import type { RunIndex } from './runIndex.ts';
import { meanPosition, type PositionChanges } from './page/rows/exposure.ts';
import type { WireOverview } from '../page/wire.ts';

/** Number of spans. Each contributes its lowest and its highest equity. */
const SPANS = 1000;
const MINUTE_MS = 60_000;

/** Changes of a holding by fills. */
interface HoldingChanges extends PositionChanges {
  readonly ms: Float64Array;
  /** In units of the base asset. */
  readonly units: Float64Array;
}

/**
 * Returns the changes of the base-asset holding by the fills of one instrument, including fees paid in that asset. A separate short adds to
 * the holding like a long, because both are in the market.
 */
export function positionChanges(index: RunIndex, instrumentIndex: number): HoldingChanges {
  const { record } = index;
  const { fills, instruments } = record;
  const { quantityDigits, baseDigits } = instruments[instrumentIndex]!;
  const isShort = shortsOf(record);
  const unitsPerLot = pow10(baseDigits - quantityDigits);
  const rows = index.fillsOf(instrumentIndex);
  const { length } = rows;
  const ms = new Float64Array(length);
  const units = new Float64Array(length);
  const change = new Float64Array(length);
  const perUnit = pow10(baseDigits);
  for (let place = 0; place < length; place++) {
    const row = rows[place]!;
    const isIncrease = (fills.side[row] === 0) !== (isShort?.(row) === true);
    const bought = fills.lots[row]! * (isIncrease ? unitsPerLot : -unitsPerLot);
    ms[place] = fills.timeMs[row]!;
    units[place] = bought - (fills.feeInBase[row] === 1 ? fills.fee[row]! : 0);
    change[place] = units[place]! / perUnit;
  }
  return { length, ms, units, change };
}

/** Returns the overview. Its instants are those of the lowest and the highest equity in each of `SPANS` spans. */
export function overviewOf(index: RunIndex): WireOverview {
  const { record } = index;
  const { equity, startUnits, equityBand = null } = record;
  const rows = extremeRows(equity.units, equity.length);
  const timeMs = Float64Array.from([record.fromMs, ...rows.map((row) => equity.timeMs[row]!)]);
  const units = [startUnits, ...rows.map((row) => equity.units[row]!)];
  const drawdown = [0, ...worstUpTo(rows, equity.units, startUnits)];
  const perUnit = pow10(record.reportingDigits);
  const money = (value: number) => Number((value / perUnit).toPrecision(8));
  const bandSide = (values: Float64Array) => [startUnits, ...rows.map((row) => values[row]!)].map(money);
  const held = buyAndHold(record, timeMs);
  return {
    minutes: Array.from(timeMs, (ms) => Math.round(ms / MINUTE_MS)),
    equity: units.map(money),
    hold: held === null ? null : Array.from(held, (growth) => money(growth * startUnits)),
    drawdown: drawdown.map(roundedFraction),
    exposure: exposureAt(index, timeMs, units).map(roundedFraction),
    band: equityBand === null ? null : { low: bandSide(equityBand.low), high: bandSide(equityBand.high) },
  };
}

/** Returns a fraction with the digits that the page needs. */
const roundedFraction = (value: number) => Number(value.toFixed(5));

/** Returns the rows of the lowest and the highest value in each span of rows, ascending. The last row is always included. */
function extremeRows(values: Float64Array, length: number): number[] {
  const rows: number[] = [];
  const spans = Math.min(SPANS, length);
  for (let span = 0; span < spans; span++) {
    const from = Math.floor((span * length) / spans);
    const to = Math.floor(((span + 1) * length) / spans);
    const { lowRow, highRow } = extremes(values, from, to);
    if (lowRow !== highRow) rows.push(Math.min(lowRow, highRow));
    rows.push(Math.max(lowRow, highRow));
  }
  if (length > 0 && rows.at(-1) !== length - 1) rows.push(length - 1);
  return rows;
}

/** Returns the first rows of the lowest and of the highest value of [from, to). Hot: docs/performance.md#index-loops. */
function extremes(values: Float64Array, from: number, to: number): { readonly lowRow: number; readonly highRow: number } {
  let lowRow = from;
  let highRow = from;
  let min = values[from]!;
  let max = min;
  for (let row = from + 1; row < to; row++) {
    const value = values[row]!;
    if (value < min) {
      min = value;
      lowRow = row;
    } else if (value > max) {
      max = value;
      highRow = row;
    }
  }
  return { lowRow, highRow };
}

/** Returns the deepest drawdown between each of `rows` and the row before it in the list. */
function worstUpTo(rows: readonly number[], values: Float64Array, startUnits: number): number[] {
  let peak = startUnits;
  let nextRow = 0;
  return rows.map((row) => {
    let deepest = 0;
    // The lowest value since a peak is the deepest fall from it, so one division for each peak is enough.
    let lowSincePeak = Infinity;
    for (; nextRow <= row; nextRow++) {
      const value = values[nextRow]!;
      if (value > peak) {
        deepest = Math.min(deepest, lowSincePeak / peak - 1);
        peak = value;
        lowSincePeak = Infinity;
      } else if (value < lowSincePeak) lowSincePeak = value;
    }
    return Math.min(deepest, lowSincePeak / peak - 1);
  });
}

/** Returns the mean absolute position since the previous instant, valued at the last close, as a fraction of equity. */
function exposureAt(index: RunIndex, timeMs: Float64Array, units: readonly number[]): number[] {
  const { record } = index;
  const notional = new Float64Array(timeMs.length);
  for (const { bars } of executionFeeds(record.feeds)) {
    const face = contractFaceOf(bars.instrument);
    const mean = meanPosition(timeMs, positionChanges(index, index.placeOf(bars.instrument.id)));
    for (let instant = 1; instant < timeMs.length; instant++) {
      const row = countUpTo(bars.closeMs, bars.length, timeMs[instant]!) - 1;
      if (row >= 0) notional[instant]! += mean[instant - 1]! * contractValueAt(face, bars.close[row]!);
    }
  }
  const perUnit = pow10(record.reportingDigits);
  return units.map((value, instant) => (value > 0 ? (notional[instant]! * perUnit) / value : 0));
}

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
/** 1970-01-01 was a Thursday, and the week here starts on Monday. */
const DAYS_AFTER_MONDAY = 3;

/** Returns the compounded return in each hour of the week (Monday 00:00 to 01:00 UTC first). Together they give the return of the run. */
export function returnsByHour({ equity, startUnits }: RunRecord): number[] {
  const logReturns = new Float64Array(WEEK_HOURS);
  const { timeMs, units, length } = equity;
  let beforeUnits = startUnits;
  for (let row = 0; row < length;) {
    // A bar closes at the first instant of the next hour, but its return belongs to the hour before.
    const hour = Math.floor((timeMs[row]! - 1) / HOUR_MS);
    const nextMs = (hour + 1) * HOUR_MS;
    const first = row;
    let minUnits = Infinity;
    for (; row < length && timeMs[row]! <= nextMs; row++) if (units[row]! < minUnits) minUnits = units[row]!;
    const endUnits = units[row - 1]!;
    const isSolvent = beforeUnits > 0 && minUnits > 0;
    // The returns within an hour compound to the change from its first to its last equity, so one logarithm for each hour is enough.
    logReturns[(hour + DAYS_AFTER_MONDAY * 24) % WEEK_HOURS]! += isSolvent
      ? Math.log(endUnits / beforeUnits)
      : ruinedReturn(units, first, row, beforeUnits);
    beforeUnits = endUnits;
  }
  return Array.from(logReturns, (sum) => roundedFraction(Math.expm1(sum)));
}

/** Returns the sum of the logarithms of the returns in rows [from, to), where equity is zero or less. */
function ruinedReturn(units: Float64Array, from: number, to: number, startUnits: number): number {
  let logSum = 0;
  let beforeUnits = startUnits;
  for (let row = from; row < to; row++) {
    const currentUnits = units[row]!;
    // An equity of zero or less is a total loss. No return follows it.
    if (currentUnits !== beforeUnits && beforeUnits > 0) logSum += Math.log(Math.max(currentUnits, 0) / beforeUnits);
    beforeUnits = currentUnits;
  }
  return logSum;
}
