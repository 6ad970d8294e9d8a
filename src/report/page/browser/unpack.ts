// Unpacks the columns of the page: base64, gzip, byte planes, zigzag, running sums. It reverses pack.ts.

import type { PackedColumn, PackedDecimals } from '../wire.ts';

/** Returns the bytes of a packed column, and removes its element. */
async function bytesOf(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id);
  const text = element?.textContent ?? '';
  // Removes the packed text, which halves the memory of the page.
  element?.remove();
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < packed.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns integers that fit 32 bits. */
export async function unpack32(column: PackedColumn): Promise<Int32Array> {
  return narrowValues(await bytesOf(column.id), column);
}

/** Returns integers up to 2^50. */
export async function unpackWide(column: PackedColumn): Promise<Float64Array> {
  return wideValues(await bytesOf(column.id), column);
}

/** Returns decimals. NaN for a row without a value. */
export async function unpackDecimals(column: PackedDecimals): Promise<Float64Array> {
  return decimalValues(narrowValues(await bytesOf(column.id), column), column);
}

/** Returns the integers of byte planes. They fit 32 bits. */
export function narrowValues(bytes: Uint8Array, { length, planes, order }: PackedColumn): Int32Array {
  const out = new Int32Array(length);
  for (let plane = 0, index = 0; plane < planes; plane++) {
    const shift = 8 * plane;
    for (let i = 0; i < length; i++) out[i]! |= bytes[index++]! << shift;
  }
  for (let i = 0; i < length; i++) out[i] = (out[i]! >>> 1) ^ -(out[i]! & 1);
  for (let round = 0; round < order; round++) for (let i = 1; i < length; i++) out[i]! += out[i - 1]!;
  return out;
}

/** Returns the integers of byte planes. They are below 2^50. */
export function wideValues(bytes: Uint8Array, { length, planes, order }: PackedColumn): Float64Array {
  const out = new Float64Array(length);
  let scale = 1;
  for (let plane = 0, index = 0; plane < planes; plane++, scale *= 256) for (let i = 0; i < length; i++) out[i]! += bytes[index++]! * scale;
  for (let i = 0; i < length; i++) out[i] = out[i]! % 2 === 0 ? out[i]! / 2 : -(out[i]! + 1) / 2;
  for (let round = 0; round < order; round++) for (let i = 1; i < length; i++) out[i]! += out[i - 1]!;
  return out;
}

/** Converts integers to decimals. NaN in the rows that `holes` lists. */
export function decimalValues(integers: Int32Array, { step, holes }: PackedDecimals): Float64Array {
  const out = new Float64Array(integers.length);
  const scale = 10 ** step.digits;
  for (let i = 0; i < out.length; i++) out[i] = (integers[i]! * step.times) / scale;
  for (let hole = 0; hole < holes.length; hole += 2) out.fill(Number.NaN, holes[hole], holes[hole]! + holes[hole + 1]!);
  return out;
}
