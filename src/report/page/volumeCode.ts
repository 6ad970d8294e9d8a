// Volumes as small integers for drawing: whole numbers on a logarithmic scale, at most half a percent off.

/** Two codes that follow each other differ by this factor. */
const STEP = 1.01;
/** Volume of code 1. Smaller volumes count as this one. */
const MIN_VOLUME = 1e-8;
const PER_LOG = 1 / Math.log(STEP);

/** Returns the code of a volume: 0 for none, else from 1 on. */
export function volumeCode(volume: number): number {
  return volume > 0 ? 1 + Math.max(0, Math.round(Math.log(volume / MIN_VOLUME) * PER_LOG)) : 0;
}

/** Returns the volume of a code. */
export function volumeOf(code: number): number {
  return code === 0 ? 0 : MIN_VOLUME * STEP ** (code - 1);
}
