// Stores mark prices and funding rates in the catalog, one Arrow file each, beside the bars of their contract.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { bytesOf, writeArrowColumns, type ArrowColumn } from '../arrow/arrowWriter.ts';
import { withArrowFile, type ArrowFile } from '../arrow/arrowReader.ts';
import { checkSymbol, listSeries, seriesPath, type SeriesKey } from '../files/paths.ts';
import { FIGURES, seriesGapsOf, isSameFunding, seriesProblem, TIME_COLUMNS, type SeriesColumns, type SeriesGaps } from './seriesColumns.ts';

/** Version of the layout, written into each file. Raise it with every change of the layout. */
const LAYOUT = '2';

/** A stored series as described by its metadata. */
export interface SeriesEntry extends SeriesGaps {
  readonly key: SeriesKey;
  readonly path: string;
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly synthetic: boolean;
  /** Hash of the columns as isobar wrote them. */
  readonly dataSha256: string;
}

/** The result of a check of all rows. */
export interface CheckedSeries<Seen = null> extends SeriesEntry {
  /** False if the file has changed since isobar wrote it. */
  readonly unchanged: boolean;
  /** Rows that break a rule. */
  readonly wrong: number;
  /** The result of `inspect`. */
  readonly seen: Seen;
}

/** Rows of a series, and its entry. */
export interface LoadedSeries {
  readonly columns: SeriesColumns;
  readonly entry: SeriesEntry;
}

/** Stores a series, replacing the existing one: writes a temporary file, reads it back, and renames it. Throws ConfigError. */
export function storeSeries(catalog: string, key: SeriesKey, columns: SeriesColumns, synthetic: boolean): SeriesEntry {
  checkSymbol(key.symbol);
  const path = seriesPath(catalog, key);
  const { gaps, missing } = seriesGapsOf(key, columns.timeMs);
  const dataSha256 = hashOf(columns);
  const storedColumns: ArrowColumn[] = [
    { name: TIME_COLUMNS[key.kind], kind: 'timestamp', values: columns.timeMs },
    ...columns.figures.map((values, i) => ({ name: FIGURES[key.kind][i]!, kind: 'float64' as const, values })),
  ];
  const metadata = {
    isobar: LAYOUT,
    kind: key.kind,
    market: 'futures',
    symbol: key.symbol,
    interval: key.kind === 'mark' ? key.interval : '',
    synthetic: String(synthetic),
    digits: String(columns.digits),
    gaps: String(gaps),
    missing: String(missing),
    data_sha256: dataSha256,
  };
  writeArrowColumns(path, storedColumns, metadata, {
    isDurable: true,
    verify: (temporary) =>
      withArrowFile(temporary, (file) => {
        if (hashOf(rowsOf(file, key, 0, file.rows)) !== dataSha256)
          throw new ConfigError(`${path}: what was written reads back differently`, 'check the disk');
      }),
  });
  return entryOf(key, path, columns, { gaps, missing, synthetic, dataSha256 });
}

/** Returns the rows from `fromMs` to `toMs` (exclusive), or null if the catalog has no such series. */
export function loadSeries(catalog: string, key: SeriesKey, fromMs = -Infinity, toMs = Infinity): LoadedSeries | null {
  const path = seriesPath(catalog, key);
  if (!existsSync(path)) return null;
  return withArrowFile(path, (file) => {
    const facts = statedFacts(file);
    const from = fromMs === -Infinity ? 0 : file.rowAt(TIME_COLUMNS[key.kind], fromMs);
    const to = toMs === Infinity ? file.rows : file.rowAt(TIME_COLUMNS[key.kind], toMs);
    const columns = checkedRowsOf(file, key, from, Math.max(from, to));
    return { columns, entry: entryOf(key, path, columns, facts) };
  });
}

/** Returns the entries of all series in the catalog. */
export function listSeriesEntries(catalog: string): SeriesEntry[] {
  return listSeries(catalog).map((key) => readUnverified(key, seriesPath(catalog, key)).entry);
}

/** Checks all rows of a series and passes them to `inspect`. Throws ConfigError if it cannot be read at all. */
export function checkSeries(catalog: string, key: SeriesKey): CheckedSeries;
export function checkSeries<Seen>(
  catalog: string,
  key: SeriesKey,
  inspect: (key: SeriesKey, columns: SeriesColumns) => Seen,
): CheckedSeries<Seen>;
export function checkSeries<Seen>(
  catalog: string,
  key: SeriesKey,
  inspect?: (key: SeriesKey, columns: SeriesColumns) => Seen,
): CheckedSeries<Seen | null> {
  const path = seriesPath(catalog, key);
  if (!existsSync(path)) throw new ConfigError(`${path}: there is no such series`, 'isobar data list shows what the catalog has');
  // Read without checksums, because this check reports whether the bytes have changed.
  const { columns, entry } = readUnverified(key, path);
  const { timeMs, figures, digits } = columns;
  let wrong = 0;
  for (let row = 0; row < columns.length; row++) {
    const isOutOfOrder = row > 0 && timeMs[row]! <= timeMs[row - 1]!;
    const isRepeated = row > 0 && key.kind === 'funding' && isSameFunding(timeMs[row - 1]!, timeMs[row]!);
    const values = figures.map((column) => column[row]!);
    if (isOutOfOrder || isRepeated || seriesProblem(key, timeMs[row]!, values, digits) !== null) wrong++;
  }
  return {
    ...entry,
    ...seriesGapsOf(key, timeMs),
    unchanged: hashOf(columns) === entry.dataSha256 && withArrowFile(path, (file) => file.isUnchanged()),
    wrong,
    seen: inspect?.(key, columns) ?? null,
  };
}

/** Returns all rows of a file as it is now, without verifying its checksums. */
function readUnverified(key: SeriesKey, path: string): LoadedSeries {
  return withArrowFile(path, (file) => {
    const columns = rowsOf(file, key, 0, file.rows);
    return { columns, entry: entryOf(key, path, columns, statedFacts(file)) };
  });
}

/** Returns the rows [from, to) of a file. */
function rowsOf(file: ArrowFile, key: SeriesKey, from: number, to: number): SeriesColumns {
  const column = () => new Float64Array(to - from);
  const timeMs = column();
  const figures = FIGURES[key.kind].map(column);
  file.readTimes(TIME_COLUMNS[key.kind], from, timeMs);
  FIGURES[key.kind].forEach((name, i) => file.readFloats(name, from, figures[i]!));
  return { length: to - from, timeMs, figures, digits: Number(file.metadata.get('digits') ?? 0) };
}

/** Returns the rows [start, end) of a series. Reads the whole file once and verifies its checksums. */
function checkedRowsOf(file: ArrowFile, key: SeriesKey, start: number, end: number): SeriesColumns {
  const column = () => new Float64Array(end - start);
  const timeMs = column();
  const figures = FIGURES[key.kind].map(column);
  file.readWhole(start, end, null, (from, to) => {
    file.readTimes(TIME_COLUMNS[key.kind], from, timeMs.subarray(from - start, to - start));
    FIGURES[key.kind].forEach((name, i) => file.readFloats(name, from, figures[i]!.subarray(from - start, to - start)));
  });
  return { length: end - start, timeMs, figures, digits: Number(file.metadata.get('digits') ?? 0) };
}

/** What the metadata of a file states. */
type StatedFacts = Pick<SeriesEntry, 'gaps' | 'missing' | 'synthetic' | 'dataSha256'>;

/** Returns the metadata of a file. Throws ConfigError for a file of another program or version. */
function statedFacts(file: ArrowFile): StatedFacts {
  file.requireLayout(LAYOUT);
  const { metadata } = file;
  return {
    gaps: Number(metadata.get('gaps') ?? 0),
    missing: Number(metadata.get('missing') ?? 0),
    synthetic: metadata.get('synthetic') === 'true',
    dataSha256: metadata.get('data_sha256') ?? '',
  };
}

function entryOf(key: SeriesKey, path: string, { timeMs, length }: SeriesColumns, facts: StatedFacts): SeriesEntry {
  return { key, path, rows: length, firstMs: timeMs[0] ?? NaN, lastMs: timeMs[length - 1] ?? NaN, ...facts };
}

/** Returns the SHA-256 of the columns, one after the other. */
function hashOf({ timeMs, figures, length }: SeriesColumns): string {
  const hash = createHash('sha256');
  for (const column of [timeMs, ...figures]) hash.update(bytesOf(column, 0, length));
  return hash.digest('hex');
}
