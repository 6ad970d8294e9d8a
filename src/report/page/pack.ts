// Packs columns of integers for the page: differences, zigzag, byte planes, gzip, base64. A bar costs about six bytes of HTML.

import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import type { PackedColumn, PackedDecimals, PackedStep } from './wire.ts';

const gzipAsync = promisify(gzip);
// Price differences have few repeated sequences, mainly runs of zeros and a skewed distribution. This strategy gives the size of level 4 in
// a third of the time.
const GZIP = { level: 1, strategy: constants.Z_RLE, memLevel: 9 } as const;
/**
 * Settings for short columns. They give the same bytes with less memory. `GZIP` takes 400 KB for each column, and a page of hundreds of
 * instruments has thousands of short columns.
 */
const SHORT_GZIP = { ...GZIP, memLevel: 5, windowBits: 11, chunkSize: 4096 } as const;
/** A column with fewer bytes is compressed with `SHORT_GZIP`. */
const MIN_LONG_BYTES = 2000;
/** Second differences of integers below this bound fit 32 bits. */
const MAX_PACKED = 2 ** 28;
/** Possible values of `times` of a step, the coarsest first. */
const STEP_TIMES = [5, 2, 1] as const;
const BASE64_CHARS_PER_BYTE = 4 / 3;

/** How many times differences are taken: 0, 1 or 2. */
export type ColumnOrder = PackedColumn['order'];

/** Rows in a chunk. They fit into the processor's first-level cache. */
const CHUNK_ROWS = 2048;

/** A column of 32-bit integers that is written chunk by chunk, so that it is never in memory as a whole. */
export interface IntegerSource {
  readonly length: number;
  /** Writes the rows [from, to) to the beginning of `into`. Called once for each chunk, in order. */
  write(from: number, to: number, into: Int32Array): void;
}

type Column = IntegerSource | Int32Array | Uint8Array | Uint16Array | Float64Array;

/** A packed column that is not on a page yet. */
export interface ReadyColumn extends Omit<PackedColumn, 'id'> {
  readonly text: Promise<string>;
}

/** Number of columns in compression from which the caller should wait. Each takes 400 KB until it is done. */
const MAX_UNFINISHED = 24;

/** Packs columns. The zlib threads work while the next column is prepared. */
export class Packer {
  #unfinished: Promise<unknown>[] = [];
  /** Total length of the finished texts. */
  length = 0;

  /** Packs integers below 2^28, or in a Float64Array below 2^50. `order` is the number of times that differences are taken. */
  pack(values: Column, order: ColumnOrder): ReadyColumn {
    const { bytes, planes } = values instanceof Float64Array ? wideBytes(values, order) : narrowBytes(values, order);
    const text = compressedText(bytes);
    // A failure is reported to the caller that awaits the column.
    this.#unfinished.push(text.then(({ length }) => (this.length += length), () => 0)); // prettier-ignore
    return { length: values.length, planes, order, text };
  }

  /** True when the caller should await `finish` before it packs more. */
  get isFull(): boolean {
    return this.#unfinished.length >= MAX_UNFINISHED;
  }
  /** Waits until all columns are compressed. */
  async finish(): Promise<void> {
    await Promise.all(this.#unfinished);
    this.#unfinished = [];
  }
}

/** The packed columns of one page, each with the id of its element. */
export class Pack {
  /** Packs the columns in the background. */
  readonly packer = new Packer();
  readonly #columns: Promise<{ id: string; text: string }>[] = [];

  /** Packs a column as `Packer.pack` does, and adds it. */
  add(values: Column, order: ColumnOrder): PackedColumn {
    return this.place(this.packer.pack(values, order));
  }
  /** Adds a packed column. */
  place({ text: textPromise, length, planes, order }: ReadyColumn): PackedColumn {
    const id = `c${this.#columns.length}`;
    this.#columns.push(textPromise.then((text) => ({ id, text })));
    return { id, length, planes, order };
  }

  /** Adds decimals rounded to `step`. NaN is allowed. `divisor` turns whole units into decimals. */
  addDecimals(values: Float64Array, step: PackedStep, order: ColumnOrder, divisor = 1): PackedDecimals {
    const source = new QuantizedSource(values, step, divisor);
    return { ...this.add(source, order), step, holes: source.holes };
  }

  /** Returns the texts of all columns with the ids of their elements. */
  finish(): Promise<{ id: string; text: string }[]> {
    return Promise.all(this.#columns);
  }
}

/** Returns compressed bytes as base64. Long columns are compressed on another thread. */
async function compressedText(bytes: Uint8Array): Promise<string> {
  const compressed = bytes.length < MIN_LONG_BYTES ? gzipSync(bytes, SHORT_GZIP) : await gzipAsync(bytes, GZIP);
  return compressed.toString('base64');
}

/** Returns the number of bytes of HTML for each value of a packed column. */
export function packedBytes(values: IntegerSource | Int32Array, order: ColumnOrder): number {
  return values.length === 0 ? 0 : (gzipSync(narrowBytes(values, order).bytes, GZIP).length * BASE64_CHARS_PER_BYTE) / values.length;
}

/** Bytes of a column in planes: first the lowest byte of all rows, then the next byte of all rows. */
interface BytePlanes {
  readonly bytes: Uint8Array;
  readonly planes: number;
}

const integers = new Int32Array(CHUNK_ROWS);
const codes = new Uint32Array(CHUNK_ROWS);
/** The last value and the last difference of the previous chunk. */
const previous = new Int32Array(2);

/** Returns the bytes of a column of integers below 2^28. */
export function narrowBytes(values: IntegerSource | Int32Array | Uint8Array | Uint16Array, order: ColumnOrder): BytePlanes {
  const length = values.length;
  // Reserves four planes. The upper planes of a chunk with small integers are not written: they stay zero and take no memory.
  const bytes = new Uint8Array(4 * length);
  let planes = 1;
  previous.fill(0);
  for (let from = 0; from < length; from += CHUNK_ROWS) {
    const to = Math.min(length, from + CHUNK_ROWS);
    if ('write' in values) values.write(from, to, integers);
    else integers.set(values.subarray(from, to));
    const planesOfChunk = planesOf(toZigzag(to - from, order));
    planes = Math.max(planes, planesOfChunk);
    for (let plane = 0; plane < planesOfChunk; plane++) writePlane(bytes, plane * length + from, to - from, 8 * plane);
  }
  return { bytes: bytes.subarray(0, length * planes), planes };
}

/** Returns what a column stores for a value: the value (order 0), its step from the last value (1), or the change of that step (2). */
function storedValueOf(order: ColumnOrder, value: number, step: number, lastStep: number): number {
  if (order === 0) return value;
  return order === 1 ? step : step - lastStep;
}

/** Converts the integers of a chunk to zigzag numbers in `codes`. Returns the union of their bits. */
function toZigzag(rows: number, order: ColumnOrder): number {
  let lastValue = previous[0]!;
  let lastStep = previous[1]!;
  let usedBits = 0;
  for (let i = 0; i < rows; i++) {
    const value = integers[i]!;
    const step = value - lastValue;
    const storedValue = storedValueOf(order, value, step, lastStep);
    const code = (storedValue << 1) ^ (storedValue >> 31);
    codes[i] = code;
    usedBits |= code;
    lastValue = value;
    lastStep = step;
  }
  previous[0] = lastValue;
  previous[1] = lastStep;
  return usedBits >>> 0;
}

/** Returns the number of bytes that these bits need. */
function planesOf(usedBits: number): number {
  if (usedBits > 0xff_ff_ff) return 4;
  if (usedBits > 0xff_ff) return 3;
  return usedBits > 0xff ? 2 : 1;
}

/** Writes one byte of each code of a chunk, beginning at `offset`. */
function writePlane(bytes: Uint8Array, offset: number, rows: number, shift: number): void {
  for (let i = 0; i < rows; i++) bytes[offset + i] = codes[i]! >>> shift;
}

/** Returns the bytes of a column of integers below 2^50. It divides instead of shifting, so it is for columns with few rows. */
export function wideBytes(values: Float64Array, order: ColumnOrder): BytePlanes {
  const length = values.length;
  const zigzag = new Float64Array(length);
  let lastValue = 0;
  let lastStep = 0;
  let maxCode = 0;
  for (let i = 0; i < length; i++) {
    const value = values[i]!;
    const step = value - lastValue;
    const storedValue = storedValueOf(order, value, step, lastStep);
    const code = storedValue < 0 ? -2 * storedValue - 1 : 2 * storedValue;
    zigzag[i] = code;
    if (code > maxCode) maxCode = code;
    lastValue = value;
    lastStep = step;
  }
  let planes = 1;
  for (let limit = 256; maxCode >= limit; limit *= 256) planes++;
  const bytes = new Uint8Array(length * planes);
  let offset = 0;
  for (let plane = 0; plane < planes; plane++) {
    for (let i = 0; i < length; i++) {
      const code = zigzag[i]!;
      const upperBytes = Math.floor(code / 256);
      bytes[offset++] = code - upperBytes * 256;
      zigzag[i] = upperBytes;
    }
  }
  return { bytes, planes };
}

/**
 * Converts values / `divisor` to integers in multiples of `step`. A row without a value repeats the previous integer. `holes` lists the
 * gaps (runs of such rows) as first row and count. It is complete after the last row.
 */
class QuantizedSource implements IntegerSource {
  readonly length: number;
  readonly holes: number[] = [];
  readonly #values: Float64Array;
  readonly #step: PackedStep;
  readonly #divisor: number;
  #last = 0;
  /** First row of the current gap. -1 outside a gap. */
  #gapStart = -1;

  constructor(values: Float64Array, step: PackedStep, divisor: number) {
    this.length = values.length;
    this.#values = values;
    this.#step = step;
    this.#divisor = divisor;
  }

  write(from: number, to: number, into: Int32Array): void {
    const values = this.#values;
    const divisor = this.#divisor;
    const { times, digits } = this.#step;
    const scale = 10 ** digits;
    let last = this.#last;
    for (let i = from; i < to; i++) {
      const scaled = divisor === 1 ? values[i]! * scale : (values[i]! / divisor) * scale;
      // For a finite number the difference with itself is 0. For NaN and infinity it is NaN.
      if (scaled - scaled === 0) {
        last = times === 1 ? Math.round(scaled) : Math.round(scaled / times);
        if (this.#gapStart >= 0) this.#endGap(i);
      } else if (this.#gapStart < 0) this.#gapStart = i;
      into[i - from] = last;
    }
    this.#last = last;
    if (to === this.length && this.#gapStart >= 0) this.#endGap(to);
  }

  #endGap(row: number): void {
    this.holes.push(this.#gapStart, row - this.#gapStart);
    this.#gapStart = -1;
  }
}

/** Returns decimals, rounded to `step`, as a source for `Packer.pack`. */
export function decimals(values: Float64Array, step: PackedStep): IntegerSource {
  return new QuantizedSource(values, step, 1);
}

/** Returns integers in multiples of `step`, and the rows without a value. */
export function quantize(values: Float64Array, step: PackedStep): { integers: Int32Array; holes: number[] } {
  const source = new QuantizedSource(values, step, 1);
  const rounded = new Int32Array(values.length);
  if (rounded.length > 0) source.write(0, rounded.length, rounded);
  return { integers: rounded, holes: source.holes };
}

/** Returns the finest step with at most `digits` digits with which values of at most `maxAbsolute` are integers of at most 2^28. */
export function exactStep(maxAbsolute: number, digits: number): PackedStep {
  const maxDigits = Math.floor(Math.log10(MAX_PACKED / Math.max(maxAbsolute, 1e-300)));
  return { times: 1, digits: Math.min(digits, maxDigits) };
}

/** Returns a step for a column that is only drawn: the coarsest one up to `share` of the largest value, but at least `exactStep`. */
export function drawnStep(maxAbsolute: number, digits: number, share: number): PackedStep {
  const exact = exactStep(maxAbsolute, digits);
  const maxStep = maxAbsolute * share;
  if (!(maxStep > 10 ** -exact.digits)) return exact;
  const wantedDigits = Math.ceil(-Math.log10(maxStep));
  const times = STEP_TIMES.find((step) => step * 10 ** -wantedDigits <= maxStep) ?? 1;
  return { times, digits: wantedDigits };
}

/** Returns the largest absolute value of a column. NaN does not count. */
export function maxAbsoluteOf(values: Float64Array): number {
  let maxAbsolute = 0;
  for (let i = 0; i < values.length; i++) {
    const absolute = Math.abs(values[i]!);
    // A comparison with NaN is false.
    if (absolute > maxAbsolute) maxAbsolute = absolute;
  }
  return maxAbsolute;
}
