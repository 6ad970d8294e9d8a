// Reads what a text of a strategy may hold as bytes, in base 64 or as hexadecimal digits: bits, and numbers of fixed width.

/** Runs of letters and digits that are long enough for the moves that are looked for. */
const ENCODED = /[A-Za-z\d+/_-]{14,}={0,2}/g;
const HEX = /^(?:[\dA-Fa-f]{2})+$/;
const BITS = 8;

/** What bytes may mean, and the place in the text of each of its members. */
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

/** Numbers of typed arrays, in the order of bytes that this kind of computer has. */
const WIDTHS: readonly Width[] = [
  { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) },
  { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
  { bytes: 4, read: (view, offset) => view.getInt32(offset, true) },
  { bytes: 2, read: (view, offset) => view.getInt16(offset, true) },
  { bytes: 2, read: (view, offset) => view.getUint16(offset, true) },
  { bytes: 1, read: (view, offset) => view.getInt8(offset) },
];

/** Returns what the first `maxCharacters` of the encoded parts of a text may mean; `enough`: the fewest members that count. */
export function bytesIn(text: string, enough: number, maxCharacters: number): ByteReading[] {
  const readings: ByteReading[] = [];
  let characters = 0;
  for (const { 0: part, index } of text.matchAll(ENCODED)) {
    characters += part.length;
    if (characters > maxCharacters) break;
    const decoded = [Buffer.from(part, 'base64url'), ...(HEX.test(part) ? [Buffer.from(part, 'hex')] : [])];
    for (const bytes of decoded) readings.push(...readingsOf(bytes, enough, index, part.length));
  }
  return readings;
}

/** Yields the ways in which bytes may be read as numbers: bits in both orders, then integers of each width. */
function* readingsOf(bytes: Buffer, enough: number, index: number, length: number): Generator<ByteReading> {
  const placeIn = (count: number) => (position: number) => index + Math.floor((position / count) * length);
  const bits = bytes.length * BITS;
  if (bits < enough) return;
  const placeOf = placeIn(bits);
  yield { isBits: true, values: Uint8Array.from({ length: bits }, (_, bit) => (bytes[bit >> 3]! >> (7 - (bit & 7))) & 1), placeOf };
  yield { isBits: true, values: Uint8Array.from({ length: bits }, (_, bit) => (bytes[bit >> 3]! >> (bit & 7)) & 1), placeOf };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { bytes: width, read } of WIDTHS) {
    const count = Math.floor(bytes.length / width);
    if (count < enough) continue;
    yield {
      isBits: false,
      values: Float64Array.from({ length: count }, (_, position) => read(view, position * width)),
      placeOf: placeIn(count),
    };
  }
}
