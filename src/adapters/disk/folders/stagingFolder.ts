// Names temporary folders in which results are written before they get their final name, and removes those of killed processes.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nowMs } from '../../clock/wallClock.ts';
import { isProcessRunning } from '../processes.ts';

const FOLDER_NAME_PATTERN = /^\.unfinished-(\d+)-(\d+)$/;
/**
 * A process on another computer or in a container may use the same folder and cannot be seen from here. Only leftovers older than this are
 * removed.
 */
const MIN_AGE_MS = 86_400_000;

/** Returns an unused path under `out`. The folder is not created. */
export function stagingFolder(out: string): string {
  clearLeftovers(out);
  return join(out, `.unfinished-${process.pid}-${nowMs()}`);
}

/** Removes the temporary folders of processes that no longer run. */
function clearLeftovers(out: string): void {
  for (const name of existsSync(out) ? readdirSync(out) : []) {
    const [, pid, beganMs] = FOLDER_NAME_PATTERN.exec(name) ?? [];
    if (pid === undefined || Number(beganMs) > nowMs() - MIN_AGE_MS || isProcessRunning(Number(pid))) continue;
    try {
      rmSync(join(out, name), { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, who has to remove it.
    }
  }
}
