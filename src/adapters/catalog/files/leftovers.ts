// Removes unfinished files of killed processes from the catalog. Their names contain the process id.

import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isProcessRunning } from '../../disk/processes.ts';
import { removeFileIfThere } from '../arrow/arrowWriter.ts';

/** Removes unfinished files beside `path` whose process no longer runs. */
export function clearLeftovers(path: string): void {
  const folder = dirname(path);
  const stem = basename(path).split('.')[0]!;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = /\.(\d+)\.tmp$/.exec(name)?.[1];
    if (pid !== undefined && (name.startsWith(`${stem}.`) || name.startsWith('instrument.')) && !isProcessRunning(Number(pid)))
      removeFileIfThere(join(folder, name));
  }
}

/** Removes `folder` if it is empty. Other processes may add or remove entries at any time. */
export function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // Some systems report a non-empty folder as EEXIST or EPERM. The current folder, and one in another user's folder, cannot be removed.
    if (!['ENOTEMPTY', 'ENOENT', 'EEXIST', 'EPERM', 'ENOTDIR', 'EBUSY', 'EINVAL', 'EACCES'].includes(code)) throw error;
  }
}
