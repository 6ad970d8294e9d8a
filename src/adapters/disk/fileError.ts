// Converts file-system errors to messages with a remedy.

import { ConfigError, InvariantError } from '../../base/errors.ts';

/** Error code for an entry that is not a regular file. */
export const NO_REGULAR_FILE = 'ENOFILE';

const CAUSES: Readonly<Record<string, [why: string, remedy: string]>> = {
  ENOENT: ['there is no such file', 'check the path'],
  EISDIR: ['it is a folder', 'name a file'],
  // The code of `regularFile.ts`.
  [NO_REGULAR_FILE]: ['it is a folder, a FIFO, a socket or a device', 'name a file'],
  ENOTDIR: ['a part of the path is a file, not a folder', 'check the path'],
  EACCES: ['permission denied', 'check the rights of the file and of its folder'],
  EPERM: ['permission denied', 'check the rights of the file and of its folder'],
  EROFS: ['the file system is read-only', 'choose another folder'],
  ENOSPC: ['the disk is full', 'make room or choose another folder'],
  // The code for opening a socket, or a device without a driver.
  ENXIO: ['it is a socket or a device', 'name a file'],
  ELOOP: ['its symbolic links lead in a circle', 'name the file itself'],
  ENAMETOOLONG: ['the name is too long', 'use a shorter name'],
  EIO: ['the disk reports an error', 'check the disk and the path'],
  EMFILE: ['too many files are open', 'raise the limit of open files'],
};

/** Returns the ConfigError for a file-system error at `path`. isobar's own errors are returned unchanged. */
export function fileError(path: string, problem: string, error: unknown): Error {
  if (error instanceof ConfigError || error instanceof InvariantError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [why, remedy] = CAUSES[code] ?? [error instanceof Error ? error.message : String(error), 'check the disk and the path'];
  return new ConfigError(`${path}: ${problem}: ${why}`, remedy);
}

/** Returns the ConfigError for a failed write at `path`. An error that is not of the file system is returned unchanged. */
export function writeError(path: string, error: unknown): unknown {
  return error instanceof Error && 'syscall' in error ? fileError(path, 'cannot be written', error) : error;
}

/** Runs `action`, whose failure does no harm. Returns false on a system error. Other errors are faults, and are thrown. */
export function ignoreSystemErrors(action: () => void): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
