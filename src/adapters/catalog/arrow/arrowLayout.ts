// Reads the metadata of an Arrow IPC file: its columns, and where in the file the buffers of each record batch are.

import { CONTINUATION, MESSAGE_KIND, MAGIC, COLUMN_TYPE, type ArrowColumn } from './arrowWriter.ts';
import { checksumsIn, type FileChecksums } from './checksums.ts';
import { FlatReader } from './flatbuffer.ts';

/** A column of a file. */
export interface ArrowField {
  readonly name: string;
  /** `int64`: whole numbers, with or without a sign, which isobar does not write. Null for a type that isobar does not read. */
  readonly kind: ArrowColumn['kind'] | 'int64' | null;
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
  readonly footOffset: number;
  /** Null if the file has none, because another program wrote it. */
  readonly checksums: FileChecksums | null;
}
/** Where a record batch is in the file, as the footer says. */
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

/** Numbers of the fields that are read here, by table, from the format's File.fbs, Schema.fbs and Message.fbs. */
const FOOTER = { schema: 1, recordBatches: 3, metadata: 4 } as const;
const SCHEMA = { fields: 1, metadata: 2 } as const;
const FIELD = { name: 0, typeNumber: 2, type: 3, dictionary: 4 } as const;
const KEY_VALUE = { key: 0, value: 1 } as const;
const FLOAT = { precision: 0 } as const;
const INT = { bits: 0, isSigned: 1 } as const;
const TIMESTAMP = { unit: 0 } as const;
const MESSAGE = { kind: 1, header: 2 } as const;
const RECORD_BATCH = { rows: 0, nodes: 1, buffers: 2, compression: 3, viewCounts: 4 } as const;
const COMPRESSION = { codec: 0 } as const;
/** Precision of a float64 column. */
const DOUBLE = 2;
/** Bytes of the structs of the format: the place of a batch, the counts of a column, the place of a buffer. */
const STRUCT_BYTES = { block: 24, node: 16, buffer: 16, viewCount: 8 } as const;
/** The file ends with the length of the footer and the magic text. */
const TAIL_BYTES = 4 + MAGIC.length;
/** The mark of the end of the batches, which comes before the footer. */
const END_MARK_BYTES = 8;
const MIN_FILE_BYTES = 24;

/** Reads the footer of a file of `size` bytes. Throws RangeError if there is no footer. */
export function readFooter(size: number, bytes: ReadBytes): Footer {
  const tail = bytes(Math.max(0, size - TAIL_BYTES), Math.min(TAIL_BYTES, size));
  if (size < MIN_FILE_BYTES || new TextDecoder().decode(tail.subarray(4)) !== MAGIC) throw new RangeError('its end is missing');
  const footerBytes = new DataView(tail.buffer).getInt32(0, true);
  if (footerBytes <= 0 || footerBytes > size - TAIL_BYTES - END_MARK_BYTES) throw new RangeError(`a footer of ${footerBytes} bytes`);
  const flat = new FlatReader(bytes(size - TAIL_BYTES - footerBytes, footerBytes));
  const root = flat.root();
  const schema = flat.follow(flat.field(root, FOOTER.schema));
  const textOf = (table: number, id: number) => flat.text(flat.follow(flat.field(table, id)));
  const pairsOf = (table: number, id: number) => {
    const pairs = flat.tables(flat.follow(flat.field(table, id)));
    return new Map(pairs.map((pair) => [textOf(pair, KEY_VALUE.key), textOf(pair, KEY_VALUE.value)]));
  };
  const fields = flat.tables(flat.follow(flat.field(schema, SCHEMA.fields)));
  const blocks = flat.elements(flat.follow(flat.field(root, FOOTER.recordBatches)), STRUCT_BYTES.block);
  return {
    fields: fields.map((field) => fieldOf(flat, field, textOf(field, FIELD.name))),
    metadata: pairsOf(schema, SCHEMA.metadata),
    footOffset: size - TAIL_BYTES - END_MARK_BYTES - footerBytes,
    checksums: checksumsIn(pairsOf(root, FOOTER.metadata)),
    blocks: blocks.map((block) => ({
      offset: flat.long(block),
      metadataBytes: flat.number(block + 8, 4),
      bodyBytes: flat.long(block + 16),
    })),
  };
}

/** Returns the column that a field of the schema describes. */
function fieldOf(flat: FlatReader, field: number, name: string): ArrowField {
  const typeNumber = flat.number(flat.field(field, FIELD.typeNumber), 1);
  // A dictionary-encoded column: the batch has the dictionary indices, which are integers.
  if (flat.field(field, FIELD.dictionary) !== 0) return { name, kind: null, unit: 0, buffers: 2 };
  const type = flat.follow(flat.field(field, FIELD.type));
  const unit = typeNumber === COLUMN_TYPE.timestamp ? flat.number(flat.field(type, TIMESTAMP.unit), 2) : 0;
  return { name, kind: kindOf(flat, typeNumber, type), unit, buffers: BUFFERS[typeNumber] ?? null };
}

/** Returns the kind of values of a column, or null for a type that isobar does not read. */
function kindOf(flat: FlatReader, typeNumber: number, type: number): ArrowField['kind'] {
  switch (typeNumber) {
    case COLUMN_TYPE.floatingPoint:
      return flat.number(flat.field(type, FLOAT.precision), 2) === DOUBLE ? 'float64' : null;
    case COLUMN_TYPE.int: {
      const bits = flat.number(flat.field(type, INT.bits), 4);
      if (bits === 64) return 'int64';
      const isSigned = flat.number(flat.field(type, INT.isSigned), 1) === 1;
      return bits === 32 && isSigned ? 'int32' : null;
    }
    case COLUMN_TYPE.timestamp:
      return 'timestamp';
    default:
      return null;
  }
}

/**
 * Returns the buffers of a record batch. Throws RangeError for a block that is not a record batch of these columns, or that is not
 * completely in the file.
 */
export function readBatch(block: Block, fields: readonly ArrowField[], firstRow: number, fileSize: number, bytes: ReadBytes): Batch {
  const { offset, metadataBytes, bodyBytes } = block;
  const head = bytes(offset, metadataBytes);
  // Old files have only the length before a message.
  const prefixBytes = new DataView(head.buffer).getUint32(0, true) === CONTINUATION ? 8 : 4;
  const flat = new FlatReader(head.subarray(prefixBytes));
  const root = flat.root();
  const batch = flat.follow(flat.field(root, MESSAGE.header));
  if (flat.number(flat.field(root, MESSAGE.kind), 1) !== MESSAGE_KIND.recordBatch || batch === 0)
    throw new RangeError('a block that is not a record batch');
  const compression = flat.follow(flat.field(batch, RECORD_BATCH.compression));
  const codec = compression === 0 ? null : flat.number(flat.field(compression, COMPRESSION.codec), 1);
  const rows = flat.number(flat.field(batch, RECORD_BATCH.rows), 8);
  if (!(rows >= 0 && rows <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`a record batch of ${rows} rows`);
  const structsOf = (id: number, structBytes: number) => flat.elements(flat.follow(flat.field(batch, id)), structBytes);
  const nodes = structsOf(RECORD_BATCH.nodes, STRUCT_BYTES.node);
  const places = structsOf(RECORD_BATCH.buffers, STRUCT_BYTES.buffer);
  const viewCounts = structsOf(RECORD_BATCH.viewCounts, STRUCT_BYTES.viewCount).map((position) => flat.long(position));
  const bodyOffset = offset + metadataBytes;
  const placeOf = (index: number): BufferPlace => {
    const slot = places[index];
    if (slot === undefined) return { offset: 0, length: 0 };
    return { offset: bodyOffset + flat.long(slot), length: flat.long(slot + 8) };
  };
  let nextBuffer = 0;
  const buffers = fields.map((field, index) => {
    if (field.buffers === null) throw new RangeError(`column ${field.name} is of a type that isobar cannot step over`);
    const firstBuffer = nextBuffer;
    nextBuffer += field.buffers === 'view' ? 2 + (viewCounts.shift() ?? 0) : field.buffers;
    const node = nodes[index];
    const validity = placeOf(firstBuffer);
    const data = placeOf(firstBuffer + 1);
    const width = field.kind === 'int32' ? 4 : 8;
    // The length of compressed columns is known only after decompression.
    const hasAllRows = codec !== null || data.length >= rows * width;
    const isComplete = hasAllRows && data.offset + data.length <= fileSize;
    if (node === undefined || (field.kind !== null && !isComplete)) throw new RangeError(`column ${field.name} ends early`);
    return { nulls: flat.long(node + 8), validity, data };
  });
  if (nodes.length !== fields.length || nextBuffer !== places.length) throw new RangeError('columns inside columns');
  return { start: offset, end: offset + metadataBytes + bodyBytes, firstRow, rows, codec, buffers };
}
