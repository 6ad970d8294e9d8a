// Writes the progress of a run to shared memory, for another thread that watches it.

import { PROGRESS } from '../../ports/progress.ts';

/** Records a finished block. `rowsDone`: finished rows of the first execution feed. `blockEndMs`: end of the block. */
export function writeProgress(cells: Int32Array, rowsDone: number, blockEndMs: number): void {
  cells[PROGRESS.blocks] = cells[PROGRESS.blocks]! + 1;
  cells[PROGRESS.rows] = rowsDone;
  cells[PROGRESS.blockEndS] = Math.floor(blockEndMs / 1000);
}
