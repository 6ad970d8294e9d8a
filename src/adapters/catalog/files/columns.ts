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

/** Arrays whose last number is the place behind the open times of `emptyColumns`. Nothing else uses it. */
const withFreePlace = new WeakSet<ArrayBufferLike>();

/** Returns columns of `length` zeros that do not overlap. Hot: docs/performance.md#one-array. */
export function emptyColumns(length: number): RawColumns {
  const isShared = length <= SHARED_ROWS;
  // The open times stand last, with one more place: see `closesOf`.
  const all = new Float64Array((isShared ? length * RAW.length : length) + 1);
  withFreePlace.add(all.buffer);
  const column = (at: number) => (isShared ? all.subarray(at * length, (at + 1) * length) : new Float64Array(length));
  const [open, high, low, close, volume] = [column(0), column(1), column(2), column(3), column(4)];
  return { length, openMs: all.subarray(all.length - 1 - length, all.length - 1), open, high, low, close, volume };
}

/** Returns bars over the same arrays, with close times added. */
export function barsOf(raw: RawColumns, instrument: Instrument, interval: Interval): BarColumns {
  return { instrument, interval, ...raw, closeMs: closesOf(raw.openMs, interval) };
}

/**
 * Returns the close times of bars, ms UTC. Only months need the calendar. Where each bar opens when the one before it closes, they are the
 * open times from the second on, and share their memory if there is a place for the last of them.
 */
export function closesOf(openMs: Float64Array, interval: Interval): Float64Array {
  const length = fixedLengthMs(interval);
  const rows = openMs.length;
  if (length !== null && rows > 0 && hasFreePlace(openMs) && haveNoGaps(openMs, length)) {
    const closeMs = new Float64Array(openMs.buffer, openMs.byteOffset + openMs.BYTES_PER_ELEMENT, rows);
    closeMs[rows - 1] = openMs[rows - 1]! + length;
    return closeMs;
  }
  const closeMs = new Float64Array(rows);
  if (length === null) for (let i = 0; i < rows; i++) closeMs[i] = closeOf(interval, openMs[i]!);
  else for (let i = 0; i < rows; i++) closeMs[i] = openMs[i]! + length;
  return closeMs;
}

/** True when a place that nothing else uses follows these open times in memory. */
function hasFreePlace({ buffer, byteOffset, byteLength, BYTES_PER_ELEMENT }: Float64Array): boolean {
  return withFreePlace.has(buffer) && byteOffset + byteLength + BYTES_PER_ELEMENT === buffer.byteLength;
}

/** True when each bar opens where the one before it closes. `length` is that of a bar in ms. */
function haveNoGaps(openMs: Float64Array, length: number): boolean {
  for (let row = 1; row < openMs.length; row++) if (openMs[row] !== openMs[row - 1]! + length) return false;
  return true;
}

/** Returns a copy of the rows from `from` to `to` (exclusive). */
export function sliceColumns(raw: RawColumns, from: number, to: number): RawColumns {
  const out = emptyColumns(Math.max(0, to - from));
  for (const name of RAW) out[name].set(raw[name].subarray(from, to));
  return out;
}

/** Returns the first row with a time of at least `ms`; the length if there is no such row. Times must rise. */
export const firstRowAtOrAfter = (openMs: Float64Array, ms: number): number => firstFrom(openMs, openMs.length, ms);
