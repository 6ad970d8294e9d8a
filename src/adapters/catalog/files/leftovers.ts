// What a process that was killed left half written in the catalog: found by the number of the process in its name.

import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { discard } from '../arrow/arrowFile.ts';

/** Removes what processes that are gone left half written beside `path`. */
export function clearLeftovers(path: string): void {
  const folder = dirname(path);
  const stem = basename(path).split('.')[0]!;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = /\.(\d+)\.tmp$/.exec(name)?.[1];
    if (pid !== undefined && (name.startsWith(`${stem}.`) || name.startsWith('instrument.')) && !isRunning(Number(pid)))
      discard(join(folder, name));
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Removes `folder` where nothing is in it; another process may put something there, or remove it, at any moment. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // EEXIST and EPERM are how some systems say that it is not empty; the present folder and one in another's cannot be removed at all.
    if (!['ENOTEMPTY', 'ENOENT', 'EEXIST', 'EPERM', 'ENOTDIR', 'EBUSY', 'EINVAL', 'EACCES'].includes(code)) throw error;
  }
}
