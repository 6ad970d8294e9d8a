// Reads the metadata of an Arrow IPC file: its columns, and where in the file the buffers of each record batch are.

import { CONTINUATION, MESSAGE_KIND, MAGIC, COLUMN_TYPE, type ArrowColumn } from './arrowFile.ts';
import { checksumsIn, type FileChecksums } from './checksums.ts';
import { FlatReader } from './flatbuffer.ts';

/** A column of a file. */
export interface ArrowField {
  readonly name: string;
  /** Null for a type that isobar does not read. */
  readonly kind: ArrowColumn['kind'] | null;
  /** Unit of a timestamp: 0 seconds, 1 ms, 2 us, 3 ns. */
  readonly unit: number;
  /**
   * Buffers in each batch. `view` columns have a variable number, stated by the batch. Null: unknown, so the later columns cannot be found.
   */
  readonly buffers: number | 'view' | null;
}

/** Position of a buffer in the file. */
interface BufferPlace {
  readonly offset: number;
  readonly length: number;
}

/** A record batch: where its columns are in the file. */
export interface Batch {
  /** Offsets of its start, including its header, and of its end. */
  readonly start: number;
  readonly end: number;
  readonly firstRow: number;
  readonly rows: number;
  /** Compression of the buffers (see inflate.ts); null if uncompressed. */
  readonly codec: number | null;
  /** By field. `nulls` is the number of empty values. Meaningless for types that isobar does not read. */
  readonly buffers: readonly { readonly nulls: number; readonly validity: BufferPlace; readonly data: BufferPlace }[];
}

/** The content of a footer, as far as columns of numbers need it. */
interface Footer {
  readonly fields: readonly ArrowField[];
  readonly metadata: ReadonlyMap<string, string>;
  readonly blocks: readonly Block[];
  /** Offset of the end of the last batch. */
  readonly footAt: number;
  /** Null if the file has none, because another program wrote it. */
  readonly checksums: FileChecksums | null;
}
interface Block {
  readonly offset: number;
  readonly metadataBytes: number;
  readonly bodyBytes: number;
}
type ReadBytes = (offset: number, length: number) => Uint8Array;

/** Buffers of types with one value for each row and no children, by type number in the format's Schema.fbs. */
const BUFFERS: Readonly<Record<number, number | 'view'>> = {
  1: 0, // null
  2: 2, // int
  3: 2, // floating point
  4: 3, // binary
  5: 3, // utf8
  6: 2, // bool
  7: 2, // decimal
  8: 2, // date
  9: 2, // time
  10: 2, // timestamp
  11: 2, // interval
  15: 2, // fixed size binary
  18: 2, // duration
  19: 3, // large binary
  20: 3, // large utf8
  23: 'view', // binary view
  24: 'view', // utf8 view
};

/** Reads the footer of a file of `size` bytes. Throws RangeError if there is no footer. */
export function readFooter(size: number, bytes: ReadBytes): Footer {
  const tail = bytes(Math.max(0, size - 10), Math.min(10, size));
  if (size < 24 || new TextDecoder().decode(tail.subarray(4)) !== MAGIC) throw new RangeError('its end is missing');
  const footerBytes = new DataView(tail.buffer).getInt32(0, true);
  if (footerBytes <= 0 || footerBytes > size - 18) throw new RangeError(`a footer of ${footerBytes} bytes`);
  const flat = new FlatReader(bytes(size - 10 - footerBytes, footerBytes));
  const root = flat.root();
  const schema = flat.follow(flat.field(root, 1));
  const text = (table: number, id: number) => flat.text(flat.follow(flat.field(table, id)));
  const pairs = (fieldPosition: number) => new Map(flat.tables(flat.follow(fieldPosition)).map((pair) => [text(pair, 0), text(pair, 1)]));
  return {
    fields: flat.tables(flat.follow(flat.field(schema, 1))).map((field) => fieldOf(flat, field, text(field, 0))),
    metadata: pairs(flat.field(schema, 2)),
    footAt: size - 18 - footerBytes,
    checksums: checksumsIn(pairs(flat.field(root, 4))),
    blocks: flat
      .elements(flat.follow(flat.field(root, 3)), 24)
      .map((block) => ({ offset: flat.long(block), metadataBytes: flat.number(block + 8, 4), bodyBytes: flat.long(block + 16) })),
  };
}

/** Returns the column that a field of the schema describes. */
function fieldOf(flat: FlatReader, field: number, name: string): ArrowField {
  const type = flat.number(flat.field(field, 2), 1);
  // A dictionary-encoded column: the batch has the dictionary indices, which are integers.
  if (flat.field(field, 4) !== 0) return { name, kind: null, unit: 0, buffers: 2 };
  const details = flat.follow(flat.field(field, 3));
  const unit = type === COLUMN_TYPE.timestamp ? flat.number(flat.field(details, 0), 2) : 0;
  return { name, kind: kindOf(flat, type, details), unit, buffers: BUFFERS[type] ?? null };
}

/** Returns the kind of values of a column, or null for a type that isobar does not read. */
function kindOf(flat: FlatReader, type: number, details: number): ArrowField['kind'] {
  switch (type) {
    case COLUMN_TYPE.floatingPoint:
      return flat.number(flat.field(details, 0), 2) === 2 ? 'float64' : null;
    case COLUMN_TYPE.int:
      return flat.number(flat.field(details, 0), 4) === 32 && flat.number(flat.field(details, 1), 1) === 1 ? 'int32' : null;
    case COLUMN_TYPE.timestamp:
      return 'timestamp';
    default:
      return null;
  }
}

/** Returns the buffers of a record batch. Throws RangeError for a block that is not a record batch of these columns, or that is not completely in the file. */
export function readBatch(block: Block, fields: readonly ArrowField[], firstRow: number, fileSize: number, bytes: ReadBytes): Batch {
  const { offset, metadataBytes, bodyBytes } = block;
  const head = bytes(offset, metadataBytes);
  const prefix = new DataView(head.buffer).getUint32(0, true) === CONTINUATION ? 8 : 4;
  const flat = new FlatReader(head.subarray(prefix));
  const root = flat.root();
  const batch = flat.follow(flat.field(root, 2));
  if (flat.number(flat.field(root, 1), 1) !== MESSAGE_KIND.recordBatch || batch === 0)
    throw new RangeError('a block that is not a record batch');
  const compression = flat.follow(flat.field(batch, 3));
  const codec = compression === 0 ? null : flat.number(flat.field(compression, 0), 1);
  const rows = flat.number(flat.field(batch, 0), 8);
  if (!(rows >= 0 && rows <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`a record batch of ${rows} rows`);
  const nodes = flat.elements(flat.follow(flat.field(batch, 1)), 16);
  const places = flat.elements(flat.follow(flat.field(batch, 2)), 16);
  const viewCounts = flat.elements(flat.follow(flat.field(batch, 4)), 8).map((position) => flat.long(position));
  const bodyOffset = offset + metadataBytes;
  const placeOf = (index: number): BufferPlace => {
    const slot = places[index];
    if (slot === undefined) return { offset: 0, length: 0 };
    return { offset: bodyOffset + flat.long(slot), length: flat.long(slot + 8) };
  };
  let nextBuffer = 0;
  const buffers = fields.map((field, i) => {
    if (field.buffers === null) throw new RangeError(`column ${field.name} is of a type that isobar cannot step over`);
    const firstBuffer = nextBuffer;
    nextBuffer += field.buffers === 'view' ? 2 + (viewCounts.shift() ?? 0) : field.buffers;
    const node = nodes[i];
    const validity = placeOf(firstBuffer);
    const data = placeOf(firstBuffer + 1);
    const width = field.kind === 'int32' ? 4 : 8;
    // The length of compressed columns is known only after decompression.
    const isWhole = data.offset + data.length <= fileSize && (codec !== null || data.length >= rows * width);
    if (node === undefined || (field.kind !== null && !isWhole)) throw new RangeError(`column ${field.name} ends early`);
    return { nulls: flat.long(node + 8), validity, data };
  });
  if (nodes.length !== fields.length || nextBuffer !== places.length) throw new RangeError('columns inside columns');
  return { start: offset, end: offset + metadataBytes + bodyBytes, firstRow, rows, codec, buffers };
}
