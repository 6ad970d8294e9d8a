// Reads Arrow IPC files of plain columns: any range of rows of a column, straight into the caller's array.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';
import { BATCH_ROWS, bytesOf, CONTINUATION, HEADER, MAGIC, TYPE, type ArrowColumn } from './arrowFile.ts';
import { fileError } from './fileError.ts';
import { assertLittleEndian, FlatReader } from './flatbuffer.ts';

interface Field {
  readonly name: string;
  /** Null for a type that isobar does not read. */
  readonly kind: ArrowColumn['kind'] | null;
}
interface Batch {
  readonly firstRow: number;
  readonly rows: number;
  /** Position in the file of the data of each field. */
  readonly dataAt: readonly number[];
}

/** Runs `use` with the open file and closes it. Throws ConfigError when it is missing or no such file. */
export function withArrowFile<T>(path: string, use: (file: ArrowFile) => T): T {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
  try {
    return use(new ArrowFile(path, handle));
  } catch (error) {
    // Offsets of a damaged file lead outside its bytes.
    if (error instanceof RangeError) throw damaged(path, error.message);
    throw fileError(path, 'cannot be read', error);
  } finally {
    closeSync(handle);
  }
}

export function damaged(path: string, why: string): ConfigError {
  return new ConfigError(`${path}: not a whole Arrow file of bars: ${why}`, 'delete it and import the data again');
}

/** An open file. Ask for columns by name; rows count from 0. */
export class ArrowFile {
  readonly rows: number;
  readonly fields: readonly Field[];
  readonly metadata: ReadonlyMap<string, string>;
  private readonly path: string;
  private readonly handle: number;
  private readonly batches: readonly Batch[];
  private scratch = new Int32Array(0);

  constructor(path: string, handle: number) {
    assertLittleEndian();
    this.path = path;
    this.handle = handle;
    const size = fstatSync(handle).size;
    const tail = this.bytes(Math.max(0, size - 10), Math.min(10, size));
    if (size < 24 || new TextDecoder().decode(tail.subarray(4)) !== MAGIC) throw damaged(path, 'its end is missing');
    const footerBytes = new DataView(tail.buffer).getInt32(0, true);
    if (footerBytes <= 0 || footerBytes > size - 18) throw damaged(path, `a footer of ${footerBytes} bytes`);
    const footer = new FlatReader(this.bytes(size - 10 - footerBytes, footerBytes));
    const root = footer.root();
    const schema = footer.follow(footer.field(root, 1));
    this.fields = footer.tables(footer.follow(footer.field(schema, 1))).map((field) => ({
      name: footer.text(footer.follow(footer.field(field, 0))),
      kind: kindOf(footer, field),
    }));
    const pairs = footer.tables(footer.follow(footer.field(schema, 2)));
    this.metadata = new Map(
      pairs.map((pair) => [footer.text(footer.follow(footer.field(pair, 0))), footer.text(footer.follow(footer.field(pair, 1)))]),
    );
    const batches: Batch[] = [];
    let rows = 0;
    for (const block of footer.elements(footer.follow(footer.field(root, 3)), 24)) {
      const batch = this.batch(footer.long(block), footer.number(block + 8, 4), rows, size);
      batches.push(batch);
      rows += batch.rows;
    }
    this.batches = batches;
    this.rows = rows;
  }

  /** Fills `into` with the rows from `fromRow` of a float64 column. */
  floats(name: string, fromRow: number, into: Float64Array): void {
    this.read(this.column(name, 'float64'), fromRow, into.length, 8, (at, row, rows) => this.readAt(bytesOf(into, row, rows), at));
  }

  /** Fills `into` with the rows from `fromRow` of an int32 column. */
  ints(name: string, fromRow: number, into: Int32Array): void {
    this.read(this.column(name, 'int32'), fromRow, into.length, 4, (at, row, rows) => this.readAt(bytesOf(into, row, rows), at));
  }

  /** Fills `into` with the times (ms UTC) from `fromRow` of a timestamp column. */
  times(name: string, fromRow: number, into: Float64Array): void {
    if (this.scratch.length === 0) this.scratch = new Int32Array(2 * BATCH_ROWS);
    const halves = this.scratch;
    this.read(this.column(name, 'timestamp'), fromRow, into.length, 8, (at, row, rows) => {
      for (let done = 0; done < rows; done += BATCH_ROWS) {
        const part = Math.min(BATCH_ROWS, rows - done);
        this.readAt(bytesOf(halves, 0, 2 * part), at + 8 * done);
        for (let i = 0; i < part; i++) into[row + done + i] = halves[2 * i + 1]! * 4_294_967_296 + (halves[2 * i]! >>> 0);
      }
    });
  }

  /** The first row whose time in the rising timestamp column `name` is `ms` or later; `rows` when there is none. */
  rowAt(name: string, ms: number): number {
    const one = new Float64Array(1);
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      this.times(name, middle, one);
      if (one[0]! < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private column(name: string, kind: ArrowColumn['kind']): number {
    const index = this.fields.findIndex((field) => field.name === name && field.kind === kind);
    if (index < 0) {
      const found = this.fields.map((field) => field.name).join(', ');
      throw damaged(this.path, `expected a column ${name} of type ${kind}, found the columns ${found || '(none)'}`);
    }
    return index;
  }

  private read(column: number, fromRow: number, rows: number, width: number, use: (at: number, row: number, rows: number) => void): void {
    const end = fromRow + rows;
    if (fromRow < 0 || end > this.rows) throw new RangeError(`rows ${fromRow} to ${end} of ${this.rows}`);
    for (const batch of this.batches) {
      const from = Math.max(fromRow, batch.firstRow);
      const to = Math.min(end, batch.firstRow + batch.rows);
      if (from < to) use(batch.dataAt[column]! + (from - batch.firstRow) * width, from - fromRow, to - from);
    }
  }

  private batch(offset: number, metadataBytes: number, firstRow: number, fileSize: number): Batch {
    const head = this.bytes(offset, metadataBytes);
    const prefix = new DataView(head.buffer).getUint32(0, true) === CONTINUATION ? 8 : 4;
    const flat = new FlatReader(head.subarray(prefix));
    const root = flat.root();
    const batch = flat.follow(flat.field(root, 2));
    if (flat.number(flat.field(root, 1), 1) !== HEADER.recordBatch || batch === 0)
      throw damaged(this.path, 'a block that is no record batch');
    if (flat.field(batch, 3) !== 0) throw damaged(this.path, 'compressed columns; isobar reads uncompressed ones');
    const rows = flat.number(flat.field(batch, 0), 8);
    const nodes = flat.elements(flat.follow(flat.field(batch, 1)), 16);
    const buffers = flat.elements(flat.follow(flat.field(batch, 2)), 16);
    const plain = buffers.length === 2 * this.fields.length && nodes.length === this.fields.length;
    if (!plain || this.fields.some((field) => field.kind === null)) throw damaged(this.path, 'columns other than numbers and times');
    const dataAt = this.fields.map((field, i) => {
      if (flat.long(nodes[i]! + 8) !== 0) throw damaged(this.path, `empty values in column ${field.name}`);
      const data = buffers[2 * i + 1]!;
      const at = offset + metadataBytes + flat.long(data);
      const bytes = rows * (field.kind === 'int32' ? 4 : 8);
      if (flat.long(data + 8) < bytes || at + bytes > fileSize) throw damaged(this.path, `column ${field.name} ends early`);
      return at;
    });
    return { firstRow, rows, dataAt };
  }

  private bytes(at: number, length: number): Uint8Array {
    if (length < 0) throw new RangeError(`a length of ${length}`);
    const into = new Uint8Array(length);
    this.readAt(into, at);
    return into;
  }

  private readAt(into: Uint8Array, at: number): void {
    let done = 0;
    while (done < into.byteLength) {
      const got = readSync(this.handle, into, done, into.byteLength - done, at + done);
      if (got === 0) throw damaged(this.path, `it ends at byte ${at + done}`);
      done += got;
    }
  }
}

function kindOf(flat: FlatReader, field: number): Field['kind'] {
  const type = flat.follow(flat.field(field, 3));
  switch (flat.number(flat.field(field, 2), 1)) {
    case TYPE.floatingPoint:
      return flat.number(flat.field(type, 0), 2) === 2 ? 'float64' : null;
    case TYPE.int:
      return flat.number(flat.field(type, 0), 4) === 32 && flat.number(flat.field(type, 1), 1) === 1 ? 'int32' : null;
    case TYPE.timestamp:
      return flat.number(flat.field(type, 0), 2) === 1 ? 'timestamp' : null;
    default:
      return null;
  }
}
