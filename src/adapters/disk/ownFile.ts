// Reads and writes small files that only their owner can access. A file is written completely or not at all, and links are not followed.

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { checkOwner } from './ownerCheck.ts';

const MODE = 0o600;
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
// Windows lacks these two flags.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;

/** Writes `text` to `path`, replacing what exists; a link is replaced, not followed. Throws the system's error. */
export function replaceFile(path: string, text: string): void {
  const draftPath = `${path}.${process.pid}.new`;
  // A killed process with the same process id may have left its draft.
  rmSync(draftPath, { force: true });
  const descriptor = openSync(draftPath, O_CREAT | O_EXCL | O_WRONLY | NOFOLLOW, MODE);
  try {
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draftPath, path);
  } catch (error) {
    rmSync(draftPath, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Returns the text of a file, or null if it does not exist. Throws ConfigError for a link, for anything that is not a file, and if other
 * users can access it.
 */
export function readOwnFile(path: string): string | null {
  const descriptor = openOwn(path);
  if (descriptor === null) return null;
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new ConfigError(`${path}: expected a file, got something else`, 'remove it');
    checkOwner(path, stats, MODE);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Opens the file for reading; returns null if it does not exist. Throws ConfigError for a link, and if it cannot be read. */
function openOwn(path: string): number | null {
  try {
    return openSync(path, O_RDONLY | NOFOLLOW | NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'EMLINK') throw linkError(path);
    throw new ConfigError(`${path}: cannot be read (${code})`, 'check the rights of the file');
  }
}

/**
 * Throws ConfigError for a link in a folder, and if another user owns or can access a file or folder with one of the names `own`. Entries
 * named in `free` are not checked.
 */
export function checkEntries(folder: string, { own, free }: { readonly own: readonly string[]; readonly free: readonly string[] }): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || free.includes(name)) continue;
    if (stats.isSymbolicLink()) throw linkError(path);
    if (own.includes(name) && (stats.isFile() || stats.isDirectory())) checkOwner(path, stats, stats.isDirectory() ? 0o700 : MODE);
  }
}

const linkError = (path: string): ConfigError =>
  new ConfigError(`${path}: expected a file or folder, got a symbolic link`, 'find out who has put it there; then remove it');

/** Syncs the names in a folder. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, O_RDONLY | NOFOLLOW);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
