// Reads a whole journal as the bot does when it starts, and reports its content. It writes nothing and takes no lock.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readRegularFile } from '../disk/regularFile.ts';
import { findProcess, thisProcess } from '../disk/processes.ts';
import { JournalState, restartOf, type Restart } from './records/journalState.ts';
import { lockHolder } from '../disk/processLock.ts';
import { damageError, withDiskErrors } from './openJournal.ts';
import { readJournal, readSegment, type JournalReading, type TornTail } from './file/readJournal.ts';
import { segmentNumber } from './file/segmentName.ts';
import { ConfigError } from '../../base/errors.ts';
import { DiskError } from '../../ports/disk.ts';

/** The result of a check. */
export interface JournalReport {
  readonly path: string;
  /** `whole`: the bot can start with it. `torn`: the bot ignores an incomplete last write. `damaged`: the bot refuses to start with it. */
  readonly verdict: 'whole' | 'torn' | 'damaged';
  readonly account: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly records: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Unix ms of the first and the last record; null without records. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Number of records by kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Unfinished orders, by how a restart continues them. */
  readonly unfinished: Readonly<Record<Restart['kind'], number>>;
  /** Orders that were proven absent. */
  readonly provenAbsent: number;
  /** Current halt causes. */
  readonly halts: readonly { readonly scope: string; readonly state: string; readonly code: string; readonly why: string }[];
  /** A process that may be writing now; null if none is. */
  readonly writer: { readonly pid: number; readonly host: string } | null;
  /** The torn tail of the last file; null without one. */
  readonly torn: TornTail | null;
  readonly damage: { readonly message: string; readonly remedy: string } | null;
}

/** Reads files of any owner and mode, because a copy of a journal may have another owner or mode. */
const readingDisk = {
  list: (folder: string) => asDiskError(folder, () => readdirSync(folder).toSorted()),
  read: (path: string): Uint8Array => asDiskError(path, () => readRegularFile(path)),
};

/** Runs `readDisk`. Throws DiskError for a system error. */
function asDiskError<T>(path: string, readDisk: () => T): T {
  try {
    return readDisk();
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new DiskError(String(error.code), path);
    throw error;
  }
}

/** Checks the folder of a journal, a bot's data folder with a journal in it, or one journal file. Throws ConfigError for anything else. */
export function checkJournal(folderOrFile: string): JournalReport {
  const journalFolder = join(folderOrFile, 'journal');
  const path = existsSync(journalFolder) ? journalFolder : folderOrFile;
  // statSync would throw for a path that leads through a file, or in a circle.
  const stats = existsSync(path) ? statSync(path) : null;
  if (!stats) throw noJournal(`${path}: no such file or folder`);
  const state = new JournalState();
  const reading = withDiskErrors(() => (stats.isDirectory() ? readFolder(path, state) : readFile(path, state)));
  const writer = stats.isDirectory() ? withDiskErrors(() => writerOf(path)) : null;
  return reportOf(path, reading, state, writer);
}

function readFolder(path: string, state: JournalState): JournalReading {
  const folder = path.replace(/(.)\/+$/, '$1');
  if (!readingDisk.list(folder).some((name) => segmentNumber(name) !== null)) throw noJournal(`${path}: got no journal-000001.jsonl in it`);
  return readJournal(readingDisk, folder, state.add);
}

function readFile(path: string, state: JournalState): JournalReading {
  const number = segmentNumber(basename(path));
  if (number === null) throw noJournal(`${path}: expected a name such as journal-000001.jsonl`);
  return readSegment(readingDisk, path, number, state.add);
}

const noJournal = (message: string): ConfigError =>
  new ConfigError(message, 'name the folder of a journal, the data folder of a bot, or one of the files');

function writerOf(folder: string): JournalReport['writer'] {
  const self = thisProcess();
  const holder = lockHolder(readingDisk, folder, { self, findProcess: (other) => findProcess(other, self) });
  return holder && { pid: holder.pid, host: holder.host };
}

/** Returns the report of a journal that was read to its end. */
function reportOf(path: string, reading: JournalReading, state: JournalState, writer: JournalReport['writer']): JournalReport {
  const { segments, account, ending, damage } = reading;
  const torn = segments.at(-1)?.torn ?? null;
  const isTorn = segments.some((segment) => segment.torn !== null);
  const unfinishedCounts: Record<Restart['kind'], number> = { notSent: 0, unknown: 0, working: 0, cancelSent: 0, unconfirmed: 0 };
  for (const trace of state.unfinished.values()) unfinishedCounts[restartOf(trace, isTorn).kind]++;
  const error = damage && damageError(damage, reading.otherFormat);
  const undamagedVerdict = torn ? 'torn' : 'whole';
  return {
    path,
    verdict: damage ? 'damaged' : undamagedVerdict,
    account,
    files: segments.length,
    bytes: segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    records: [...state.counts.values()].reduce((sum, count) => sum + count, 0),
    firstSeq: segments.find(({ firstSeq }) => firstSeq > 0)?.firstSeq ?? 0,
    lastSeq: ending.seq,
    firstMs: Number.isNaN(state.firstMs) ? null : state.firstMs,
    lastMs: Number.isNaN(state.lastMs) ? null : state.lastMs,
    kinds: Object.fromEntries(state.counts),
    unfinished: unfinishedCounts,
    provenAbsent: state.provenAbsent.size,
    halts: [...state.halts.values()].map(({ scope, state: name, code, why }) => ({ scope, state: name, code, why })),
    writer,
    torn,
    damage: error && { message: error.message, remedy: error.remedy },
  };
}
