// The places of run folders: their names, and how a finished one comes to its own.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';

/** Runs of one name that begin in one second. */
const MAX_SAME_NAME = 100;

/** Never over a folder that exists: two runs of one second get different names. */
export function moveInto(out: string, staging: string, name: string): string {
  for (;;) {
    const folder = freePath(out, name);
    try {
      renameSync(staging, folder);
      return folder;
    } catch (error) {
      // Another process took the name since we looked.
      if (!(error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST'))) throw error;
    }
  }
}

/** `<out>/<name>`, or that with the first number behind it that is not taken. */
export function freePath(out: string, name: string): string {
  for (let turn = 1; turn <= MAX_SAME_NAME; turn++) {
    const folder = join(out, turn === 1 ? name : `${name}-${turn}`);
    if (!existsSync(folder)) return folder;
  }
  throw new ConfigError(`${join(out, name)}: ${MAX_SAME_NAME} runs of this name began in one second`, 'name another folder by --out');
}

/** `20241121-031200`, UTC: folders sort by time. */
export function runTimestamp(ms: number): string {
  return formatTime(ms).slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
