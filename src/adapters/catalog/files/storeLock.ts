// One process at a time stores bars of a symbol: of two that read the catalog, joined and wrote, the second would undo the first.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { clearDeadLock, removeEmpty, whileLocked as whileProcessLocked, type LockMessages } from '../../disk/processLock.ts';

const WORDS: LockMessages = {
  has: 'the bars of this symbol',
  does: 'stores bars of this symbol',
  may: 'may store bars of this symbol',
  own: 'a process stores bars of a symbol once at a time',
  second: 'the second of two would undo the first',
};

/**
 * Runs `work`, which must not ask for the same lock, while no other process holds the lock `folder`, which lies two folders below the
 * catalog. A catalog that was not there before, and got nothing, is removed. Throws ConfigError after two minutes.
 */
export function whileLocked<T>(folder: string, work: () => T): T {
  const catalog = dirname(dirname(folder));
  const isNew = !existsSync(catalog);
  try {
    return whileProcessLocked(folder, WORDS, work);
  } finally {
    if (isNew) removeEmpty(catalog);
  }
}

/** Removes the lock of a process that was killed. */
export const clearLock = (folder: string): void => clearDeadLock(folder);
