// Encodes volumes as small integers for drawing: the upper half of a 32-bit float, with an error of at most 0.4 %.

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
const ROUND = 0x80_00;

/** Writes the codes of the volumes [from, to) to the beginning of `into`. A volume is at least 0 and at most 3e38. */
export function writeVolumeCodes(volumes: Float64Array, from: number, to: number, into: Int32Array): void {
  for (let i = from; i < to; i++) {
    float[0] = volumes[i]!;
    into[i - from] = (bits[0]! + ROUND) >>> 16;
  }
}

/** Returns the volume of a code. */
export function volumeOf(code: number): number {
  bits[0] = code << 16;
  return float[0]!;
}
