// A sign of life for whoever watches a run from another thread.

/** Counts a block that is done: one more, rows of the first execution feed so far, and the seconds at which it ends. */
export function writeProgress(tick: Int32Array, rows: number, endMs: number): void {
  tick[0] = tick[0]! + 1;
  tick[1] = rows;
  tick[2] = Math.floor(endMs / 1000);
}
