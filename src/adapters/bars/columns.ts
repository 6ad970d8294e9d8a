// Making and joining bar columns.

import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import type { BarColumns } from '../../model/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closeOf, fixedLengthMs, type Interval } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';

/** What a file holds; the end of a bar follows from its interval. */
export interface RawColumns {
  readonly length: number;
  readonly openMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}
export const RAW = ['openMs', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Columns of `length` zeros, each in memory of its own. */
export function emptyColumns(length: number): RawColumns {
  const column = () => new Float64Array(length);
  return { length, openMs: column(), open: column(), high: column(), low: column(), close: column(), volume: column() };
}

/** Bars over the same arrays, with the end of each bar. */
export function barsOf(raw: RawColumns, instrument: Instrument, interval: Interval): BarColumns {
  return { instrument, interval, ...raw, closeMs: closesOf(raw.openMs, interval) };
}

export function closesOf(openMs: Float64Array, interval: Interval): Float64Array {
  const closeMs = new Float64Array(openMs.length);
  const length = fixedLengthMs(interval);
  if (length === null) for (let i = 0; i < openMs.length; i++) closeMs[i] = closeOf(interval, openMs[i]!);
  else for (let i = 0; i < openMs.length; i++) closeMs[i] = openMs[i]! + length;
  return closeMs;
}

/** The rows from `from` to `to` (exclusive), copied. */
export function sliceColumns(raw: RawColumns, from: number, to: number): RawColumns {
  const out = emptyColumns(Math.max(0, to - from));
  for (const name of RAW) out[name].set(raw[name].subarray(from, to));
  return out;
}

/** The first row of rising times that is at `ms` or later; the length when there is none. */
export function rowAt(openMs: Float64Array, ms: number): number {
  let [low, high] = [0, openMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (openMs[middle]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface NamedColumns {
  /** As messages call it: a file, or the catalog. */
  readonly name: string;
  readonly raw: RawColumns;
  /** The last row had not closed when it was taken down; a later source may state it anew. */
  readonly openLastBar: boolean;
}

/**
 * Both sets in order of time (each is strictly rising). A row that both have must be the same in both, else ConfigError names the first
 * that is not; only the last row of a set that says so (`openLastBar`) gives way to the other's.
 */
export function joinColumns(a: NamedColumns, b: NamedColumns): RawColumns {
  const [x, y] = [a.raw, b.raw];
  const both = emptyColumns(x.length + y.length - countShared(x.openMs, y.openMs));
  let [i, j, n] = [0, 0, 0];
  while (i < x.length || j < y.length) {
    const [mine, theirs] = [i < x.length ? x.openMs[i]! : Infinity, j < y.length ? y.openMs[j]! : Infinity];
    const same = mine === theirs;
    let takeSecond = mine > theirs;
    if (same) {
      const differs = RAW.find((name) => x[name][i] !== y[name][j]);
      if (differs !== undefined) {
        takeSecond = a.openLastBar && i === x.length - 1;
        if (!takeSecond && !(b.openLastBar && j === y.length - 1)) throw conflict(a, i, b, j, differs);
      }
    }
    const [from, row] = takeSecond ? [y, j] : [x, i];
    for (const name of RAW) both[name][n] = from[name][row]!;
    n++;
    if (same || !takeSecond) i++;
    if (same || takeSecond) j++;
  }
  assert(n === both.length, `joined ${n} rows, expected ${both.length}`);
  return both;
}

function countShared(a: Float64Array, b: Float64Array): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [x, y] = [a[i]!, b[j]!];
    if (x === y) shared++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return shared;
}

function conflict(a: NamedColumns, i: number, b: NamedColumns, j: number, column: (typeof RAW)[number]): ConfigError {
  const figures = `${column} ${b.raw[column][j]} against ${a.raw[column][i]}`;
  return new ConfigError(
    `${b.name}: the bar of ${formatTime(b.raw.openMs[j]!)} differs from that of ${a.name}: ${figures}`,
    'import one of the two only, or keep them in separate catalogs (--catalog DIR)',
  );
}
