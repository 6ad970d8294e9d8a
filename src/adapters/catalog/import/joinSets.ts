// Merges sets of bars in time order. Rows that two sets share must be equal.

import { smallestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import { barsBetween, type Interval } from '../../../model/interval.ts';
import { formatTime } from '../../../model/time.ts';
import { emptyColumns, RAW, firstRowAtOrAfter, type RawColumns } from '../files/columns.ts';

/** Bars with strictly rising times. */
export interface BarSet {
  /** Name in messages: a file or the catalog. */
  readonly name: string;
  readonly raw: RawColumns;
  /** True if the last row was still open when recorded. Another set may update it. */
  readonly openLastBar: boolean;
  /** True for the catalog's own set. A row that a file has too is not a repeat. */
  readonly isStored: boolean;
  /** Returns the place of a row for messages. */
  readonly placeOf: (row: number) => string;
}

/** The rows of several sources as one series. */
export interface JoinedSets {
  readonly raw: RawColumns;
  readonly openLastBar: boolean;
  /** Number of rows of files that another file already had. */
  readonly repeats: number;
}

/** Position in a set that is being merged. */
interface Cursor {
  readonly set: BarSet;
  readonly order: number;
  row: number;
}

/**
 * Merges all rows of `sets` (at least one, none empty), each time once. Throws ConfigError with both places of the first difference. Only
 * the last row of a set with `openLastBar` is overridden by another set; among several such rows, that of the last set counts.
 */
export function joinSets(sets: readonly BarSet[]): JoinedSets {
  const [firstSet] = sets;
  if (firstSet && sets.length === 1) return { raw: firstSet.raw, openLastBar: firstSet.openLastBar, repeats: 0 };
  const total = sets.reduce((sum, { raw }) => sum + raw.length, 0);
  const joined = emptyColumns(total);
  // `openCursors` has the sets being merged, in the order of `sets`. `waitingCursors` has the sets that begin later, the next one last.
  // Most files follow one another, so few sets are open at once.
  const waitingCursors = sets
    .map((set, order) => ({ set, order, row: 0 }))
    .toSorted((a, b) => firstMs(b.set) - firstMs(a.set) || b.order - a.order);
  let openCursors: Cursor[] = [];
  let rows = 0;
  let repeats = 0;
  for (;;) {
    const time = Math.min(timeOf(waitingCursors.at(-1)), smallestOf(openCursors.map(timeOf)));
    if (time === Infinity) break;
    while (timeOf(waitingCursors.at(-1)) === time)
      openCursors = [...openCursors, waitingCursors.pop()!].toSorted((a, b) => a.order - b.order);
    const cursorsAtTime = openCursors.filter((cursor) => timeOf(cursor) === time);
    const chosen = chooseCursor(cursorsAtTime);
    // Copy rows that the same sets share in one piece.
    const others = openCursors.filter((cursor) => !cursorsAtTime.includes(cursor));
    const nextOtherMs = Math.min(timeOf(waitingCursors.at(-1)), smallestOf(others.map(timeOf)));
    const { set, row } = chosen;
    const length =
      cursorsAtTime.length === 1 ? firstRowAtOrAfter(set.raw.openMs, nextOtherMs) - row : equalRows(cursorsAtTime, nextOtherMs);
    for (const name of RAW) joined[name].set(set.raw[name].subarray(row, row + length), rows);
    rows += length;
    for (const cursor of cursorsAtTime) cursor.row += length;
    if (cursorsAtTime.some(isDone)) openCursors = openCursors.filter((cursor) => !isDone(cursor));
    const fileCursors = cursorsAtTime.filter((cursor) => !cursor.set.isStored);
    repeats += length * Math.max(0, fileCursors.length - 1);
  }
  const lastMs = joined.openMs[rows - 1]!;
  const setsWithLastBar = sets.filter(({ raw }) => raw.openMs[raw.length - 1] === lastMs);
  // The last bar is closed if any set has it as closed.
  const openLastBar = setsWithLastBar.every((set) => set.openLastBar);
  return { raw: rows === total ? joined : firstRows(joined, rows), openLastBar, repeats };
}

function timeOf(cursor: Cursor | undefined): number {
  return cursor?.set.raw.openMs[cursor.row] ?? Infinity;
}

function isDone({ set, row }: Cursor): boolean {
  return row === set.raw.length;
}

function firstMs({ raw }: BarSet): number {
  return raw.openMs[0]!;
}

function lastMsOf({ raw }: BarSet): number {
  return raw.openMs[raw.length - 1]!;
}

/** Returns the cursor whose row counts. All `cursorsAtTime` are at rows of one time. Throws ConfigError if closed rows differ. */
function chooseCursor(cursorsAtTime: readonly Cursor[]): Cursor {
  let chosen = cursorsAtTime[0]!;
  for (const other of cursorsAtTime.slice(1)) {
    const column = RAW.find((name) => chosen.set.raw[name][chosen.row] !== other.set.raw[name][other.row]);
    if (column === undefined) continue;
    if (isOpen(chosen.set, chosen.row)) chosen = other;
    else if (!isOpen(other.set, other.row)) throw conflictError(chosen.set, chosen.row, other.set, other.row, column);
  }
  return chosen;
}

/** Returns the number of rows that the sets share before the time `endMs`; at least 1. */
function equalRows([first, ...others]: readonly Cursor[], endMs: number): number {
  const { raw } = first!.set;
  for (let length = 1; ; length++) {
    const firstRow = first!.row + length;
    if (firstRow >= raw.length || raw.openMs[firstRow]! >= endMs) return length;
    for (const { set, row } of others) {
      if (!RAW.every((name) => set.raw[name][row + length] === raw[name][firstRow])) return length;
    }
  }
}

function isOpen({ openLastBar, raw }: BarSet, row: number): boolean {
  return openLastBar && row === raw.length - 1;
}

/** Returns the first `length` rows. The columns share the memory of `raw`. */
function firstRows(raw: RawColumns, length: number): RawColumns {
  const column = (values: Float64Array) => values.subarray(0, length);
  const { openMs, open, high, low, close, volume } = raw;
  return {
    length,
    openMs: column(openMs),
    open: column(open),
    high: column(high),
    low: column(low),
    close: column(close),
    volume: column(volume),
  };
}

/** Returns the error for two different bars of one time: row `firstRow` of `first` and row `secondRow` of `second`. */
function conflictError(first: BarSet, firstRow: number, second: BarSet, secondRow: number, column: (typeof RAW)[number]): ConfigError {
  const figures = `${column} ${second.raw[column][secondRow]} against ${first.raw[column][firstRow]}`;
  return new ConfigError(
    `${second.placeOf(secondRow)}: the bar of ${formatTime(second.raw.openMs[secondRow]!)} differs from that of ${first.placeOf(firstRow)}: ${figures}`,
    'import one of the two only, or keep them in separate catalogs (--catalog DIR); nothing was imported',
  );
}

/** Bars missing between two consecutive files. */
export interface FileGap {
  readonly after: string;
  readonly before: string;
  /** Open time (ms UTC) of the last bar before the gap. */
  readonly afterMs: number;
  readonly bars: number;
}

/** Returns the gaps between files of one interval, in time order. */
export function gapsBetween(sets: readonly BarSet[], interval: Interval): FileGap[] {
  const gaps: FileGap[] = [];
  const inOrder = sets.toSorted((a, b) => firstMs(a) - firstMs(b));
  // The set that ends last among those already visited.
  let latest: BarSet | null = null;
  for (const set of inOrder) {
    if (latest === null) {
      latest = set;
      continue;
    }
    const lastMs = lastMsOf(latest);
    const bars = barsBetween(interval, lastMs, firstMs(set)) - 1;
    if (bars > 0) gaps.push({ after: latest.name, before: set.name, afterMs: lastMs, bars });
    if (lastMsOf(set) > lastMs) latest = set;
  }
  return gaps;
}
