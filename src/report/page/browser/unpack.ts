// Unpacks the data columns of a report page in the browser: base64, gzip, byte planes, zigzag, running sums. It reverses ../pack.ts.

import type { PackedColumn, PackedDecimals } from '../wire.ts';

/** Returns the bytes of a packed column, and removes its element. */
async function bytesOf(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id);
  const text = element?.textContent ?? '';
  // Removes the packed text, which halves the memory of the page.
  element?.remove();
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let index = 0; index < packed.length; index++) packed[index] = binary.charCodeAt(index);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the integers of a packed column. They fit 32 bits. */
export async function unpackNarrow(column: PackedColumn): Promise<Int32Array> {
  return narrowIntegers(await bytesOf(column.id), column);
}

/** Returns the integers of a packed column. They are below 2^50. */
export async function unpackWide(column: PackedColumn): Promise<Float64Array> {
  return wideIntegers(await bytesOf(column.id), column);
}

/** Returns the decimals of a packed column. NaN for a row without a value. */
export async function unpackDecimals(column: PackedDecimals): Promise<Float64Array> {
  return decimalValues(narrowIntegers(await bytesOf(column.id), column), column);
}

/** Returns the integers of byte planes. They fit 32 bits. Plane `p` has byte `p` of each integer, the lowest byte first. */
export function narrowIntegers(bytes: Uint8Array, { length, planes, order }: PackedColumn): Int32Array {
  const integers = new Int32Array(length);
  let offset = 0;
  for (let plane = 0; plane < planes; plane++) {
    const shift = 8 * plane;
    for (let row = 0; row < length; row++) integers[row]! |= bytes[offset++]! << shift;
  }
  // Zigzag: even codes are integers from 0 on, odd codes are negative integers.
  for (let row = 0; row < length; row++) integers[row] = (integers[row]! >>> 1) ^ -(integers[row]! & 1);
  addDifferences(integers, order);
  return integers;
}

/** Returns the integers of byte planes. They are below 2^50, so bit operations would lose their upper bits. */
export function wideIntegers(bytes: Uint8Array, { length, planes, order }: PackedColumn): Float64Array {
  const integers = new Float64Array(length);
  let offset = 0;
  let scale = 1;
  for (let plane = 0; plane < planes; plane++) {
    for (let row = 0; row < length; row++) integers[row]! += bytes[offset++]! * scale;
    scale *= 256;
  }
  for (let row = 0; row < length; row++) {
    const code = integers[row]!;
    integers[row] = code % 2 === 0 ? code / 2 : -(code + 1) / 2;
  }
  addDifferences(integers, order);
  return integers;
}

/** Replaces differences by their running sums. `differenceOrder` 2 means differences of differences. */
function addDifferences(integers: Int32Array | Float64Array, differenceOrder: number): void {
  for (let round = 0; round < differenceOrder; round++) {
    for (let row = 1; row < integers.length; row++) integers[row]! += integers[row - 1]!;
  }
}

/** Converts integers to decimals. Gaps (pairs of first row and number of rows) become NaN. */
export function decimalValues(integers: Int32Array, { step, holes: gaps }: PackedDecimals): Float64Array {
  const decimals = new Float64Array(integers.length);
  const scale = 10 ** step.digits;
  for (let row = 0; row < decimals.length; row++) decimals[row] = (integers[row]! * step.times) / scale;
  for (let index = 0; index < gaps.length; index += 2) {
    const firstRow = gaps[index]!;
    decimals.fill(Number.NaN, firstRow, firstRow + gaps[index + 1]!);
  }
  return decimals;
}
