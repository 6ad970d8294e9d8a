// Encodes volumes as small integers for drawing: the upper half of a 32-bit float, with an error of at most 0.4 %.

// Both arrays share their memory, so the bits of a float can be read as an integer.
const floatCell = new Float32Array(1);
const floatBits = new Uint32Array(floatCell.buffer);
/** Added before the lower 16 bits are dropped, so that the code is rounded to the nearest. */
const HALF_OF_LOWER_BITS = 0x80_00;

/** Writes the codes of the volumes [from, to) to the beginning of `into`. A volume is at least 0 and at most 3e38. */
export function writeVolumeCodes(volumes: Float64Array, from: number, to: number, into: Int32Array): void {
  for (let row = from; row < to; row++) {
    floatCell[0] = volumes[row]!;
    into[row - from] = (floatBits[0]! + HALF_OF_LOWER_BITS) >>> 16;
  }
}

/** Returns the volume of a code. */
export function volumeOf(code: number): number {
  floatBits[0] = code << 16;
  return floatCell[0]!;
}
