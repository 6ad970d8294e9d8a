// Unpacks the columns of the page: base64, gzip, byte planes, zigzag, sums. The inverse of the writer's pack.
/// <reference lib="dom" />

import type { PackedColumn, PackedDecimals } from './wire.ts';

async function bytesOf(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id);
  const text = element?.textContent ?? '';
  // The text is not needed again; the page gets half as large in memory.
  element?.remove();
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Integers that fit 32 bits. */
export async function unpack32(column: PackedColumn): Promise<Int32Array> {
  return integers32(await bytesOf(column.id), column);
}

export function integers32(bytes: Uint8Array, { length, planes, delta }: PackedColumn): Int32Array {
  const out = new Int32Array(length);
  for (let p = 0, at = 0; p < planes; p++) {
    const shift = 8 * p;
    for (let i = 0; i < length; i++) out[i]! |= bytes[at++]! << shift;
  }
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const z = out[i]!;
    const d = (z >>> 1) ^ -(z & 1);
    sum = delta ? sum + d : d;
    out[i] = sum;
  }
  return out;
}

/** Integers up to 2^52. */
export async function unpackWide(column: PackedColumn): Promise<Float64Array> {
  return integersWide(await bytesOf(column.id), column);
}

export function integersWide(bytes: Uint8Array, { length, planes, delta }: PackedColumn): Float64Array {
  const out = new Float64Array(length);
  let scale = 1;
  for (let p = 0, at = 0; p < planes; p++, scale *= 256) for (let i = 0; i < length; i++) out[i]! += bytes[at++]! * scale;
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const z = out[i]!;
    const d = z % 2 === 0 ? z / 2 : -(z + 1) / 2;
    sum = delta ? sum + d : d;
    out[i] = sum;
  }
  return out;
}

/** Decimals; NaN where there is no value. */
export async function unpackDecimals(column: PackedDecimals): Promise<Float64Array> {
  return decimals(integers32(await bytesOf(column.id), column), column);
}

export function decimals(integers: Int32Array, { digits, holes }: PackedDecimals): Float64Array {
  const out = new Float64Array(integers.length);
  const scale = 10 ** Math.abs(digits);
  for (let i = 0; i < out.length; i++) out[i] = digits < 0 ? integers[i]! * scale : integers[i]! / scale;
  for (let h = 0; h < holes.length; h += 2) out.fill(Number.NaN, holes[h]!, holes[h]! + holes[h + 1]!);
  return out;
}
