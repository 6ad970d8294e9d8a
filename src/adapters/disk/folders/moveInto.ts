// Names run folders, and moves a finished one to its final path.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';

/** Maximum number of runs with one name in one second. */
const MAX_SAME_NAME = 100;

/** Moves a finished folder and returns its path. Never overwrites a folder: two runs of one second get different names. */
export function moveInto(out: string, staging: string, name: string): string {
  for (;;) {
    const folder = freePath(out, name);
    try {
      renameSync(staging, folder);
      return folder;
    } catch (error) {
      // Another process has taken the name since the check.
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST'))) throw error;
    }
  }
}

/** Returns `<out>/<name>`, or that with the first free number appended. */
export function freePath(out: string, name: string): string {
  for (let number = 1; number <= MAX_SAME_NAME; number++) {
    const folder = join(out, number === 1 ? name : `${name}-${number}`);
    if (!existsSync(folder)) return folder;
  }
  throw new ConfigError(`${join(out, name)}: ${MAX_SAME_NAME} runs of this name began in one second`, 'name another folder by --out');
}

/** Returns a time such as `20241121-031200`, UTC, so that folders sort by time. */
export function runTimestamp(ms: number): string {
  return formatTime(ms).slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
