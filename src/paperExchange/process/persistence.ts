// Where an exchange keeps what it has: in a folder, where it outlives the process, or in a scratch file, where it does not.

import { FileSystemDisk } from '../../adapters/disk/fileSystemDisk.ts';
import { findProcess, thisProcess } from '../../adapters/disk/processes.ts';
import { ScratchFile } from '../../adapters/disk/scratchFile.ts';
import { type LockMessages, takeLock } from '../../adapters/disk/processLock.ts';
import { withDiskErrors } from '../../adapters/journal/openJournal.ts';
import { InvariantError } from '../../base/errors.ts';
import type { StoreWriter } from '../storage/storeWriter.ts';
import { MemoryPersistence } from '../storage/persistence.ts';
import { ExchangeStore } from '../storage/exchangeStore.ts';
import { FaultyDisk, WriteFaults } from '../faults/diskFaults.ts';
import type { Faults } from '../faults/faults.ts';
import type { Service } from '../service.ts';
import type { StoreBinding } from './assemble.ts';

const LOCK_MESSAGES: LockMessages = {
  has: 'the folder',
  does: 'is the exchange of this folder',
  may: 'may be the exchange of this folder',
  own: 'a process is one exchange',
  second: 'two would not know of each other',
};

export interface RunningStore {
  readonly keeping: StoreBinding;
  /** A write that did not finish, in words; null: none. */
  readonly torn: string | null;
  /** Runs `run` when all that has happened so far lasts as long as this exchange; false: it never will. */
  whenLasting(run: (lasts: boolean) => void): void;
  readonly crashAt: ((record: number) => void) | null;
  /** What has changed since the last write is not kept: the books are in doubt. */
  giveUp(why: string): void;
  close(): Promise<void>;
}

export interface FolderOptions {
  readonly folder: string;
  readonly faults: Faults;
  readonly crash: () => void;
  /** The disk does not keep what is written: nothing is answered any more. */
  readonly failed: (why: string) => void;
}

/** Throws ConfigError where another exchange has the folder, or what is in it cannot be gone on with. */
export function storeInFolder({ folder, faults, crash, failed }: FolderOptions): RunningStore {
  const files = new FileSystemDisk();
  const self = thisProcess();
  const release = withDiskErrors(() => {
    files.prepare(folder);
    return takeLock(files, folder, { self, findProcess: (other) => findProcess(other, self) }, LOCK_MESSAGES);
  });
  try {
    const writes = new WriteFaults(faults, crash);
    let journal: StoreWriter | null = null;
    let service: Service | null = null;
    const disk = new FaultyDisk(files, writes, () => made(service).scheduler);
    const record = withDiskErrors(() => new ExchangeStore(disk, folder));
    return {
      torn: record.torn,
      keeping: {
        history: record.history,
        begin: (of) => {
          service = of;
          journal = withDiskErrors(() => record.begin(of, { failed, step: writes.step }));
        },
      },
      whenLasting: (run) => made(journal).whenLasting(run),
      crashAt: (count) => writes.crashAt(count),
      giveUp: (why) => made(journal).giveUp(why),
      async close() {
        await new Promise<void>((resolve) => (journal === null ? resolve() : journal.close(resolve)));
        files.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Nothing outlives the process; what is over is not in memory for all that. */
export function storeInScratchFile(): RunningStore {
  const rows = new ScratchFile();
  return {
    torn: null,
    keeping: { history: null, begin: (service) => service.usePersistence(new MemoryPersistence(service, rows), rows) },
    whenLasting: (run) => run(true),
    crashAt: null,
    giveUp: () => {},
    close: async () => rows.close(),
  };
}

function made<T>(what: T | null): T {
  if (what === null) throw new InvariantError('the exchange is not assembled yet');
  return what;
}
