// Stores external series in the catalog: an Arrow file with every revision, and a manifest with lateness and gaps.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { bytesOf, writeArrowColumns } from '../arrow/arrowWriter.ts';
import { damagedArrowFile, withArrowFile, type ArrowFile } from '../arrow/arrowReader.ts';
import { readCatalogFile, writeCatalogFile } from '../bars/catalog.ts';
import { noteHash } from '../bars/readHashes.ts';
import { EARLIEST_MS, LATEST_MS } from '../rows/rowCollector.ts';
import {
  externalFacts, externalManifestPath, externalPath, type ExternalColumns, type ExternalFacts, type ExternalKey, type ValueKind,
} from './externalSeries.ts'; // prettier-ignore

/** Version of the layout, written into each file. Raise it with every change of the layout. */
const LAYOUT = 'series-1';

/** The manifest of an external series, which is stored as JSON beside its values. */
export interface ExternalManifest extends ExternalKey, ExternalFacts {
  readonly format: 'isobar series 1';
  readonly kind: ValueKind;
  /** Hash of the columns. */
  readonly dataSha256: string;
}

/** An external series in memory, with the hash by which a run records it. */
export interface LoadedExternal {
  readonly columns: ExternalColumns;
  readonly kind: ValueKind;
  readonly dataSha256: string;
  readonly path: string;
}

/** The result of a check of an external series. */
export interface CheckedExternal {
  readonly manifest: ExternalManifest;
  readonly path: string;
  /** False if another program has changed the columns. */
  readonly unchanged: boolean;
  /** Number of rows that break a rule. */
  readonly wrong: number;
}

/** Stores a series, replacing the existing one: writes a temporary file, reads it back, and renames it. Throws ConfigError. */
export function storeExternal(catalog: string, key: ExternalKey, kind: ValueKind, columns: ExternalColumns): ExternalManifest {
  const path = externalPath(catalog, key);
  const dataSha256 = hashOfColumns(columns);
  const metadata = { isobar: LAYOUT, name: key.name, symbol: key.symbol ?? '', kind, data_sha256: dataSha256 };
  writeArrowColumns(
    path,
    [
      { name: 'known_at', kind: 'timestamp', values: columns.knownMs },
      { name: 'time', kind: 'timestamp', values: columns.timeMs },
      { name: 'value', kind: 'float64', values: columns.value },
    ],
    metadata,
    {
      isDurable: true,
      verify: (temporary) =>
        withArrowFile(temporary, (file) => {
          if (hashOfColumns(readUnverified(file)) !== dataSha256)
            throw new ConfigError(`${path}: what was written reads back differently`, 'check the disk');
        }),
    },
  );
  return writeManifest(catalog, key, columns, { kind, dataSha256 });
}

/** Writes the manifest of a series, and returns it. */
function writeManifest(
  catalog: string,
  key: ExternalKey,
  columns: ExternalColumns,
  { kind, dataSha256 }: Pick<ExternalManifest, 'kind' | 'dataSha256'>,
): ExternalManifest {
  const { name, symbol } = key;
  const manifest: ExternalManifest = { format: 'isobar series 1', name, symbol, kind, ...externalFacts(columns), dataSha256 };
  writeCatalogFile(externalManifestPath(catalog, key), `${JSON.stringify(manifest, null, 1)}\n`);
  return manifest;
}

/** Loads a series and verifies its checksums; null if the catalog has none. Throws ConfigError if its bytes have changed. */
export function loadExternal(catalog: string, key: ExternalKey): LoadedExternal | null {
  const path = externalPath(catalog, key);
  if (!existsSync(path)) return null;
  return withArrowFile(path, (file) => {
    const { kind, dataSha256 } = statedFacts(file);
    const columns = emptyColumns(file.rows);
    const hash = createHash('sha256');
    file.readWhole(0, file.rows, hash, (from, to) => fillRows(file, columns, from, to));
    noteHash(path, hash.digest('hex'));
    return { columns, kind, dataSha256, path };
  });
}

/** Checks all rows, writes the manifest again, and returns it. Throws ConfigError if the file cannot be read. */
export function checkExternal(catalog: string, key: ExternalKey): CheckedExternal {
  const path = externalPath(catalog, key);
  return withArrowFile(path, (file) => {
    const { kind, dataSha256 } = statedFacts(file);
    const columns = readUnverified(file);
    const { length, knownMs, timeMs, value } = columns;
    let wrong = 0;
    for (let row = 0; row < length; row++) {
      const hasValidTimes = [knownMs, timeMs].every((column) => column[row]! >= EARLIEST_MS && column[row]! < LATEST_MS);
      const isInOrder =
        row === 0 || knownMs[row]! > knownMs[row - 1]! || (knownMs[row] === knownMs[row - 1] && timeMs[row]! > timeMs[row - 1]!);
      const isValidValue = kind === 'flag' ? value[row] === 0 || value[row] === 1 : Number.isFinite(value[row]);
      if (!hasValidTimes || !isInOrder || !isValidValue) wrong++;
    }
    if (length === 0) throw damagedArrowFile(path, 'it has no rows');
    return {
      manifest: writeManifest(catalog, key, columns, { kind, dataSha256 }),
      path,
      unchanged: hashOfColumns(columns) === dataSha256 && file.isUnchanged(),
      wrong,
    };
  });
}

/** Returns the stored manifest. Writes it again if it is missing or belongs to other rows. */
export function readExternalManifest(catalog: string, key: ExternalKey): ExternalManifest {
  const path = externalManifestPath(catalog, key);
  const stored = existsSync(path) ? parseManifest(readCatalogFile(path)) : null;
  const dataSha256 = withArrowFile(externalPath(catalog, key), (file) => statedFacts(file).dataSha256);
  return stored?.dataSha256 === dataSha256 ? stored : checkExternal(catalog, key).manifest;
}

/** Returns the manifest in a JSON text; null if the text is damaged or of another format. */
function parseManifest(text: string): ExternalManifest | null {
  try {
    const value: unknown = JSON.parse(text);
    const isManifest = typeof value === 'object' && value !== null && 'format' in value && value.format === 'isobar series 1';
    return isManifest ? (value as ExternalManifest) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns what the metadata of a file states. Throws ConfigError for a file of another program or version. */
function statedFacts(file: ArrowFile): { kind: ValueKind; dataSha256: string } {
  file.requireLayout(LAYOUT);
  const { metadata } = file;
  return { kind: metadata.get('kind') === 'flag' ? 'flag' : 'number', dataSha256: metadata.get('data_sha256') ?? '' };
}

function emptyColumns(length: number): ExternalColumns {
  return { length, knownMs: new Float64Array(length), timeMs: new Float64Array(length), value: new Float64Array(length) };
}

function fillRows(file: ArrowFile, into: ExternalColumns, from: number, to: number): void {
  file.readTimes('known_at', from, into.knownMs.subarray(from, to));
  file.readTimes('time', from, into.timeMs.subarray(from, to));
  file.readFloats('value', from, into.value.subarray(from, to));
}

/** Returns all rows as they are now, without verifying checksums. */
function readUnverified(file: ArrowFile): ExternalColumns {
  const columns = emptyColumns(file.rows);
  fillRows(file, columns, 0, file.rows);
  return columns;
}

function hashOfColumns({ knownMs, timeMs, value, length }: ExternalColumns): string {
  const hash = createHash('sha256');
  for (const column of [knownMs, timeMs, value]) hash.update(bytesOf(column, 0, length));
  return hash.digest('hex');
}
