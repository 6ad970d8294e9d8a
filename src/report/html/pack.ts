// Packs columns of integers for the page: differences, zigzag, byte planes, gzip, base64. A bar costs about six bytes of HTML.

import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { PackedColumn, PackedDecimals } from './page/wire.ts';

const gzipped = promisify(gzip);
// Differences of prices have no repeats to find, only runs (of zeros) and a skewed alphabet: at equal size this takes a third of the time of level 4.
const GZIP = { level: 1, strategy: constants.Z_RLE, memLevel: 9 } as const;
const LARGEST_32 = 2 ** 30;

export type Integers = Int32Array | Float64Array | Uint8Array | readonly number[];

/** The packed columns of one page, by element id, in order of being added. zlib's threads work while the next column is prepared. */
export class Pack {
  readonly #texts: Promise<{ id: string; text: string }>[] = [];

  /** Adds integers below 2^53. `delta`: neighbours are alike, so their differences are kept. */
  add(values: Integers, delta: boolean): PackedColumn {
    const id = `c${this.#texts.length}`;
    const { bytes, planes } = byPlanes(values, delta);
    this.#texts.push(gzipped(bytes, GZIP).then(packed => ({ id, text: packed.toString('base64') })));
    return { id, length: values.length, planes, delta };
  }

  /** Adds decimals rounded to `digits`, NaN allowed. */
  addDecimals(values: Float64Array, digits: number): PackedDecimals {
    const { integers, holes } = quantized(values, digits);
    return { ...this.add(integers, true), digits, holes };
  }

  finish(): Promise<{ id: string; text: string }[]> {
    return Promise.all(this.#texts);
  }
}

/** Differences, zigzag (sign in the lowest bit), then all lowest bytes, all second bytes, ...: equal bytes come to lie together. */
export function byPlanes(values: Integers, delta: boolean): { bytes: Uint8Array; planes: number } {
  return values instanceof Int32Array || values instanceof Uint8Array ? narrow(values, delta) : wide(values, delta);
}

function narrow(values: Int32Array | Uint8Array, delta: boolean): { bytes: Uint8Array; planes: number } {
  const n = values.length;
  const zigzag = new Uint32Array(n);
  let last = 0;
  let any = 0;
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    const d = delta ? value - last : value;
    // Values stay below 2^30, so that a difference fits 31 bits and its zigzag 32.
    const z = ((d << 1) ^ (d >> 31)) >>> 0;
    zigzag[i] = z;
    any |= z;
    last = value;
  }
  any >>>= 0;
  const planes = any > 0xff_ff_ff ? 4 : any > 0xff_ff ? 3 : any > 0xff ? 2 : 1;
  const bytes = new Uint8Array(n * planes);
  for (let p = 0, at = 0; p < planes; p++) {
    const shift = 8 * p;
    for (let i = 0; i < n; i++) bytes[at++] = zigzag[i]! >>> shift;
  }
  return { bytes, planes };
}

/** The same for integers up to 2^52: a column of few rows (trades, fills), so clarity before speed. */
function wide(values: ArrayLike<number>, delta: boolean): { bytes: Uint8Array; planes: number } {
  const n = values.length;
  const zigzag = new Float64Array(n);
  let last = 0;
  let most = 0;
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    const d = delta ? value - last : value;
    const z = d < 0 ? -2 * d - 1 : 2 * d;
    zigzag[i] = z;
    if (z > most) most = z;
    last = value;
  }
  let planes = 1;
  for (let limit = 256; most >= limit; limit *= 256) planes++;
  const bytes = new Uint8Array(n * planes);
  for (let p = 0, at = 0; p < planes; p++) {
    for (let i = 0; i < n; i++) {
      const z = zigzag[i]!;
      const rest = Math.floor(z / 256);
      bytes[at++] = z - rest * 256;
      zigzag[i] = rest;
    }
  }
  return { bytes, planes };
}

/** Integers of 10^-digits; a row without a value repeats the one before it and stands in `holes` as (first row, count) in turn. */
export function quantized(values: Float64Array, digits: number): { integers: Int32Array; holes: number[] } {
  const scale = 10 ** digits;
  const integers = new Int32Array(values.length);
  const holes: number[] = [];
  let last = 0;
  let hole = -1;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // The difference of a value with itself is 0 unless it is NaN or infinite: one test for both.
    if (value - value === 0) {
      last = Math.round(value * scale);
      if (hole >= 0) {
        holes.push(hole, i - hole);
        hole = -1;
      }
    } else if (hole < 0) hole = i;
    integers[i] = last;
  }
  if (hole >= 0) holes.push(hole, values.length - hole);
  return { integers, holes };
}

/** The digits at which `values` are drawn: at most `wanted`, as few as a pixel needs (5 millionths of `typical`), never beyond 32 bits. */
export function drawnDigits(values: Float64Array, wanted: number, share: number): number {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (!(size > 0) || size === Infinity) return Math.max(0, Math.min(wanted, 2));
  const needed = share > 0 ? Math.ceil(-Math.log10(size * share)) : wanted;
  const fits = Math.floor(Math.log10(LARGEST_32 / size));
  return Math.min(wanted, Math.max(needed, 0), fits);
}
