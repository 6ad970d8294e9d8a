// Imports an external series: reads files, joins them with the catalog, and stores the series completely or not at all.

import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';
import { checkSymbol } from '../files/paths.ts';
import { whileStoreLocked } from '../files/storeLock.ts';
import {
  checkSeriesName,
  listExternal,
  externalLabel,
  externalLockPath,
  externalPath,
  type ExternalColumns,
  type ExternalKey,
} from './externalSeries.ts';
import { readExternal, type ReadRows } from './externalFile.ts';
import { loadExternal, checkExternal, storeExternal, type LoadedExternal, type ExternalManifest } from './externalStore.ts';

/** What an import of an external series takes: the series, and the columns of its files. */
export interface ExternalImport {
  readonly catalog: string;
  readonly name: string;
  readonly symbol?: string | undefined;
  /** Names of the columns in the files. Without `value`, the column of the values is detected. */
  readonly time: string;
  readonly knownAt: string;
  readonly value?: string | undefined;
}

/** The result of an import of one external series. */
export interface ImportedExternal {
  readonly files: readonly string[];
  readonly path: string;
  /** Rows in the files, and how many of them were new. */
  readonly fileRows: number;
  readonly newRows: number;
  /** The manifest of the whole series as now stored. */
  readonly manifest: ExternalManifest;
}

/** Imports files into one series. Throws ConfigError with file, line and reason; nothing is stored then. */
export async function importExternal(files: readonly string[], options: ExternalImport): Promise<ImportedExternal> {
  const { catalog, time, knownAt, value = null } = options;
  const name = checkSeriesName(options.name, '--name');
  const key: ExternalKey = { name, symbol: options.symbol === undefined ? null : checkSymbol(options.symbol) };
  // Some file systems treat names that differ by capitals only as equal.
  const similar = listExternal(catalog).find((series) => series.name !== name && series.name.toLowerCase() === name.toLowerCase());
  if (similar !== undefined)
    throw new ConfigError(
      `--name ${name}: the catalog has a series ${similar.name}`,
      'use that name, or one that differs by more than capitals',
    );
  const filesRead: ReadRows[] = [];
  for (const file of files) filesRead.push(await readExternal(file, { time, knownAt, value, series: name }));
  return whileStoreLocked(externalLockPath(catalog, key), () => mergeAndStore(key, filesRead, catalog));
}

/** Joins the rows of all files with the stored ones, and stores the series. Throws ConfigError if numbers and flags are mixed. */
function mergeAndStore(key: ExternalKey, filesRead: readonly ReadRows[], catalog: string): ImportedExternal {
  const [first] = filesRead;
  if (first === undefined) throw new ConfigError('no file to import', 'name one or more files');
  const path = externalPath(catalog, key);
  const stored = loadExternal(catalog, key);
  const kind = stored?.kind ?? first.kind;
  const otherKindFile = filesRead.find((rows) => rows.kind !== kind);
  if (otherKindFile !== undefined)
    throw new ConfigError(
      `${otherKindFile.file}: its values are ${otherKindFile.kind}s, those of ${stored === null ? first.file : path} ${kind}s`,
      'give it another name by --name',
    );
  const columns = joinRows(key, stored, filesRead, path);
  const newRows = columns.length - (stored?.columns.length ?? 0);
  const manifest = newRows === 0 ? checkExternal(catalog, key).manifest : storeExternal(catalog, key, kind, columns);
  return {
    files: filesRead.map(({ file }) => file),
    path,
    fileRows: filesRead.reduce((sum, { value }) => sum + value.length, 0),
    newRows,
    manifest,
  };
}

/**
 * Returns the stored and the new rows, sorted by the time at which they became known. Equal rows become one. Throws ConfigError if two
 * rows of the same times have different values.
 */
function joinRows(key: ExternalKey, stored: LoadedExternal | null, filesRead: readonly ReadRows[], path: string): ExternalColumns {
  const sources = [...(stored === null ? [] : [{ ...stored.columns, file: path, line: null }]), ...filesRead];
  const total = sources.reduce((sum, { value }) => sum + value.length, 0);
  const knownMs = new Float64Array(total);
  const timeMs = new Float64Array(total);
  const value = new Float64Array(total);
  let firstRow = 0;
  for (const source of sources) {
    knownMs.set(source.knownMs, firstRow);
    timeMs.set(source.timeMs, firstRow);
    value.set(source.value, firstRow);
    firstRow += source.value.length;
  }
  // Returns the file and line of a row, for messages.
  const placeOf = (row: number): string => {
    let from = 0;
    for (const { file, line, value: values } of sources) {
      if (row < from + values.length) return line === null ? file : `${file}:${line[row - from]!}`;
      from += values.length;
    }
    return path;
  };
  const rowOrder = Uint32Array.from({ length: total }, (_, row) => row);
  rowOrder.sort((a, b) => knownMs[a]! - knownMs[b]! || timeMs[a]! - timeMs[b]! || a - b);
  // `rowOrder` is compacted in place: its first `keptRows` elements are the rows of the result.
  let keptRows = 0;
  for (const row of rowOrder) {
    const lastKept = rowOrder[keptRows - 1];
    if (keptRows > 0 && knownMs[lastKept!] === knownMs[row] && timeMs[lastKept!] === timeMs[row]) {
      if (value[lastKept!] === value[row]) continue;
      const times = `${formatTime(timeMs[row]!)} that was known at ${formatTime(knownMs[row]!)}`;
      throw new ConfigError(
        `${placeOf(row)}: the value of ${times} is ${value[row]!}, but ${value[lastKept!]!} in ${placeOf(lastKept!)}`,
        `find out which one of ${externalLabel(key)} is right, or when the second was known; nothing was imported`,
      );
    }
    rowOrder[keptRows++] = row;
  }
  const rows = rowOrder.subarray(0, keptRows);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row]!);
  return { length: keptRows, knownMs: pick(knownMs), timeMs: pick(timeMs), value: pick(value) };
}
