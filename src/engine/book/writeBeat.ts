// A sign of life for whoever watches a run from another thread.

/** Counts a block that is done: one more, rows of the first execution feed so far, and the seconds at which it ends. */
export function writeBeat(beat: Int32Array, rows: number, endMs: number): void {
  beat[0] = beat[0]! + 1;
  beat[1] = rows;
  beat[2] = Math.floor(endMs / 1000);
}
