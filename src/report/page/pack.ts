// Packs columns of integers for the page: differences, zigzag, byte planes, gzip, base64. A bar costs about six bytes of HTML.

import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';
import type { PackedColumn, PackedDecimals, PackedStep } from './wire.ts';

const gzipped = promisify(gzip);
// Price differences have no repeated sequences, only runs of zeros and a skewed distribution. At equal size, this strategy takes a third of
// the time of level 4.
const GZIP = { level: 1, strategy: constants.Z_RLE, memLevel: 9 } as const;
/** Second differences of integers below this bound fit 32 bits. */
const MAX_PACKED = 2 ** 28;
const STEPS = [5, 2, 1] as const;
/** Base64 characters for each byte. */
const BASE64 = 4 / 3;

export type ColumnOrder = PackedColumn['order'];

/** The packed columns of one page. The zlib threads work while the next column is prepared. */
export class Pack {
  readonly #columns: Promise<{ id: string; text: string }>[] = [];

  /** Adds integers below 2^28, or in a Float64Array below 2^50. `order` is the number of times that differences are taken. */
  add(values: Int32Array | Uint8Array | Float64Array, order: ColumnOrder): PackedColumn {
    const id = `c${this.#columns.length}`;
    const { bytes, planes } = values instanceof Float64Array ? wideBytes(values, order) : narrowBytes(values, order);
    this.#columns.push(gzipped(bytes, GZIP).then((packed) => ({ id, text: packed.toString('base64') })));
    return { id, length: values.length, planes, order };
  }

  /** Adds decimals rounded to `step`. NaN is allowed. */
  addDecimals(values: Float64Array, step: PackedStep, order: ColumnOrder): PackedDecimals {
    const { integers, holes } = quantized(values, step);
    return { ...this.add(integers, order), step, holes };
  }

  finish(): Promise<{ id: string; text: string }[]> {
    return Promise.all(this.#columns);
  }
}

/** Returns the bytes of packed HTML for each of `values`. */
export function packedBytes(values: Int32Array, order: ColumnOrder): number {
  return values.length === 0 ? 0 : (gzipSync(narrowBytes(values, order).bytes, GZIP).length * BASE64) / values.length;
}

interface Bytes {
  readonly bytes: Uint8Array;
  readonly planes: number;
}

export function narrowBytes(values: Int32Array | Uint8Array, order: ColumnOrder): Bytes {
  const n = values.length;
  const zigzag = new Uint32Array(n);
  let [last, lastStep, any] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    const step = value - last;
    const d = order === 0 ? value : order === 1 ? step : step - lastStep;
    const z = (d << 1) ^ (d >> 31);
    zigzag[i] = z;
    any |= z;
    last = value;
    lastStep = step;
  }
  any >>>= 0;
  const planes = any > 0xff_ff_ff ? 4 : any > 0xff_ff ? 3 : any > 0xff ? 2 : 1;
  const bytes = new Uint8Array(n * planes);
  for (let plane = 0, at = 0; plane < planes; plane++) {
    const shift = 8 * plane;
    for (let i = 0; i < n; i++) bytes[at++] = zigzag[i]! >>> shift;
  }
  return { bytes, planes };
}

/** Packs integers beyond 32 bits by division, for columns with few rows (trades, fills). */
export function wideBytes(values: Float64Array, order: ColumnOrder): Bytes {
  const n = values.length;
  const zigzag = new Float64Array(n);
  let [last, lastStep, max] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    const step = value - last;
    const d = order === 0 ? value : order === 1 ? step : step - lastStep;
    const z = d < 0 ? -2 * d - 1 : 2 * d;
    zigzag[i] = z;
    if (z > max) max = z;
    last = value;
    lastStep = step;
  }
  let planes = 1;
  for (let limit = 256; max >= limit; limit *= 256) planes++;
  const bytes = new Uint8Array(n * planes);
  for (let plane = 0, at = 0; plane < planes; plane++) {
    for (let i = 0; i < n; i++) {
      const z = zigzag[i]!;
      const rest = Math.floor(z / 256);
      bytes[at++] = z - rest * 256;
      zigzag[i] = rest;
    }
  }
  return { bytes, planes };
}

/**
 * Returns integers in multiples of `step`. A row without a value repeats the previous one, and `holes` lists such rows as (first row,
 * count).
 */
export function quantized(values: Float64Array, { times, digits }: PackedStep): { integers: Int32Array; holes: number[] } {
  const n = values.length;
  const scale = 10 ** digits;
  const integers = new Int32Array(n);
  const holes: number[] = [];
  let last = 0;
  let hole = -1;
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    // For a finite number the difference with itself is 0. For NaN and infinity it is NaN.
    if (value - value === 0) {
      last = times === 1 ? Math.round(value * scale) : Math.round((value * scale) / times);
      if (hole >= 0) holes.push(hole, i - hole);
      hole = -1;
    } else if (hole < 0) hole = i;
    integers[i] = last;
  }
  if (hole >= 0) holes.push(hole, n - hole);
  return { integers, holes };
}

/** Returns the finest step that fits 32 bits, with at most `digits` digits. */
export function exactStep(values: Float64Array, digits: number): PackedStep {
  const fits = Math.floor(Math.log10(MAX_PACKED / Math.max(sizeOf(values), 1e-300)));
  return { times: 1, digits: Math.min(digits, fits) };
}

/** Returns the coarsest step of at most `share` of the largest value, which is enough for drawing. It is never finer than `exactStep`. */
export function drawnStep(values: Float64Array, digits: number, share: number): PackedStep {
  const exact = exactStep(values, digits);
  const wanted = sizeOf(values) * share;
  if (!(wanted > 10 ** -exact.digits)) return exact;
  const wantedDigits = Math.ceil(-Math.log10(wanted));
  const times = STEPS.find((step) => step * 10 ** -wantedDigits <= wanted) ?? 1;
  return { times, digits: wantedDigits };
}

function sizeOf(values: Float64Array): number {
  let size = 0;
  for (let i = 0; i < values.length; i++) {
    const value = Math.abs(values[i]!);
    // A comparison with NaN is false.
    if (value > size) size = value;
  }
  return size;
}
