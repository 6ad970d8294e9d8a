// Reads flat columns of Parquet files of other programs: pandas, polars, pyarrow, DuckDB. hyparquet parses the format. This file adds the
// supported types, the codecs, and the limits for damaged files.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { AsyncBuffer, Compressors, DecodedArray, ParquetScan, SchemaElement } from 'hyparquet';
import { ConfigError } from '../../../base/errors.ts';
import { fileError } from '../../disk/fileError.ts';
import { CODEC, loadInflate } from '../arrow/inflate.ts';
import { msOfUnix } from '../rows/timeText.ts';
import type { TableField, TableFile } from './tableFile.ts';

/** Limit for the row count that a file states, so that a damaged file cannot demand any amount of memory. */
const MAX_ROWS = 2 ** 27;
const DAY_MS = 86_400_000;

/** Runs `use` with the open file and closes it. Throws ConfigError for a file that is missing, damaged or not flat. */
export async function withParquetFile<T>(path: string, use: (file: ParquetFile) => Promise<T>): Promise<T> {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
  try {
    return await use(await openParquet(path, handle));
  } finally {
    closeSync(handle);
  }
}

/** An open file. `load` reads whole columns into memory; then ranges of their rows can be read. */
export class ParquetFile implements TableFile {
  readonly rows: number;
  readonly fields: readonly TableField[];
  private readonly path: string;
  private readonly scan: ParquetScan;
  private readonly columns = new Map<string, Float64Array>();

  constructor(path: string, scan: ParquetScan, fields: readonly TableField[]) {
    this.path = path;
    this.scan = scan;
    this.fields = fields;
    this.rows = Number(scan.metadata.num_rows);
    if (this.rows > MAX_ROWS) throw damagedError(path, `${this.rows} rows, at most ${MAX_ROWS} are read`);
  }

  /** Reads these columns into memory, except those of unsupported types. */
  async load(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.fields.find((field) => field.name === name)?.kind === null) continue;
      this.columns.set(name, await this.readColumn(name));
    }
  }

  /** Reads a whole column. Throws ConfigError if its row groups do not cover exactly the rows of the file. */
  private async readColumn(name: string): Promise<Float64Array> {
    const into = new Float64Array(this.rows);
    let row = 0;
    for (const { rowStart, rowEnd } of this.scan.ranges) {
      const values: DecodedArray = await withDamagedError(this.path, () => this.scan.readColumn({ column: name, rowStart, rowEnd }));
      if (rowStart !== row || values.length !== rowEnd - rowStart || rowEnd > this.rows)
        throw damagedError(this.path, `column ${name}: ${values.length} values in rows ${rowStart} to ${rowEnd}`);
      for (const value of values) into[row++] = numberOf(value);
    }
    if (row !== this.rows) throw damagedError(this.path, `column ${name}: ${row} values, expected ${this.rows}`);
    return into;
  }

  /** Reads a time column of the loaded file from a row on, in ms UTC, until `into` is full. */
  readTimes(name: string, fromRow: number, into: Float64Array): void {
    this.readFloats(name, fromRow, into);
    if (this.fields.find((field) => field.name === name)!.kind !== 'int64') return;
    for (let row = 0; row < into.length; row++) into[row] = msOfUnix(into[row]!);
  }

  /** Reads a column of the loaded file from a row on as numbers, until `into` is full. */
  readFloats(name: string, fromRow: number, into: Float64Array): void {
    into.set(this.columns.get(name)!.subarray(fromRow, fromRow + into.length));
  }
}

/** Returns a value as a double; an empty one is NaN. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : NaN;
}

/** Reads the schema of an open Parquet file. Throws ConfigError for a damaged one. */
async function openParquet(path: string, handle: number): Promise<ParquetFile> {
  const { parquetScan, parquetSchema } = await import('hyparquet');
  const compressors = await loadCompressors();
  const scan = await withDamagedError(path, () =>
    parquetScan({ file: fileOf(handle), compressors, geoparquet: false, useOffsetIndex: false, utf8: false, parsers: TIME_PARSERS }),
  );
  const fields = await withDamagedError(path, () =>
    parquetSchema(scan.metadata).children.map(({ element, children }) => ({
      name: element.name,
      kind: children.length > 0 || element.repetition_type === 'REPEATED' ? null : kindOf(element),
    })),
  );
  return new ParquetFile(path, scan, fields);
}

/** Parsers for times in ms. A finer time has a fraction; callers round it, up for the time at which a value became known. */
const TIME_PARSERS = {
  timestampFromMilliseconds: (ms: bigint): number => Number(ms),
  timestampFromMicroseconds: (us: bigint): number => ticksToMs(us, 1000n),
  timestampFromNanoseconds: (ns: bigint): number => ticksToMs(ns, 1_000_000n),
  dateFromDays: (days: number): number => days * DAY_MS,
};

/** Returns ms. Whole ms are exact, even if the ticks exceed 2^53. */
function ticksToMs(ticks: bigint, ticksPerMs: bigint): number {
  return Number(ticks / ticksPerMs) + Number(ticks % ticksPerMs) / Number(ticksPerMs);
}

/** Returns the kind of values of a column, or null for a type that isobar does not read. */
function kindOf({ type, converted_type: oldType, logical_type: logical }: SchemaElement): TableField['kind'] {
  // Older files name the type of a column in `converted_type`, newer ones in `logical_type`. INT96 is a time in both.
  const isOldTime = oldType === 'TIMESTAMP_MILLIS' || oldType === 'TIMESTAMP_MICROS' || oldType === 'DATE';
  if (logical?.type === 'TIMESTAMP' || isOldTime || type === 'INT96') return 'timestamp';
  if (logical?.type === 'DECIMAL' || oldType === 'DECIMAL' || logical?.type === 'FLOAT16') return 'float64';
  if (logical?.type === 'TIME' || oldType === 'TIME_MILLIS' || oldType === 'TIME_MICROS') return null;
  if (type === 'BOOLEAN') return 'flag';
  if (type === 'INT32' || type === 'INT64') return 'int64';
  return type === 'FLOAT' || type === 'DOUBLE' ? 'float64' : null;
}

/** Returns a reader of byte ranges of an open file. A read beyond its end throws RangeError. */
function fileOf(handle: number): AsyncBuffer {
  const byteLength = fstatSync(handle).size;
  return {
    byteLength,
    slice: (start, end = byteLength) => {
      const length = Math.min(end, byteLength) - start;
      if (!(start >= 0 && length >= 0)) throw new RangeError(`bytes ${start} to ${end} of ${byteLength}`);
      const bytes = new Uint8Array(length);
      for (let bytesRead = 0; bytesRead < length;) {
        const chunkBytes = readSync(handle, bytes, bytesRead, length - bytesRead, start + bytesRead);
        if (chunkBytes === 0) throw new RangeError(`it ends at byte ${start + bytesRead}`);
        bytesRead += chunkBytes;
      }
      return bytes.buffer;
    },
  };
}

/** Returns the decompressors that hyparquet lacks. Each returns exactly the announced number of bytes, or throws. */
async function loadCompressors(): Promise<Compressors> {
  const [inflate, { default: lz4 }] = await Promise.all([loadInflate(), import('lz4js')]);
  return {
    GZIP: (packed, length) => withLength(gunzipSync(packed, { maxOutputLength: Math.max(1, length) }), length),
    BROTLI: (packed, length) => withLength(brotliDecompressSync(packed, { maxOutputLength: Math.max(1, length) }), length),
    ZSTD: (packed, length) => inflate(CODEC.zstd, packed, length),
    LZ4_RAW: (packed, length) => {
      const into = new Uint8Array(length);
      if (lz4.decompressBlock(packed, into, 0, packed.length, 0) !== length) throw new RangeError(`not ${length} bytes as announced`);
      return into;
    },
  };
}

/** Returns `bytes`. Throws RangeError if their number is not `length`. */
function withLength(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${bytes.length} bytes where ${length} were announced`);
  return bytes;
}

/** Runs `read` and returns its result. Converts errors of hyparquet and the codecs to a ConfigError: the file is damaged or not supported. */
async function withDamagedError<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw damagedError(path, error instanceof Error ? error.message : String(error));
  }
}

function damagedError(path: string, reason: string): ConfigError {
  return new ConfigError(`${path}: not a whole Parquet file: ${reason}`, 'write it again, or fetch it again');
}
