// Writes the progress of a run to shared memory, for another thread that watches it.

/** Records a finished block: the count of blocks, the rows of the first execution feed done, and the block's end in seconds. */
export function writeProgress(tick: Int32Array, rows: number, endMs: number): void {
  tick[0] = tick[0]! + 1;
  tick[1] = rows;
  tick[2] = Math.floor(endMs / 1000);
}
