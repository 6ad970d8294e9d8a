// The whole run in about 2,000 points: the first picture, which the page draws before anything is unpacked.

import { pow10 } from '../../base/number/exact.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { buyAndHold, countUpTo, executionFeeds } from '../series/daily.ts';
import { contractValueAt } from '../kernels/contractValue.ts';
import { contractFaceOf } from '../metrics/instrumentValue.ts';
import { shortsOf } from '../trades/positions.ts';
import { meanPosition, type PositionChanges } from './page/rows/exposure.ts';
import type { WireOverview } from '../page/wire.ts';

/** Number of spans. Each contributes its lowest and its highest equity. */
const SPANS = 1000;
const MINUTE = 60_000;

interface Changes extends PositionChanges {
  readonly ms: Float64Array;
  /** In units of the base asset. */
  readonly units: Float64Array;
}

/**
 * Returns the changes of the base-asset holding by the fills of one instrument, including fees paid in that asset. A short beside a long
 * adds to the holding, because both are in the market.
 */
export function positionChanges(record: RunRecord, instrument: number): Changes {
  const { fills, instruments } = record;
  const { quantityDigits, baseDigits } = instruments[instrument]!;
  const isShort = shortsOf(record);
  const unitsPerLot = pow10(baseDigits - quantityDigits);
  const ms = new Float64Array(fills.length);
  const units = new Float64Array(fills.length);
  let length = 0;
  for (let row = 0; row < fills.length; row++) {
    if (fills.instrument[row] !== instrument) continue;
    const isMore = (fills.side[row] === 0) !== (isShort?.(row) === true);
    const bought = fills.lots[row]! * (isMore ? unitsPerLot : -unitsPerLot);
    ms[length] = fills.timeMs[row]!;
    units[length++] = bought - (fills.feeInBase[row] === 1 ? fills.fee[row]! : 0);
  }
  const perUnit = pow10(baseDigits);
  const own = units.subarray(0, length);
  return { length, ms: ms.subarray(0, length), units: own, change: own.map((of) => of / perUnit) };
}

export function overviewOf(record: RunRecord): WireOverview {
  const { equity, startUnits } = record;
  const rows = extremeRows(equity.units, equity.length);
  const timeMs = Float64Array.from([record.fromMs, ...rows.map((row) => equity.timeMs[row]!)]);
  const units = [startUnits, ...rows.map((row) => equity.units[row]!)];
  const drawdown = [0, ...worstUpTo(rows, equity.units, startUnits)];
  const perUnit = pow10(record.reportingDigits);
  const money = (value: number) => Number((value / perUnit).toPrecision(8));
  const held = buyAndHold(record, timeMs);
  return {
    minutes: Array.from(timeMs, (ms) => Math.round(ms / MINUTE)),
    equity: units.map(money),
    hold: held === null ? null : Array.from(held, (growth) => money(growth * startUnits)),
    drawdown: drawdown.map(fraction),
    exposure: exposureAt(record, timeMs, units).map(fraction),
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
    let low = from;
    let high = from;
    for (let i = from + 1; i < to; i++) {
      if (values[i]! < values[low]!) low = i;
      if (values[i]! > values[high]!) high = i;
    }
    if (low !== high) rows.push(Math.min(low, high));
    rows.push(Math.max(low, high));
  }
  if (length > 0 && rows.at(-1) !== length - 1) rows.push(length - 1);
  return rows;
}

/** Returns the deepest drawdown between each of `rows` and the row before it in the list. */
function worstUpTo(rows: readonly number[], values: Float64Array, start: number): number[] {
  let peak = start;
  let from = 0;
  return rows.map((row) => {
    let worst = 0;
    for (; from <= row; from++) {
      const value = values[from]!;
      if (value > peak) peak = value;
      const down = value / peak - 1;
      if (down < worst) worst = down;
    }
    return worst;
  });
}

/** Returns the mean absolute position since the previous instant, valued at the last close, as a fraction of equity. */
function exposureAt(record: RunRecord, timeMs: Float64Array, units: readonly number[]): number[] {
  const notional = new Float64Array(timeMs.length);
  for (const { bars } of executionFeeds(record.feeds)) {
    const amount = contractFaceOf(bars.instrument);
    const mean = meanPosition(timeMs, positionChanges(record, instrumentOf(record, bars.instrument.id)));
    for (let k = 1; k < timeMs.length; k++) {
      const row = countUpTo(bars.closeMs, bars.length, timeMs[k]!) - 1;
      if (row >= 0) notional[k]! += mean[k - 1]! * contractValueAt(amount, bars.close[row]!);
    }
  }
  const perUnit = pow10(record.reportingDigits);
  return units.map((value, k) => (value > 0 ? (notional[k]! * perUnit) / value : 0));
}

const HOUR = 3_600_000;
/** 1970-01-01 was a Thursday, and the week here starts on Monday. */
const FIRST_DAY = 3;

/** Returns the compounded return in each hour of the week (Monday 00:00 to 01:00 UTC first). Together they give the return of the run. */
export function returnsByHour({ equity, startUnits }: RunRecord): number[] {
  const logs = new Float64Array(7 * 24);
  let before = startUnits;
  for (let row = 0; row < equity.length; row++) {
    const now = equity.units[row]!;
    if (now !== before && before > 0) {
      // A bar closes at the first instant of the next hour, but its return belongs to the hour before.
      const hour = Math.floor((equity.timeMs[row]! - 1) / HOUR) + FIRST_DAY * 24;
      // An equity of zero or less is a total loss. After it there is no return.
      logs[hour % (7 * 24)]! += Math.log(Math.max(now, 0) / before);
    }
    before = now;
  }
  return Array.from(logs, (sum) => fraction(Math.expm1(sum)));
}

/** Returns the position of an instrument in `RunRecord.instruments`. */
export function instrumentOf({ instruments }: RunRecord, id: string): number {
  return instruments.findIndex((instrument) => instrument.id === id);
}
