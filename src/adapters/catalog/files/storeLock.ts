// Lets one process at a time store bars of a symbol. Otherwise a second writer would undo the first one's changes.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { clearDeadLock, tryRemoveEmptyFolder, whileProcessLocked, type LockMessages } from '../../disk/processLock.ts';

const LOCK_TEXTS: LockMessages = {
  has: 'the bars of this symbol',
  does: 'stores bars of this symbol',
  may: 'may store bars of this symbol',
  own: 'a process stores bars of a symbol once at a time',
  second: 'the second of two would undo the first',
};

/**
 * Runs `work` while no other process has the lock `folder`, which is two levels below the catalog; `work` must not take the same lock. A
 * catalog that is new and still empty afterwards is removed. Throws ConfigError after two minutes.
 */
export function whileStoreLocked<T>(folder: string, work: () => T): T {
  const catalog = dirname(dirname(folder));
  const isNew = !existsSync(catalog);
  try {
    return whileProcessLocked(folder, LOCK_TEXTS, work);
  } finally {
    if (isNew) tryRemoveEmptyFolder(catalog);
  }
}

/** Removes the lock of a killed process. */
export const clearLock = (folder: string): void => clearDeadLock(folder);
