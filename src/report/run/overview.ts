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
const MINUTE = 60_000;

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
export function positionChanges(index: RunIndex, instrument: number): HoldingChanges {
  const { record } = index;
  const { fills, instruments } = record;
  const { quantityDigits, baseDigits } = instruments[instrument]!;
  const isShort = shortsOf(record);
  const unitsPerLot = pow10(baseDigits - quantityDigits);
  const rows = index.fillsOf(instrument);
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
    minutes: Array.from(timeMs, (ms) => Math.round(ms / MINUTE)),
    equity: units.map(money),
    hold: held === null ? null : Array.from(held, (growth) => money(growth * startUnits)),
    drawdown: drawdown.map(fraction),
    exposure: exposureAt(index, timeMs, units).map(fraction),
    band: equityBand === null ? null : { low: bandSide(equityBand.low), high: bandSide(equityBand.high) },
  };
}

const fraction = (value: number) => Number(value.toFixed(5));

/** Returns the rows of the lowest and the highest value in each span of rows, ascending. The last row is always included. */
function extremeRows(values: Float64Array, length: number): number[] {
  const rows: number[] = [];
  const spans = Math.min(SPANS, length);
  for (let span = 0; span < spans; span++) {
    const from = Math.floor((span * length) / spans);
    const to = Math.floor(((span + 1) * length) / spans);
    const { low, high } = extremes(values, from, to);
    if (low !== high) rows.push(Math.min(low, high));
    rows.push(Math.max(low, high));
  }
  if (length > 0 && rows.at(-1) !== length - 1) rows.push(length - 1);
  return rows;
}

/** Returns the first rows of the lowest and of the highest value of [from, to). Hot: docs/performance.md#index-loops. */
function extremes(values: Float64Array, from: number, to: number): { readonly low: number; readonly high: number } {
  let low = from;
  let high = from;
  let min = values[from]!;
  let max = min;
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!;
    if (value < min) {
      min = value;
      low = i;
    } else if (value > max) {
      max = value;
      high = i;
    }
  }
  return { low, high };
}

/** Returns the deepest drawdown between each of `rows` and the row before it in the list. */
function worstUpTo(rows: readonly number[], values: Float64Array, start: number): number[] {
  let peak = start;
  let from = 0;
  return rows.map((row) => {
    let worst = 0;
    // The lowest value since a peak is the deepest fall from it, so one division for each peak is enough.
    let low = Infinity;
    for (; from <= row; from++) {
      const value = values[from]!;
      if (value > peak) {
        worst = Math.min(worst, low / peak - 1);
        peak = value;
        low = Infinity;
      } else if (value < low) low = value;
    }
    return Math.min(worst, low / peak - 1);
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

const HOUR = 3_600_000;
/** 1970-01-01 was a Thursday, and the week here starts on Monday. */
const FIRST_DAY = 3;

/** Returns the compounded return in each hour of the week (Monday 00:00 to 01:00 UTC first). Together they give the return of the run. */
export function returnsByHour({ equity, startUnits }: RunRecord): number[] {
  const logs = new Float64Array(7 * 24);
  const { timeMs, units, length } = equity;
  let before = startUnits;
  for (let row = 0; row < length;) {
    // A bar closes at the first instant of the next hour, but its return belongs to the hour before.
    const hour = Math.floor((timeMs[row]! - 1) / HOUR);
    const nextMs = (hour + 1) * HOUR;
    const first = row;
    let low = Infinity;
    for (; row < length && timeMs[row]! <= nextMs; row++) if (units[row]! < low) low = units[row]!;
    const end = units[row - 1]!;
    // The returns within an hour compound to the change from its first to its last equity, so one logarithm for each hour is enough.
    logs[(hour + FIRST_DAY * 24) % (7 * 24)]! += before > 0 && low > 0 ? Math.log(end / before) : ruinedReturn(units, first, row, before);
    before = end;
  }
  return Array.from(logs, (sum) => fraction(Math.expm1(sum)));
}

/** Returns the sum of the logarithms of the returns in rows [from, to), where equity is zero or less. */
function ruinedReturn(units: Float64Array, from: number, to: number, start: number): number {
  let sum = 0;
  let before = start;
  for (let row = from; row < to; row++) {
    const now = units[row]!;
    // An equity of zero or less is a total loss. No return follows it.
    if (now !== before && before > 0) sum += Math.log(Math.max(now, 0) / before);
    before = now;
  }
  return sum;
}
