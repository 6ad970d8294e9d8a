// Creates and slices bar columns.

import { firstFrom } from '../../../base/number/search.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { closeOf, fixedLengthMs, type Interval } from '../../../model/interval.ts';

/** The columns of a file. A bar's close time follows from its interval. */
export interface RawColumns {
  readonly length: number;
  readonly openMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}
/** The columns of bars in the order of the files. */
export const RAW = ['openMs', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Rows up to which columns are parts of one array, of 400 MB at most. */
const SHARED_ROWS = 8_388_608;

/** Returns columns of `length` zeros that do not overlap. Hot: docs/performance.md#one-array. */
export function emptyColumns(length: number): RawColumns {
  const all = length > SHARED_ROWS ? null : new Float64Array(length * RAW.length);
  const column = (at: number) => (all === null ? new Float64Array(length) : all.subarray(at * length, (at + 1) * length));
  return { length, openMs: column(0), open: column(1), high: column(2), low: column(3), close: column(4), volume: column(5) };
}

/** Returns bars over the same arrays, with close times added. */
export function barsOf(raw: RawColumns, instrument: Instrument, interval: Interval): BarColumns {
  return { instrument, interval, ...raw, closeMs: closesOf(raw.openMs, interval) };
}

/** Returns the close times of bars, ms UTC. Only months need the calendar. */
export function closesOf(openMs: Float64Array, interval: Interval): Float64Array {
  const closeMs = new Float64Array(openMs.length);
  const length = fixedLengthMs(interval);
  if (length === null) for (let i = 0; i < openMs.length; i++) closeMs[i] = closeOf(interval, openMs[i]!);
  else for (let i = 0; i < openMs.length; i++) closeMs[i] = openMs[i]! + length;
  return closeMs;
}

/** Returns a copy of the rows from `from` to `to` (exclusive). */
export function sliceColumns(raw: RawColumns, from: number, to: number): RawColumns {
  const out = emptyColumns(Math.max(0, to - from));
  for (const name of RAW) out[name].set(raw[name].subarray(from, to));
  return out;
}

/** Returns the first row with a time of at least `ms`; the length if there is no such row. Times must rise. */
export const rowAt = (openMs: Float64Array, ms: number): number => firstFrom(openMs, openMs.length, ms);
