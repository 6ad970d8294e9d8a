// Decodes the parts of a strategy's text that may be bytes in base 64 or hexadecimal digits, as bits and as numbers of fixed width.

import { appendAll } from '../../../base/memory/appendAll.ts';

/** Matches runs of letters and digits that are long enough to contain a table of moves. */
const ENCODED = /[A-Za-z\d+/_-]{14,}={0,2}/g;
const HEX = /^(?:[\dA-Fa-f]{2})+$/;
const BITS = 8;

/** One interpretation of encoded bytes, with the position in the text of each value. */
export interface ByteReading {
  /** True: `values` are bits. False: they are numbers. */
  readonly isBits: boolean;
  readonly values: ArrayLike<number>;
  readonly placeOf: (index: number) => number;
}

interface Width {
  readonly bytes: number;
  readonly read: (view: DataView, offset: number) => number;
}

/** The number types of typed arrays, little-endian as on this kind of computer. */
const WIDTHS: readonly Width[] = [
  { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) },
  { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
  { bytes: 4, read: (view, offset) => view.getInt32(offset, true) },
  { bytes: 2, read: (view, offset) => view.getInt16(offset, true) },
  { bytes: 2, read: (view, offset) => view.getUint16(offset, true) },
  { bytes: 1, read: (view, offset) => view.getInt8(offset) },
];

/** Returns all interpretations of the encoded parts of a text, up to `maxCharacters` of them. Those with fewer than `minMembers` values are omitted. */
export function bytesIn(text: string, minMembers: number, maxCharacters: number): ByteReading[] {
  const readings: ByteReading[] = [];
  let characters = 0;
  for (const { 0: part, index } of text.matchAll(ENCODED)) {
    characters += part.length;
    if (characters > maxCharacters) break;
    const decoded = [Buffer.from(part, 'base64url'), ...(HEX.test(part) ? [Buffer.from(part, 'hex')] : [])];
    for (const bytes of decoded) appendAll(readings, readingsOf(bytes, minMembers, index, part.length));
  }
  return readings;
}

/** Yields the ways in which bytes may be read as numbers: bits in both orders, then integers of each width. */
function* readingsOf(bytes: Buffer, minMembers: number, index: number, length: number): Generator<ByteReading> {
  const placeIn = (count: number) => (position: number) => index + Math.floor((position / count) * length);
  const bits = bytes.length * BITS;
  if (bits < minMembers) return;
  const placeOf = placeIn(bits);
  yield { isBits: true, values: Uint8Array.from({ length: bits }, (_, bit) => (bytes[bit >> 3]! >> (7 - (bit & 7))) & 1), placeOf };
  yield { isBits: true, values: Uint8Array.from({ length: bits }, (_, bit) => (bytes[bit >> 3]! >> (bit & 7)) & 1), placeOf };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { bytes: width, read } of WIDTHS) {
    const count = Math.floor(bytes.length / width);
    if (count < minMembers) continue;
    yield {
      isBits: false,
      values: Float64Array.from({ length: count }, (_, position) => read(view, position * width)),
      placeOf: placeIn(count),
    };
  }
}
