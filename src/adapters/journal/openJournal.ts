// Opens a journal for writing: takes its lock, reads it back and continues in a new file. Rejects a damaged journal.

import { ConfigError } from '../../base/errors.ts';
import { DiskError, type Disk } from '../../ports/disk.ts';
import { FileJournal, type JournalFacts } from './fileJournal.ts';
import { JournalFile, type JournalFileOptions, type JournalListener } from './file/journalFile.ts';
import { JournalState } from './records/journalState.ts';
import { takeLock, type Processes } from '../disk/processLock.ts';
import { readJournal, type JournalDamage, type JournalReading } from './file/readJournal.ts';
import type { JournalRecord } from './records/records.ts';

/** The collaborators of a journal. */
export interface JournalDeps {
  readonly disk: Disk;
  readonly processes: Processes;
  /** Unix ms of the process's clock. */
  readonly nowMs: () => number;
  readonly facts: JournalFacts;
  readonly listener: JournalListener;
}

/** How a journal is opened. */
export interface JournalOptions extends Pick<JournalFileOptions, 'folder' | 'account' | 'segmentBytes' | 'maxWaitingBytes' | 'soon'> {
  /** Receives every record that is read back, in order. */
  readonly visit?: (record: JournalRecord) => void;
}

/** An open journal, and its existing content. */
export interface OpenedJournal {
  readonly journal: FileJournal;
  /** The state that the existing records add up to. */
  readonly state: JournalState;
  readonly reading: JournalReading;
  /** True if a write was incomplete, now or at an earlier start. `restartOf` needs it. */
  readonly isTorn: boolean;
  /** Releases the lock. Call it after the journal is closed. */
  readonly release: () => void;
}

/**
 * Opens the journal in an existing folder. Throws ConfigError if another process has it, it belongs to another account, or it is damaged.
 */
export function openJournal(deps: JournalDeps, { visit, ...options }: JournalOptions): OpenedJournal {
  const { disk, processes, nowMs, facts, listener } = deps;
  const { folder, account } = options;
  const release = withDiskErrors(() => takeLock(disk, folder, processes));
  try {
    const state = new JournalState();
    const reading = withDiskErrors(() =>
      readJournal(disk, folder, (record) => {
        state.add(record);
        visit?.(record);
      }),
    );
    if (reading.damage) throw damageError(reading.damage, reading.otherFormat);
    if (reading.account !== null && reading.account !== account) {
      throw new ConfigError(
        `${folder}: expected the journal of ${account}, got that of ${reading.account}`,
        'each account has a folder of its own: name that, or an empty one',
      );
    }
    const lastSegment = reading.segments.at(-1);
    const nextFile = {
      number: (lastSegment?.number ?? 0) + 1,
      ending: reading.ending,
      prior: lastSegment?.path ?? null,
      finishedFiles: reading.segments.map(({ path }) => path),
    };
    const journal = new FileJournal(new JournalFile(disk, { ...options, ...nextFile }, nowMs, listener), facts);
    return { journal, state, reading, isTorn: reading.segments.some(({ torn }) => torn !== null), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns the error for a damaged journal, with the operator's remedy. */
export function damageError({ path, line, message }: JournalDamage, otherFormat: number | null): ConfigError {
  if (otherFormat !== null) {
    return new ConfigError(
      `${path}:${line}: ${message}`,
      'end with the version that wrote it: cancel its orders and close its positions (isobar kill --flatten); then name another data folder',
    );
  }
  return new ConfigError(
    `${path}:${line}: ${message}`,
    'orders that it held may be lost: bring the folder back from a copy, or start with an empty one and name every order and ' +
      'holding at the exchange yourself (isobar orders adopt | ignore); keep this one',
  );
}

/** Runs `useDisk`. Throws ConfigError instead of a disk error, because the operator has to fix the disk. */
export function withDiskErrors<T>(useDisk: () => T): T {
  try {
    return useDisk();
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw new ConfigError(`${error.path}: cannot be used (${error.code})`, 'check the disk and the rights of the folder, then try again');
  }
}
