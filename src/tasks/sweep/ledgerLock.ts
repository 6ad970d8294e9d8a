// Allows one process per sweep: the lock is a folder beside the trial ledger.

import { join } from 'node:path';
import { FileSystemDisk } from '../../adapters/disk/fileSystemDisk.ts';
import { lockFolder, processesHere, type LockMessages } from '../../adapters/disk/processLock.ts';
import { withDiskErrors } from '../../adapters/journal/openJournal.ts';
import type { SweepHeader } from '../trials/ledgerLine.ts';

/** The words of the messages about a lock that another process has. */
const LOCK_WORDS: LockMessages = {
  has: 'this sweep',
  does: 'works on this sweep',
  may: 'may work on this sweep',
  own: 'a process works on a sweep once at a time',
  second: 'two would run the same sets',
};

/** Takes the lock of a sweep. The returned function releases it. Throws ConfigError if another process holds it, or may hold it. */
export function lockLedger(folder: string, { name, id }: Pick<SweepHeader, 'name' | 'id'>): () => void {
  const lockPath = join(folder, `${name}-${id.slice(0, 12)}.lock`);
  return withDiskErrors(() => lockFolder(new FileSystemDisk(), lockPath, processesHere(), LOCK_WORDS));
}
