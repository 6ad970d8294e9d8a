// Creates and slices the columns of bars: one typed array for each of open time, prices and volume.

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
/** The names of the columns in the order of the files. */
export const RAW = ['openMs', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Up to this many rows, prices and volume are parts of one array, of 336 MB at most. */
const MAX_SHARED_ROWS = 8_388_608;
/** Number of the columns other than open times. */
const VALUE_COLUMNS = RAW.length - 1;

/** Memory of open times with one unused number after them. Without gaps, `closesOf` uses it for the last close time. */
const withFreePlace = new WeakSet<ArrayBufferLike>();

/** Returns columns of `length` zeros that do not overlap. Hot: docs/performance.md#one-array. */
export function emptyColumns(length: number): RawColumns {
  const isShared = length <= MAX_SHARED_ROWS;
  const memory = isShared ? new Float64Array(length * VALUE_COLUMNS) : null;
  const column = (index: number) => memory?.subarray(index * length, (index + 1) * length) ?? new Float64Array(length);
  const [open, high, low, close, volume] = [column(0), column(1), column(2), column(3), column(4)];
  // Times have memory of their own, which is freed where instruments share their times.
  const times = new Float64Array(length + 1);
  withFreePlace.add(times.buffer);
  return { length, openMs: times.subarray(0, length), open, high, low, close, volume };
}

/** Returns bars over the same arrays, with close times added. */
export function barsOf(raw: RawColumns, instrument: Instrument, interval: Interval): BarColumns {
  return { instrument, interval, ...raw, closeMs: closesOf(raw.openMs, interval) };
}

/**
 * Returns the close times of bars, ms UTC. Only months need the calendar. Without gaps, each bar closes when the next one opens. Then the
 * close times share the memory of the open times from the second on, if that memory has the unused number.
 */
export function closesOf(openMs: Float64Array, interval: Interval): Float64Array {
  const lengthMs = fixedLengthMs(interval);
  const rows = openMs.length;
  if (lengthMs !== null && rows > 0 && hasFreePlace(openMs) && haveNoGaps(openMs, lengthMs)) {
    const closeMs = new Float64Array(openMs.buffer, openMs.byteOffset + openMs.BYTES_PER_ELEMENT, rows);
    closeMs[rows - 1] = openMs[rows - 1]! + lengthMs;
    return closeMs;
  }
  const closeMs = new Float64Array(rows);
  if (lengthMs === null) for (let i = 0; i < rows; i++) closeMs[i] = closeOf(interval, openMs[i]!);
  else for (let i = 0; i < rows; i++) closeMs[i] = openMs[i]! + lengthMs;
  return closeMs;
}

/** True when an unused number follows these open times in memory. */
function hasFreePlace({ buffer, byteOffset, byteLength, BYTES_PER_ELEMENT }: Float64Array): boolean {
  return withFreePlace.has(buffer) && byteOffset + byteLength + BYTES_PER_ELEMENT === buffer.byteLength;
}

/** True when each bar opens when the bar before it closes. `lengthMs`: length of a bar. */
function haveNoGaps(openMs: Float64Array, lengthMs: number): boolean {
  for (let row = 1; row < openMs.length; row++) if (openMs[row] !== openMs[row - 1]! + lengthMs) return false;
  return true;
}

/** Returns a copy of the rows from `from` to `to` (exclusive). */
export function sliceColumns(raw: RawColumns, from: number, to: number): RawColumns {
  const slice = emptyColumns(Math.max(0, to - from));
  for (const name of RAW) slice[name].set(raw[name].subarray(from, to));
  return slice;
}

/** Returns the first row with a time of at least `ms`; the length if there is no such row. Times must rise. */
export const firstRowAtOrAfter = (openMs: Float64Array, ms: number): number => firstFrom(openMs, openMs.length, ms);
