// Records which files a set of bars was imported from, so that no file is read twice and rejected rows are counted once.

import { existsSync } from 'node:fs';
import { removeFileIfThere } from '../arrow/arrowWriter.ts';
import { readEntry, readCatalogFile, writeCatalogFile } from './catalog.ts';
import { barsPath, importsPath, type BarKey } from '../files/paths.ts';

/** A file of an import. */
export interface ImportedFile {
  /** Name as given by the user. */
  readonly name: string;
  readonly sha256: string;
  readonly format: string;
  readonly rows: number;
  readonly rejectedRows: number;
}

/** A set of bars and the files that it came from. */
interface ImportState {
  /** The state is valid only for bars with this hash. */
  readonly dataSha256: string;
  readonly files: readonly ImportedFile[];
}

const FORMAT = 'isobar imports 1';

interface ImportRecord {
  readonly format: typeof FORMAT;
  /** The state of the stored set. While a new set is being stored, also the state of the new one. */
  readonly states: readonly ImportState[];
}

/** Returns the files of the set in the catalog, or null if they are not recorded. */
export function readImports(catalog: string, key: BarKey): readonly ImportedFile[] | null {
  return readState(catalog, key)?.files ?? null;
}

/** Runs `store`, which stores the set of `next`. If it is interrupted at any point, the record still matches the set that exists. */
export function recordImports(catalog: string, key: BarKey, next: ImportState, store: () => void): void {
  const before = readState(catalog, key);
  writeStates(catalog, key, before === null ? [next] : [before, next]);
  try {
    store();
  } catch (error) {
    if (before === null) removeFileIfThere(importsPath(catalog, key));
    throw error;
  }
  if (before !== null) writeStates(catalog, key, [next]);
}

/** Records the files of the set that the catalog has now. */
export function writeImports(catalog: string, key: BarKey, dataSha256: string, files: readonly ImportedFile[]): void {
  writeStates(catalog, key, [{ dataSha256, files }]);
}

function writeStates(catalog: string, key: BarKey, states: readonly ImportState[]): void {
  const record: ImportRecord = { format: FORMAT, states };
  writeCatalogFile(importsPath(catalog, key), `${JSON.stringify(record, null, 1)}\n`);
}

/** Returns the recorded state of the imports whose result is the stored file; null without such a record. */
function readState(catalog: string, key: BarKey): ImportState | null {
  const path = importsPath(catalog, key);
  if (!existsSync(path) || !existsSync(barsPath(catalog, key))) return null;
  const { dataSha256 } = readEntry(catalog, key);
  try {
    const record: unknown = JSON.parse(readCatalogFile(path));
    return isRecord(record) ? (record.states.findLast((state) => state.dataSha256 === dataSha256) ?? null) : null;
  } catch (error) {
    // An unreadable record is not a problem, because the files can be imported again.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isRecord(value: unknown): value is ImportRecord {
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== FORMAT) return false;
  return 'states' in value && Array.isArray(value.states) && value.states.every(isState);
}

function isState(value: unknown): value is ImportState {
  if (typeof value !== 'object' || value === null || !('dataSha256' in value) || !('files' in value)) return false;
  return typeof value.dataSha256 === 'string' && Array.isArray(value.files) && value.files.every(isFile);
}

function isFile(value: unknown): value is ImportedFile {
  if (typeof value !== 'object' || value === null || !('name' in value && 'sha256' in value && 'rows' in value)) return false;
  return typeof value.sha256 === 'string' && 'rejectedRows' in value && typeof value.rejectedRows === 'number';
}
