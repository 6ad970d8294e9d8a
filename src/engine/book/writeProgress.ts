// Writes the progress of a run to shared memory, for another thread that watches it.

/** Records a finished block: the number of blocks, the rows of the first execution feed done, and the block's end in seconds. */
export function writeProgress(cells: Int32Array, rows: number, endMs: number): void {
  cells[0] = cells[0]! + 1;
  cells[1] = rows;
  cells[2] = Math.floor(endMs / 1000);
}
