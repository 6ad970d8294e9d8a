// One process at a time stores bars of a symbol: of two that read the catalog, joined and wrote, the second would undo the first.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { fileError } from './fileError.ts';
import { isRunning, removeEmpty } from './leftovers.ts';

/** Storing takes seconds; after so many looks whoever has the lock does something else. */
const MOST_LOOKS = 6000;
const LOOK_MS = 20;

/**
 * Runs `work`, which must not ask for the same lock, while no other process holds the lock `file`, in a folder of a catalog of its own.
 * Throws ConfigError after two minutes.
 */
export function whileLocked<T>(file: string, work: () => T): T {
  for (let looks = 0; !take(file); looks++) {
    if (looks === MOST_LOOKS) {
      throw new ConfigError(`${file}: another process stores bars of this symbol, and does not end`, 'if there is none, remove the file');
    }
    // Nothing else is left to do in this thread: the files are read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
    removeEmpty(dirname(file));
    removeEmpty(dirname(dirname(file)));
  }
}

function take(file: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // Another one has just removed the folder, which was empty.
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST') throw fileError(file, 'cannot be written', error);
  }
  clearLock(file);
  return false;
}

/** Removes the lock of a process that was killed; a file without a number is being written, or its disk was full. */
export function clearLock(file: string): void {
  const holder = holderOf(file);
  if (holder === null || isRunning(holder)) return;
  rmSync(file, { force: true });
  removeEmpty(dirname(file));
}

function holderOf(file: string): number | null {
  try {
    const text = readFileSync(file, 'utf8');
    return /^\d+$/.test(text) ? Number(text) : null;
  } catch (error) {
    // Without its folder, or in the place of a catalog that is a file, there is none.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw fileError(file, 'cannot be read', error);
  }
}
