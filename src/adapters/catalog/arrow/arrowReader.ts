// Reads Arrow IPC files: any range of rows of a numeric or time column, directly into the caller's array. The readers of the catalog's
// bars, series and trades use it, and the import of files of other programs.

import type { Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ConfigError, InvariantError } from '../../../base/errors.ts';
import { BATCH_ROWS, bytesOf } from './arrowWriter.ts';
import { readBatch, readFooter, type Batch, type ArrowField } from './arrowLayout.ts';
import { fileError } from '../../disk/fileError.ts';
import { isFootUnchanged, isPartUnchanged, type FileChecksums } from './checksums.ts';
import { assertLittleEndian } from './flatbuffer.ts';
import type { Inflate } from './inflate.ts';

/** Ticks in a millisecond, by the unit of a timestamp column: seconds, ms, us, ns. */
const TICKS_PER_MS = [1 / 1000, 1, 1000, 1_000_000] as const;
/** 2^32: the weight of the high half of a 64-bit integer. */
const TWO_32 = 4_294_967_296;
/** Other programs may pad a buffer by this many bytes. */
const MAX_PADDING_BYTES = 4096;
/** Bytes that are read at once where the whole file is read. */
const PIECE_BYTES = 2 ** 18;
/** A larger buffer is not kept for the next file. */
const MAX_KEPT_BYTES = 2 ** 22;
/**
 * Memory for the largest part of a file, kept for the next file: hundreds of files in a row would touch new memory for each. Null while a file is
 * being read.
 */
let partBuffer: Uint8Array | null = null;
/** The halves of a part of a column of 64-bit integers while it is being read; null before the first one. All files share it. */
let integerHalves: Int32Array | null = null;
/** Limit for one column of one record batch: 134 million rows of 8 bytes. */
const MAX_UNPACKED_BYTES = 2 ** 30;

/**
 * Runs `use` with the open file and closes it. Throws ConfigError if the file is missing or not an Arrow file. Pass `inflate` for files of
 * other programs: their columns may be compressed, and an empty value becomes NaN.
 */
export function withArrowFile<T>(path: string, use: (file: ArrowFile) => T, inflate: Inflate | null = null): T {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
  try {
    return use(new ArrowFile(path, handle, inflate));
  } catch (error) {
    // The offsets in a damaged file may point outside its bytes.
    if (error instanceof RangeError) throw damagedArrowFile(path, error.message, inflate !== null);
    // Files of other programs may be damaged in other ways, and the decompressors throw their own errors.
    if (inflate !== null && isContentError(error)) throw damagedArrowFile(path, error.message, true);
    throw fileError(path, 'cannot be read', error);
  } finally {
    closeSync(handle);
  }
}

/** True for an error of a parser or decompressor: neither isobar nor the system threw it. */
function isContentError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    !(error instanceof ConfigError) &&
    !(error instanceof InvariantError) &&
    !('code' in error && typeof error.code === 'string')
  );
}

/** Returns the error for a damaged file. `isForeign`: another program wrote the file. */
export function damagedArrowFile(path: string, reason: string, isForeign = false): ConfigError {
  const remedy = isForeign ? 'write it again, or fetch it again' : 'delete it and import the data again';
  return new ConfigError(`${path}: not a whole Arrow file of bars: ${reason}`, remedy);
}

/** An open file. Columns are read by name; rows count from 0. */
export class ArrowFile {
  /** Number of rows. */
  readonly rows: number;
  /** The columns, in the order of the file. */
  readonly fields: readonly ArrowField[];
  /** Custom key and value pairs of the schema. */
  readonly metadata: ReadonlyMap<string, string>;
  private readonly path: string;
  private readonly handle: number;
  private readonly inflate: Inflate | null;
  private readonly batches: readonly Batch[];
  private readonly size: number;
  private readonly footOffset: number;
  private readonly checksums: FileChecksums | null;
  /** A part of the file in memory, with its offset in the file; null if no part is. */
  private loadedPart: { readonly start: number; readonly bytes: Uint8Array } | null = null;
  /** The last decompressed buffer of each column, because rows are mostly read in order. */
  private readonly unpacked = new Map<number, { batch: Batch; bytes: Uint8Array }>();

  constructor(path: string, handle: number, inflate: Inflate | null) {
    assertLittleEndian();
    this.path = path;
    this.handle = handle;
    this.inflate = inflate;
    const size = fstatSync(handle).size;
    const bytes = (offset: number, length: number) => this.readBytes(offset, length);
    this.size = size;
    const footer = readFooter(size, bytes);
    const nestedColumn = footer.fields.find(({ buffers }) => buffers === null);
    if (nestedColumn !== undefined)
      throw new ConfigError(
        `${path}: isobar cannot step over column ${nestedColumn.name}, such as one of lists`,
        'write the file without it',
      );
    this.footOffset = footer.footOffset;
    this.checksums = footer.checksums;
    this.fields = footer.fields;
    this.metadata = footer.metadata;
    const batches: Batch[] = [];
    let rows = 0;
    for (const block of footer.blocks) {
      const batch = readBatch(block, footer.fields, rows, size, bytes);
      if (batch.codec !== null && inflate === null) throw new RangeError('compressed columns, which isobar does not write');
      batches.push(batch);
      rows += batch.rows;
    }
    this.batches = batches;
    this.rows = rows;
    this.checkFoot();
  }

  /** Throws ConfigError for a file of another program or of another version of isobar. `layout`: the version that the caller reads. */
  requireLayout(layout: string): void {
    if (this.metadata.get('isobar') === layout && this.checksums !== null) return;
    throw damagedArrowFile(this.path, 'it was not written by isobar, or by another version');
  }

  /** Reads the whole file, and returns true when all of its bytes are those that isobar wrote. */
  isUnchanged(): boolean {
    try {
      this.readWhole(0, 0, null, () => {});
      return true;
    } catch (error) {
      if (error instanceof ConfigError) return false;
      throw error;
    }
  }

  /** Throws ConfigError if the foot has changed. Its metadata would be wrong. */
  private checkFoot(): void {
    const { checksums, footOffset, size } = this;
    if (checksums === null || isFootUnchanged(this.readBytes(footOffset, size - footOffset), checksums)) return;
    throw this.partChangedError(footOffset, size);
  }

  /**
   * Reads the whole file once, in order, and checks the checksum of each part. Calls `use` for the rows of each batch between `fromRow` and
   * `toRow`; their columns can then be read without another disk read. All bytes are fed to `hash`. Throws ConfigError if the bytes have
   * changed or isobar did not write the file.
   */
  readWhole(fromRow: number, toRow: number, hash: Pick<Hash, 'update'> | null, use: (from: number, to: number) => void): void {
    for (const [from, to] of this.batchesInOrder(fromRow, toRow, hash)) use(from, to);
  }

  /** Reads as `readWhole` does, step by step: yields the rows of each batch between `fromRow` and `toRow`. Each step reads one batch. */
  *batchesInOrder(fromRow: number, toRow: number, hash: Pick<Hash, 'update'> | null): Generator<readonly [from: number, to: number]> {
    const { checksums, batches, footOffset, size } = this;
    if (checksums === null) throw this.changedError('it has no checksums: another program wrote it');
    const starts = [0, ...batches.map(({ start }) => start), footOffset];
    if (checksums.parts.length !== batches.length + 1) throw this.changedError('its checksums are not those of its batches');
    const partBytes = (index: number): number => (starts[index + 1] ?? size) - starts[index]!;
    const maxBytes = starts.reduce((max, _, index) => Math.max(max, partBytes(index)), 0);
    const buffer = partBuffer !== null && partBuffer.length >= maxBytes ? partBuffer : new Uint8Array(maxBytes);
    partBuffer = null;
    try {
      for (const [index, start] of starts.entries()) {
        const bytes = buffer.subarray(0, partBytes(index));
        this.loadedPart = null;
        let crc = 0;
        // Piece by piece, so that both sums find the bytes in the cache of the processor.
        for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
          const piece = bytes.subarray(from, Math.min(from + PIECE_BYTES, bytes.length));
          this.readAt(piece, start + from);
          hash?.update(piece);
          crc = crc32(piece, crc);
        }
        const isLastPart = index === starts.length - 1;
        const isUnchanged = isLastPart ? isFootUnchanged(bytes, checksums) : isPartUnchanged(crc, checksums.parts[index]);
        if (!isUnchanged) throw this.partChangedError(start, start + bytes.length);
        // Part 0 is the head of the file.
        const batch = batches[index - 1];
        if (batch === undefined || isLastPart) continue;
        this.loadedPart = { start, bytes };
        const from = Math.max(fromRow, batch.firstRow);
        const to = Math.min(toRow, batch.firstRow + batch.rows);
        if (from < to) yield [from, to];
      }
    } finally {
      this.loadedPart = null;
      partBuffer = buffer.length <= MAX_KEPT_BYTES ? buffer : null;
    }
  }

  /** Fills `into` with rows of a column of float64 or of int64, from `fromRow` on. An integer beyond 2^53 is rounded. */
  readFloats(name: string, fromRow: number, into: Float64Array): void {
    const column = this.columnIndex(name, 'float64', 'int64');
    if (this.fields[column]!.kind === 'int64') return this.readLongs(column, fromRow, into, 1);
    this.forEachBatch(fromRow, into.length, (batch, from, row, rows) => {
      this.readData(batch, column, bytesOf(into, row, rows), 8 * from);
      this.markEmpty(batch, column, from, into.subarray(row, row + rows));
    });
  }

  /** Fills `into` with rows of an int32 column, from `fromRow` on. */
  readInts(name: string, fromRow: number, into: Int32Array): void {
    const column = this.columnIndex(name, 'int32');
    this.forEachBatch(fromRow, into.length, (batch, from, row, rows) => {
      if (batch.buffers[column]!.nulls > 0) throw this.emptyValuesError(column);
      this.readData(batch, column, bytesOf(into, row, rows), 4 * from);
    });
  }

  /** Fills `into` with times (ms UTC) of a timestamp column, from `fromRow` on. Times finer than a ms have a fraction. */
  readTimes(name: string, fromRow: number, into: Float64Array): void {
    const column = this.columnIndex(name, 'timestamp');
    this.readLongs(column, fromRow, into, TICKS_PER_MS[this.fields[column]!.unit]!);
  }

  /** Fills `into` with rows of a column of 64-bit integers, divided by `divisor`. */
  private readLongs(column: number, fromRow: number, into: Float64Array, divisor: number): void {
    integerHalves ??= new Int32Array(2 * BATCH_ROWS);
    const halves = integerHalves;
    this.forEachBatch(fromRow, into.length, (batch, from, row, rows) => {
      for (let done = 0; done < rows; done += BATCH_ROWS) {
        const partRows = Math.min(BATCH_ROWS, rows - done);
        this.readData(batch, column, bytesOf(halves, 0, 2 * partRows), 8 * (from + done));
        writeTimes(halves, partRows, divisor, into, row + done);
      }
      this.markEmpty(batch, column, from, into.subarray(row, row + rows));
    });
  }

  /** Returns the first row of the rising timestamp column `name` with a time of at least `ms`; `rows` if there is no such row. */
  rowAt(name: string, ms: number): number {
    const middleTime = new Float64Array(1);
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      this.readTimes(name, middle, middleTime);
      if (middleTime[0]! < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the position of a column. Throws ConfigError if the file has no such column of this kind. */
  private columnIndex(name: string, ...kinds: readonly ArrowField['kind'][]): number {
    const index = this.fields.findIndex((field) => field.name === name && kinds.includes(field.kind));
    if (index >= 0) return index;
    const existing = this.fields.map((field) => `${field.name} (${field.kind ?? 'another type'})`).join(', ');
    throw this.damagedError(`expected a column ${name} of type ${kinds[0]}, found ${existing || 'no columns'}`);
  }

  /** Calls `use` for each batch in the range, with the first row in the batch, the first row in the range, and the number of rows. */
  private forEachBatch(fromRow: number, rows: number, use: (batch: Batch, from: number, row: number, rows: number) => void): void {
    const end = fromRow + rows;
    if (fromRow < 0 || end > this.rows) throw new RangeError(`rows ${fromRow} to ${end} of ${this.rows}`);
    for (let index = this.batchOf(fromRow); index < this.batches.length; index++) {
      const batch = this.batches[index]!;
      if (batch.firstRow >= end) return;
      const from = Math.max(fromRow, batch.firstRow);
      const to = Math.min(end, batch.firstRow + batch.rows);
      if (from < to) use(batch, from - batch.firstRow, from - fromRow, to - from);
    }
  }

  /** Returns the index of the first batch that ends after `row`. */
  private batchOf(row: number): number {
    let low = 0;
    let high = this.batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { firstRow, rows } = this.batches[middle]!;
      if (firstRow + rows <= row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Fills `into` with a column's data in `batch`, from byte `firstByte` on. */
  private readData(batch: Batch, column: number, into: Uint8Array, firstByte: number): void {
    const place = batch.buffers[column]!.data;
    if (batch.codec === null) return this.readAt(into, place.offset + firstByte);
    let unpacked = this.unpacked.get(column);
    if (unpacked?.batch !== batch) {
      const width = this.fields[column]!.kind === 'int32' ? 4 : 8;
      unpacked = { batch, bytes: this.unpack(batch.codec, place, batch.rows * width) };
      this.unpacked.set(column, unpacked);
    }
    const columnBytes = unpacked.bytes.subarray(firstByte, firstByte + into.length);
    if (columnBytes.length !== into.length) throw new RangeError(`column ${this.fields[column]!.name} ends early`);
    into.set(columnBytes);
  }

  /**
   * Returns a decompressed buffer. It starts with its decompressed length; -1 means that it is not compressed. The length may exceed
   * `neededBytes`, the bytes of its rows, only slightly, so that a damaged file cannot demand gigabytes.
   */
  private unpack(codec: number, { offset, length }: { offset: number; length: number }, neededBytes: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    const packed = this.readBytes(offset, length);
    const unpackedBytes = Number(new DataView(packed.buffer).getBigInt64(0, true));
    if (unpackedBytes === -1) return packed.subarray(8);
    const maxBytes = Math.min(2 * neededBytes + MAX_PADDING_BYTES, MAX_UNPACKED_BYTES);
    if (unpackedBytes < 0 || unpackedBytes > maxBytes || !this.inflate) throw new RangeError(`a buffer of ${unpackedBytes} bytes`);
    return this.inflate(codec, packed.subarray(8), unpackedBytes);
  }

  /** Sets rows without a value to NaN in `into`, which holds rows of `batch` from `from` on. */
  private markEmpty(batch: Batch, column: number, from: number, into: Float64Array): void {
    const { nulls, validity } = batch.buffers[column]!;
    if (nulls === 0) return;
    if (!this.inflate) throw this.emptyValuesError(column);
    const bits =
      batch.codec === null ? this.readBytes(validity.offset, validity.length) : this.unpack(batch.codec, validity, batch.rows / 8);
    for (let i = 0; i < into.length; i++) {
      const row = from + i;
      const hasValue = ((bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
      if (!hasValue) into[i] = NaN;
    }
  }

  private emptyValuesError(column: number): ConfigError {
    return this.damagedError(`empty values in column ${this.fields[column]!.name}`);
  }

  private partChangedError(start: number, end: number): ConfigError {
    return this.changedError(`bytes ${start} to ${end} are not those that were written`);
  }

  private changedError(reason: string): ConfigError {
    return new ConfigError(
      `${this.path}: its bytes have changed since isobar wrote it: ${reason}`,
      'restore the file, or delete it and import the data again; isobar data check looks at all files',
    );
  }

  private damagedError(reason: string): ConfigError {
    return damagedArrowFile(this.path, reason, this.inflate !== null);
  }

  /** Returns bytes of the file. Throws RangeError if they are not completely in the file. */
  private readBytes(offset: number, length: number): Uint8Array {
    if (!(length >= 0 && offset + length <= this.size)) throw new RangeError(`${length} bytes at ${offset} of ${this.size}`);
    const into = new Uint8Array(length);
    this.readAt(into, offset);
    return into;
  }

  /** Fills `into` with the bytes from `offset` on: from the part in memory if it has all of them, else from the disk. */
  private readAt(into: Uint8Array, offset: number): void {
    const { loadedPart } = this;
    if (loadedPart !== null && offset >= loadedPart.start && offset + into.byteLength <= loadedPart.start + loadedPart.bytes.byteLength) {
      into.set(loadedPart.bytes.subarray(offset - loadedPart.start, offset - loadedPart.start + into.byteLength));
      return;
    }
    let bytesRead = 0;
    while (bytesRead < into.byteLength) {
      const chunkBytes = readSync(this.handle, into, bytesRead, into.byteLength - bytesRead, offset + bytesRead);
      if (chunkBytes === 0) throw this.damagedError(`it ends at byte ${offset + bytesRead}`);
      bytesRead += chunkBytes;
    }
  }
}

/** Writes `rows` times, given as halves of int64, to `into` from `firstIndex` on. Hot: docs/performance.md#index-loops. */
function writeTimes(halves: Int32Array, rows: number, ticks: number, into: Float64Array, firstIndex: number): void {
  for (let i = 0; i < rows; i++) {
    const low = halves[2 * i]! >>> 0;
    const high = halves[2 * i + 1]!;
    into[firstIndex + i] = ticks > 1 ? ticksToMs(low, high, ticks) : (high * TWO_32 + low) / ticks;
  }
}

/** Returns an int64 of ticks, given as two halves, in ms. Exact for whole ms, even if the ticks exceed 2^53. */
function ticksToMs(low: number, high: number, ticks: number): number {
  // The remainder, computed from both halves so that each term stays below 2^53.
  const remainderTicks = ((((high % ticks) * (TWO_32 % ticks) + low) % ticks) + ticks) % ticks;
  const wholeMs = Math.round((high * TWO_32 + low - remainderTicks) / ticks);
  return wholeMs + remainderTicks / ticks;
}
