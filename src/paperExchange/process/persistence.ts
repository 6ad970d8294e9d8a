// Storage of a running exchange: a folder, which outlives the process, or a scratch file, which does not.

import { FileSystemDisk } from '../../adapters/disk/fileSystemDisk.ts';
import { findProcess, thisProcess } from '../../adapters/disk/processes.ts';
import { ScratchFile } from '../../adapters/disk/scratchFile.ts';
import { type LockMessages, takeLock } from '../../adapters/disk/processLock.ts';
import { withDiskErrors } from '../../adapters/journal/openJournal.ts';
import { InvariantError } from '../../base/errors.ts';
import type { StoreWriter } from '../storage/storeWriter.ts';
import { HistoryArchiver } from '../storage/historyArchiver.ts';
import { ExchangeStore } from '../storage/exchangeStore.ts';
import { readerOf } from '../records/rowStore.ts';
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

/** The storage of one running exchange. */
export interface RunningStore {
  readonly binding: StoreBinding;
  /** Description of a torn write; null if no write was torn. */
  readonly tornWrite: string | null;
  /** Calls `done` once. It gets true when everything up to now is as durable as this storage can be, or false if it never will be. */
  whenDurable(done: (isDurable: boolean) => void): void;
  /** Ends the process at the n-th write from now on; null for storage that ends with the process. */
  readonly crashAt: ((record: number) => void) | null;
  /** Stops writing. Changes since the last write are dropped, because the books are in doubt. */
  giveUp(reason: string): void;
  close(): Promise<void>;
}

/** The folder, and what to do when its disk or the process is to fail. */
export interface FolderOptions {
  readonly folder: string;
  readonly faults: Faults;
  readonly crash: () => void;
  /** Called when the disk fails: from then on no reply is sent. */
  readonly failed: (reason: string) => void;
}

/** Opens the storage of a folder. Throws ConfigError if another exchange uses it, or if its content cannot be restored. */
export function storeInFolder({ folder, faults, crash, failed }: FolderOptions): RunningStore {
  const fileSystem = new FileSystemDisk();
  const ownProcess = thisProcess();
  const release = withDiskErrors(() => {
    fileSystem.prepare(folder);
    return takeLock(fileSystem, folder, { self: ownProcess, findProcess: (owner) => findProcess(owner, ownProcess) }, LOCK_MESSAGES);
  });
  try {
    const writeFaults = new WriteFaults(faults, crash);
    let writer: StoreWriter | null = null;
    let service: Service | null = null;
    const disk = new FaultyDisk(fileSystem, writeFaults, () => requireAssembled(service).scheduler);
    const store = withDiskErrors(() => new ExchangeStore(disk, folder));
    return {
      tornWrite: store.tornWrite,
      binding: {
        history: store.history,
        restoreAndStore: (opened) => {
          service = opened;
          writer = withDiskErrors(() => store.restoreAndWrite(opened, { failed, step: writeFaults.step }));
        },
      },
      whenDurable: (done) => requireAssembled(writer).whenDurable(done),
      crashAt: (record) => writeFaults.crashAt(record),
      giveUp: (reason) => requireAssembled(writer).giveUp(reason),
      async close() {
        await new Promise<void>((resolve) => (writer === null ? resolve() : writer.close(resolve)));
        fileSystem.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens storage that ends with the process. Ended orders are written to a file, so that they do not stay in memory. */
export function storeInScratchFile(): RunningStore {
  const rows = new ScratchFile();
  return {
    tornWrite: null,
    binding: {
      history: null,
      restoreAndStore: (service) => service.usePersistence(new HistoryArchiver(service, rows), readerOf(rows, 'scratch file')),
    },
    whenDurable: (done) => done(true),
    crashAt: null,
    giveUp: () => {},
    close: async () => rows.close(),
  };
}

/** Returns a part of the exchange. Throws InvariantError before it is assembled. */
function requireAssembled<T>(part: T | null): T {
  if (part === null) throw new InvariantError('the exchange is not assembled yet');
  return part;
}
