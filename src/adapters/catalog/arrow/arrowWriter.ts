// Writes Arrow IPC files of plain columns: float64, int32 and timestamps, without nulls and compression. Record batches let readers fill
// the caller's arrays directly. pandas, polars and pyarrow can read these files.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writevSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert } from '../../../base/assert.ts';
import { fileError } from '../../disk/fileError.ts';
import { Checksums, withFootChecksum } from './checksums.ts';
import {
  assertLittleEndian,
  byte,
  encode,
  flatInt,
  flatList,
  long,
  longs,
  short,
  flatTable,
  flatText,
  type FlatTable,
} from './flatbuffer.ts';

/**
 * `timestamp` columns have ms UTC as integers in doubles. In the file they are int64 with the zone UTC. `divisor`: the file has the quotients
 * of the values.
 */
export type ArrowColumn =
  | { readonly name: string; readonly kind: 'float64'; readonly values: Float64Array; readonly divisor?: number }
  | { readonly name: string; readonly kind: 'timestamp'; readonly values: Float64Array }
  | { readonly name: string; readonly kind: 'int32'; readonly values: Int32Array };

/** Rows of a record batch: large enough for efficient reads, small enough (512 KiB a column) for one reusable buffer. */
export const BATCH_ROWS = 65_536;
/** The bytes at the start and the end of an Arrow file. */
export const MAGIC = 'ARROW1';
const METADATA_V5 = 4;
/** Numbers of the message kinds in the format. */
export const MESSAGE_KIND = { schema: 1, recordBatch: 3 } as const;
/** Numbers of the column types in the format. */
export const COLUMN_TYPE = { int: 2, floatingPoint: 3, timestamp: 10 } as const;
/** The precision of float64, and the unit of times in ms, by their numbers in the format. */
const DOUBLE_PRECISION = 2;
const UNIT_MS = 1;
/** Marker before the length of a message. */
export const CONTINUATION = 0xffffffff;
/** Bodies and buffers start at multiples of this. The format recommends it for memory-mapped files. */
const ALIGN_BYTES = 64;
/** 2^32: the weight of the high half of a 64-bit integer. */
const TWO_32 = 4_294_967_296;

const roundUp = (bytes: number): number => Math.ceil(bytes / ALIGN_BYTES) * ALIGN_BYTES;

/**
 * Writes `columns` (equal lengths, no shared memory) with `metadata` in the schema to `path`: first to a temporary file beside it, which is
 * then renamed. `isDurable` also waits for the disk. `verify` may read the temporary file; if it throws, `path` stays unchanged. Throws
 * ConfigError if the file cannot be written.
 */
export function writeArrowColumns(
  path: string,
  columns: readonly ArrowColumn[],
  metadata: Readonly<Record<string, string>> = {},
  options: { readonly isDurable?: boolean; readonly verify?: (temporary: string) => void } = {},
): void {
  assertSeparate(columns);
  const rows = columns[0]?.values.length ?? 0;
  for (const { name, values } of columns) assert(values.length === rows, `column ${name} has ${values.length} rows, the first has ${rows}`);
  writeArrowParts(path, { columns, rows, part: (from) => ({ columns, from }) }, metadata, options);
}

/** Columns that are written part by part. */
export interface ArrowParts {
  /** Names and kinds of the columns. */
  readonly columns: readonly ArrowColumn[];
  readonly rows: number;
  /** Returns the columns of `length` rows, the rows `from` to `from` + `length` of the file, and where in them they begin. */
  readonly part: (from: number, length: number) => { readonly columns: readonly ArrowColumn[]; readonly from: number };
}

/** Writes a file as `writeArrowColumns` does, from parts of at most `BATCH_ROWS` rows. The same rows give the same bytes. */
export function writeArrowParts(
  path: string,
  parts: ArrowParts,
  metadata: Readonly<Record<string, string>> = {},
  options: { readonly isDurable?: boolean; readonly verify?: (temporary: string) => void } = {},
): void {
  assertLittleEndian();
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(temporary, 'w');
    try {
      writeFile(file, parts, metadata);
      if (options.isDurable === true) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    options.verify?.(temporary);
    renameSync(temporary, path);
  } catch (error) {
    removeFileIfThere(temporary);
    throw fileError(path, 'cannot be written', error);
  }
}

/** Removes an unfinished file. Errors are ignored, so that the original error is reported. */
export function removeFileIfThere(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch {
    // Its folder is missing or not accessible, so nothing was written.
  }
}

/** Throws InvariantError if two columns share memory, because writing one would change the other. */
function assertSeparate(columns: readonly ArrowColumn[]): void {
  for (const [index, { name, values }] of columns.entries()) {
    for (const other of columns.slice(index + 1)) {
      const areSeparate =
        values.buffer !== other.values.buffer ||
        values.byteOffset + values.byteLength <= other.values.byteOffset ||
        other.values.byteOffset + other.values.byteLength <= values.byteOffset;
      assert(areSeparate, `the columns ${name} and ${other.name} share memory`);
    }
  }
}

/** Writes the schema, the batches and the footer to an open file. Throws Error if the disk takes fewer bytes than were given. */
function writeFile(file: number, { columns, rows, part }: ArrowParts, metadata: Readonly<Record<string, string>>): void {
  const writer = new ArrowWriter(file, columns, metadata, Math.min(rows, BATCH_ROWS));
  for (let from = 0; from < rows; from += BATCH_ROWS) {
    const length = Math.min(BATCH_ROWS, rows - from);
    const { columns: partColumns, from: firstRow } = part(from, length);
    writer.writeBatch(partColumns, firstRow, length);
  }
  writer.finish(metadata);
}

/** Writes an open, empty file batch by batch. All batches but the last have `BATCH_ROWS` rows. */
export class ArrowWriter {
  private readonly file: number;
  private readonly columns: readonly ArrowColumn[];
  private position: number;
  private readonly checksums = new Checksums();
  private readonly blocks: number[] = [];
  /** Columns that are converted have their own buffer until their batch is written. */
  private readonly buffers: readonly Float64Array[];

  /** `columns`: their names and kinds. `maxRows`: rows of the largest batch. */
  constructor(file: number, columns: readonly ArrowColumn[], metadata: Readonly<Record<string, string>>, maxRows: number = BATCH_ROWS) {
    this.file = file;
    this.columns = columns;
    this.buffers = columns.map((column) => new Float64Array(isConverted(column) ? maxRows : 0));
    this.position = bytesIn(headOf(schemaTable(columns, metadata)));
  }

  /** Writes the rows `from` to `from` + `length` of `columns` as the next batch. */
  writeBatch(columns: readonly ArrowColumn[], from: number, length: number): void {
    const bodies = columns.map((column, index) => padTo(columnBytes(column, from, length, this.buffers[index]!), ALIGN_BYTES));
    const bodyBytes = bytesIn(bodies);
    const head = encodeMessage(MESSAGE_KIND.recordBatch, batchTable(this.columns, length, bodies), bodyBytes, this.position);
    this.blocks.push(this.position, head.byteLength, bodyBytes);
    const batch = [head, ...bodies];
    this.checksums.addBatch(batch);
    this.write(batch, this.position);
    this.position += bytesIn(batch);
  }

  /**
   * Writes head and foot, after which the file is whole. `metadata` may differ from that of the constructor in texts of the same lengths in
   * bytes, and `finish` may be called again with such metadata.
   */
  finish(metadata: Readonly<Record<string, string>>): void {
    const schema = schemaTable(this.columns, metadata);
    const head = headOf(schema);
    assert(bytesIn(head) === (this.blocks[0] ?? this.position), 'the head has the size of the first metadata');
    this.checksums.setHead(head);
    this.write(head, 0);
    const endMark = new Uint8Array(8).fill(0xff, 0, 4);
    const pairs = flatList(this.checksums.pairs().map(([key, value]) => flatTable(flatText(key), flatText(value))));
    const footer = encode(flatTable(short(METADATA_V5), schema, longs(3, []), longs(3, this.blocks), pairs));
    const footerLength = new DataView(new ArrayBuffer(4));
    footerLength.setInt32(0, footer.byteLength, true);
    const foot = Buffer.concat([endMark, footer, new Uint8Array(footerLength.buffer), new TextEncoder().encode(MAGIC)]);
    this.write([withFootChecksum(foot)], this.position);
  }

  private write(parts: readonly Uint8Array[], position: number): void {
    const bytes = bytesIn(parts);
    const written = writevSync(this.file, parts, position);
    if (written !== bytes) throw new Error(`wrote ${written} of ${bytes} bytes`);
  }
}

const bytesIn = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** Returns the bytes before the first batch. */
function headOf(schema: FlatTable): readonly Uint8Array[] {
  const magic = padTo(new TextEncoder().encode(MAGIC), 8);
  return [magic, encodeMessage(MESSAGE_KIND.schema, schema, 0, magic.byteLength)];
}

function isConverted(column: ArrowColumn): boolean {
  return column.kind === 'timestamp' || (column.kind === 'float64' && column.divisor !== undefined);
}

/** Returns the bytes of a batch's column as in the file. Values are converted in `buffer`. */
function columnBytes(column: ArrowColumn, from: number, length: number, buffer: Float64Array): Uint8Array {
  if (column.kind === 'timestamp') writeHalves(column.values, from, length, new Int32Array(buffer.buffer));
  else if (column.kind === 'float64' && column.divisor !== undefined) writeQuotients(column.values, from, length, column.divisor, buffer);
  else return bytesOf(column.values, from, length);
  return bytesOf(buffer, 0, length);
}

/** Writes each value as the two halves of an int64, because a BigInt for each row costs an allocation. Hot: docs/performance.md#index-loops. */
function writeHalves(values: Float64Array, from: number, length: number, halves: Int32Array): void {
  for (let i = 0; i < length; i++) {
    const ms = values[from + i]!;
    const high = Math.floor(ms / TWO_32);
    halves[2 * i] = ms - high * TWO_32;
    halves[2 * i + 1] = high;
  }
}

/** Writes the values divided by `divisor`. Hot: docs/performance.md#index-loops. */
function writeQuotients(values: Float64Array, from: number, length: number, divisor: number, into: Float64Array): void {
  for (let i = 0; i < length; i++) into[i] = values[from + i]! / divisor;
}

/** Returns the bytes of `length` elements from `from` on, as a view without a copy. */
export function bytesOf(values: Float64Array | Int32Array, from: number, length: number): Uint8Array {
  const width = values.BYTES_PER_ELEMENT;
  return new Uint8Array(values.buffer, values.byteOffset + from * width, length * width);
}

/** Returns the bytes with zeros behind them, up to a multiple of `align` bytes. */
function padTo(bytes: Uint8Array, align: number): Uint8Array {
  const size = Math.ceil(bytes.byteLength / align) * align;
  if (size === bytes.byteLength) return bytes;
  const padded = new Uint8Array(size);
  padded.set(bytes);
  return padded;
}

/** Returns an encapsulated message, padded so that the data after it (at `position`) starts aligned. */
function encodeMessage(kind: number, header: FlatTable, bodyBytes: number, position: number): Uint8Array {
  const bytes = encode(flatTable(short(METADATA_V5), byte(kind), header, long(bodyBytes)));
  const size = roundUp(position + 8 + bytes.byteLength) - position;
  const padded = new Uint8Array(size);
  const view = new DataView(padded.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, size - 8, true);
  padded.set(bytes, 8);
  return padded;
}

/** Returns the schema message: one field for each column, and the metadata of the file. */
function schemaTable(columns: readonly ArrowColumn[], metadata: Readonly<Record<string, string>>): FlatTable {
  const fields = columns.map(({ name, kind }) => {
    const { typeNumber, type } = typeOf(kind);
    return flatTable(flatText(name), byte(0), byte(typeNumber), type, null, flatList([]));
  });
  const pairs = Object.entries(metadata).map(([key, value]) => flatTable(flatText(key), flatText(value)));
  return flatTable(short(0), flatList(fields), flatList(pairs));
}

/** Returns the type of a column: its number in the format, and the table that describes it. */
function typeOf(kind: ArrowColumn['kind']): { readonly typeNumber: number; readonly type: FlatTable } {
  if (kind === 'float64') return { typeNumber: COLUMN_TYPE.floatingPoint, type: flatTable(short(DOUBLE_PRECISION)) };
  if (kind === 'int32') return { typeNumber: COLUMN_TYPE.int, type: flatTable(flatInt(32), byte(1)) };
  return { typeNumber: COLUMN_TYPE.timestamp, type: flatTable(short(UNIT_MS), flatText('UTC')) };
}

/**
 * Returns the head of a batch: row count, one node for each column (rows, nulls), two buffers for each column (validity, which is absent,
 * and data).
 */
function batchTable(columns: readonly ArrowColumn[], rows: number, bodies: readonly Uint8Array[]): FlatTable {
  const buffers: number[] = [];
  let offset = 0;
  for (const [index, column] of columns.entries()) {
    buffers.push(offset, 0, offset, rows * (column.kind === 'int32' ? 4 : 8));
    offset += bodies[index]!.byteLength;
  }
  return flatTable(
    long(rows),
    longs(
      2,
      columns.flatMap(() => [rows, 0]),
    ),
    longs(2, buffers),
  );
}
