// The whole run in about 2,000 points: the picture that a reader sees before anything is unpacked.

import { pow10 } from '../../base/exact.ts';
import type { RunRecord } from '../../model/run.ts';
import { buyAndHold, countUpTo, executionFeeds } from '../metrics/daily.ts';
import { meanPosition, type PositionChanges } from './page/exposure.ts';
import type { WireOverview } from './page/wire.ts';

/** Each gives its lowest and its highest equity. */
const SPANS = 1000;
const MINUTE = 60_000;

/** Position changes of one instrument at its fills: signed lots, and the same in the base asset. */
export function positionChanges({ fills, instruments }: RunRecord, instrument: number): PositionChanges & { readonly ms: Float64Array; readonly lots: Float64Array } {
  const perUnit = pow10(instruments[instrument]!.quantityDigits);
  const rows = Array.from({ length: fills.length }, (_, row) => row).filter((row) => fills.instrument[row] === instrument);
  const lots = Float64Array.from(rows, (row) => (fills.side[row] === 0 ? fills.lots[row]! : -fills.lots[row]!));
  return { length: rows.length, ms: Float64Array.from(rows, (row) => fills.timeMs[row]!), lots, change: lots.map((n) => n / perUnit) };
}

export function overviewOf(record: RunRecord): WireOverview {
  const { equity, startUnits } = record;
  const rows = extremeRows(equity.units, equity.length);
  const timeMs = Float64Array.from([record.fromMs, ...rows.map((row) => equity.timeMs[row]!)]);
  const units = [startUnits, ...rows.map((row) => equity.units[row]!)];
  const drawdown = [0, ...worstUpTo(rows, equity.units, startUnits)];
  const perUnit = pow10(record.reportingDigits);
  const money = (value: number) => Number((value / perUnit).toPrecision(8));
  const held = buyAndHold(record.feeds, timeMs);
  return {
    minutes: Array.from(timeMs, (ms) => Math.round(ms / MINUTE)),
    equity: units.map(money),
    hold: held === null ? null : Array.from(held, (growth) => money(growth * startUnits)),
    drawdown: drawdown.map(fraction),
    exposure: exposureAt(record, timeMs, units).map(fraction),
  };
}

const fraction = (value: number) => Number(value.toFixed(5));

/** The rows of the lowest and of the highest value in each span of rows, ascending; always the last row. */
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

/** The deepest drawdown of all rows after one of `rows` up to the next. */
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

/** Mean absolute position since the instant before, at the last close, as a fraction of equity. */
function exposureAt(record: RunRecord, timeMs: Float64Array, units: readonly number[]): number[] {
  const notional = new Float64Array(timeMs.length);
  for (const { bars } of executionFeeds(record.feeds)) {
    const mean = meanPosition(timeMs, positionChanges(record, instrumentOf(record, bars.instrument.id)));
    for (let k = 1; k < timeMs.length; k++) {
      const row = countUpTo(bars.closeMs, bars.length, timeMs[k]!) - 1;
      if (row >= 0) notional[k]! += mean[k - 1]! * bars.close[row]!;
    }
  }
  const perUnit = pow10(record.reportingDigits);
  return units.map((value, k) => (value > 0 ? (notional[k]! * perUnit) / value : 0));
}

/** Position of an instrument in `RunRecord.instruments`. */
export function instrumentOf({ instruments }: RunRecord, id: string): number {
  return instruments.findIndex((instrument) => instrument.id === id);
}
