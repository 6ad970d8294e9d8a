// Imports mark prices and funding rates: reads files, merges them with the catalog, and stores each series completely or not at all.

import { basename } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';
import { firstRowAtOrAfter } from '../files/columns.ts';
import { wireName } from './fileNames.ts';
import { checkSymbol, lockPath, seriesPath, type SeriesKey } from '../files/paths.ts';
import { inspectFile } from '../readers/packedFile.ts';
import { whileStoreLocked } from '../files/storeLock.ts';
import { MARK_INTERVALS, parseMarkInterval, type MarkInterval } from '../files/markInterval.ts';
import { FIGURES, isSameFunding, type SeriesColumns } from '../series/seriesColumns.ts';
import { readSeries } from '../series/seriesFile.ts';
import { loadSeries, storeSeries, type LoadedSeries, type SeriesEntry } from '../series/seriesStore.ts';

/** What an import of mark prices or funding rates takes. Without symbol or interval, the name of each file supplies them. */
export interface SeriesImport {
  readonly catalog: string;
  readonly kind: SeriesKey['kind'];
  /** If absent, read from file names such as BTCUSDT-1h.csv.gz, or BTCUSDT.csv.gz for funding. */
  readonly symbol?: string | undefined;
  readonly interval?: MarkInterval | undefined;
}

/** The result of an import of one series. */
export interface ImportedSeries {
  readonly files: readonly string[];
  /** Rows in the files, and how many of them were new. */
  readonly fileRows: number;
  readonly newRows: number;
  /** The whole series as now stored. */
  readonly entry: SeriesEntry;
}

/** Imports files. Those of one symbol and interval form one series. Throws ConfigError with file, line and reason. */
export async function importSeries(files: readonly string[], options: SeriesImport): Promise<readonly ImportedSeries[]> {
  const sets = new Map<string, { key: SeriesKey; files: string[] }>();
  for (const file of files) {
    // Report a missing file before an incomplete file name.
    inspectFile(file);
    const key = seriesKeyOf(file, options);
    const path = seriesPath(options.catalog, key);
    const set = sets.get(path) ?? { key, files: [] };
    sets.set(path, set);
    set.files.push(file);
  }
  const imported: ImportedSeries[] = [];
  for (const set of sets.values()) imported.push(await importOneSeries(set.key, set.files, options.catalog));
  return imported;
}

/** Rows and the file that has them. */
interface FileRows {
  readonly columns: SeriesColumns;
  readonly path: string;
}

/** Reads the files of one series, then stores them while no other process writes to the symbol. */
async function importOneSeries(key: SeriesKey, files: readonly string[], catalog: string): Promise<ImportedSeries> {
  loadImported(catalog, key);
  const filesRead: FileRows[] = [];
  for (const file of files) filesRead.push({ path: file, columns: await readSeries(file, key) });
  return whileStoreLocked(lockPath(catalog, { market: 'futures', symbol: key.symbol }), () => mergeAndStore(key, filesRead, catalog));
}

/** Returns the stored series, or null. Throws ConfigError if its rows were generated. */
function loadImported(catalog: string, key: SeriesKey): LoadedSeries | null {
  const stored = loadSeries(catalog, key);
  if (stored?.entry.synthetic !== true) return stored;
  throw new ConfigError(
    `${seriesPath(catalog, key)}: these rows were generated, not imported`,
    'remove the file, or import into another catalog (--catalog DIR)',
  );
}

/** Merges the rows of all files with the stored ones, in order, and stores the series. */
function mergeAndStore(key: SeriesKey, filesRead: readonly FileRows[], catalog: string): ImportedSeries {
  const stored = loadImported(catalog, key);
  let merged = stored?.columns ?? null;
  let fileRows = 0;
  for (const fileRead of filesRead) {
    fileRows += fileRead.columns.length;
    merged = merged === null ? fileRead.columns : mergeRows(key, { columns: merged, path: seriesPath(catalog, key) }, fileRead);
  }
  if (merged === null) throw new ConfigError('no file to import', 'name one or more files');
  const newRows = merged.length - (stored?.columns.length ?? 0);
  const entry = newRows === 0 && stored !== null ? stored.entry : storeSeries(catalog, key, merged, false);
  return { files: filesRead.map(({ path }) => path), fileRows, newRows, entry };
}

/** Merges the rows of two files in time order; equal rows become one. Throws ConfigError if rows of one time differ. */
function mergeRows(key: SeriesKey, { columns: earlier, path }: FileRows, { columns: added, path: file }: FileRows): SeriesColumns {
  const rows = new Map<number, readonly number[]>();
  for (const { timeMs, figures, length } of [earlier, added]) {
    for (let row = 0; row < length; row++) {
      const values = figures.map((column) => column[row]!);
      const rowMs = timeIn(earlier, timeMs[row]!, key);
      const earlierValues = rows.get(rowMs);
      if (earlierValues?.some((value, index) => value !== values[index]) === true) {
        throw new ConfigError(
          `${file}: the row of ${formatTime(timeMs[row]!)} is ${values.join(', ')}, but ${earlierValues.join(', ')} in ${path}`,
          'find out which is right; nothing was imported',
        );
      }
      rows.set(rowMs, values);
    }
  }
  const sorted = [...rows].toSorted(([a], [b]) => a - b);
  return {
    length: sorted.length,
    timeMs: Float64Array.from(sorted, ([rowMs]) => rowMs),
    figures: FIGURES[key.kind].map((_, index) => Float64Array.from(sorted, ([, values]) => values[index]!)),
    digits: Math.max(earlier.digits, added.digits),
  };
}

/** Returns the time under which the columns have a row: `rowMs` itself for marks. A stored funding time may differ by its jitter. */
function timeIn({ timeMs }: SeriesColumns, rowMs: number, key: SeriesKey): number {
  if (key.kind === 'mark') return rowMs;
  const after = firstRowAtOrAfter(timeMs, rowMs);
  return [timeMs[after], timeMs[after - 1]].find((knownMs) => knownMs !== undefined && isSameFunding(knownMs, rowMs)) ?? rowMs;
}

/** File names such as BTCUSDT-1h.csv.gz, BTC_USDT_USDT-8h-mark.feather, BTCUSDT.csv or BTCUSDT-fundingRate-2024-01.zip. */
const SERIES_FILE_NAME = /^([A-Z0-9][A-Z0-9_]*)(?:-(\d+[a-z]+))?(?:-[\w-]+)?\./;

/** Returns the series to which a file belongs. Throws ConfigError if neither an option nor its name supplies symbol and interval. */
function seriesKeyOf(file: string, { kind, symbol, interval }: SeriesImport): SeriesKey {
  const [, symbolInName, intervalInName] = SERIES_FILE_NAME.exec(basename(file)) ?? [];
  const symbolText = symbol ?? symbolInName;
  if (symbolText === undefined) throw new ConfigError(`${file}: the name does not say the symbol`, 'give it by --symbol');
  const isFromName = symbol === undefined;
  const checkedSymbol = checkSymbol(isFromName ? wireName(symbolText) : symbolText, undefined, isFromName ? `${file}: ` : '');
  if (kind === 'funding') return { kind, symbol: checkedSymbol };
  const markInterval = interval ?? parseMarkInterval(intervalInName ?? '');
  if (markInterval === null) {
    throw new ConfigError(`${file}: the name does not say the interval`, `give it by --interval, one of ${MARK_INTERVALS.join(' ')}`);
  }
  return { kind, symbol: checkedSymbol, interval: markInterval };
}
