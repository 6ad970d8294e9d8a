// Where a folder of results is made before it takes its name. What processes that were killed have left of theirs goes away.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nowMs } from '../../clock/wallClock.ts';
import { isThere } from '../processes.ts';

const PATTERN = /^\.unfinished-(\d+)-(\d+)$/;
/** A process of another computer, or container, may be at work in the same folder, and cannot be seen from here: not for so long. */
const OLD_MS = 86_400_000;

/** A path under `out` that nothing has; the folder is not made. */
export function stagingFolder(out: string): string {
  clearLeftovers(out);
  return join(out, `.unfinished-${process.pid}-${nowMs()}`);
}

function clearLeftovers(out: string): void {
  for (const name of existsSync(out) ? readdirSync(out) : []) {
    const [, pid, beganMs] = PATTERN.exec(name) ?? [];
    if (pid === undefined || Number(beganMs) > nowMs() - OLD_MS || isThere(Number(pid))) continue;
    try {
      rmSync(join(out, name), { recursive: true, force: true });
    } catch {
      // It is somebody else's: whoever owns it clears it.
    }
  }
}
