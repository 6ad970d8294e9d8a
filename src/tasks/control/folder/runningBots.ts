// A list of this user's running bots, as note files, with which a command without --data finds the only one.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreSystemErrors } from '../../../adapters/disk/fileError.ts';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { hasLockIn } from '../../../adapters/disk/processLock.ts';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { findProcess, thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';

const BOTS_FOLDER = 'bots';
/** Hexadecimal digits in the name of a note. */
const NAME_LENGTH = 16;

/** The note of a running bot. */
interface BotNote {
  /** Its data folder. */
  readonly data: string;
  readonly process: ProcessIdentity;
}

/**
 * Notes that this process runs the bot of a data folder. The returned function removes the note. If the state folder cannot be written
 * there is no note, and commands need --data.
 */
export function noteBot(stateFolder: string, data: string): () => void {
  const folder = join(stateFolder, BOTS_FOLDER);
  const dataHash = createHash('sha256').update(data).digest('hex');
  const path = join(folder, `${dataHash.slice(0, NAME_LENGTH)}.json`);
  const note: BotNote = { data, process: thisProcess() };
  const isNoted = ignoreSystemErrors(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).filter(isNoteName)) {
      const otherPath = join(folder, name);
      if (stateOf(readNote(otherPath), stateFolder) === 'ended') rmSync(otherPath, { force: true });
    }
    // Replace the file atomically: another starting bot would treat a partial note as invalid and remove it.
    replaceFile(path, `${JSON.stringify(note)}\n`);
  });
  return () => {
    if (isNoted) ignoreSystemErrors(() => rmSync(path, { force: true }));
  };
}

/** Returns the data folders of this user's running bots. */
export const runningBots = (stateFolder: string): readonly string[] =>
  runningNotes(stateFolder)
    .map(({ data }) => data)
    .toSorted();

/** Returns the process that runs the bot of a data folder; null: none is noted. */
export const notedProcess = (stateFolder: string, dataFolder: string): ProcessIdentity | null =>
  runningNotes(stateFolder).find(({ data }) => data === dataFolder)?.process ?? null;

/** Returns the notes of this user's running bots. */
function runningNotes(stateFolder: string): readonly BotNote[] {
  const notes: BotNote[] = [];
  ignoreSystemErrors(() => {
    const folder = join(stateFolder, BOTS_FOLDER);
    for (const name of readdirSync(folder).filter(isNoteName)) {
      const note = readNote(join(folder, name));
      if (note !== null && stateOf(note, stateFolder) === 'running') notes.push(note);
    }
  });
  return notes;
}

/** True for the name of a complete note; a note that is being written has another name. */
const isNoteName = (name: string): boolean => name.endsWith('.json');

/**
 * Returns whether the bot of a note runs. A process in another pid namespace cannot be seen, so its locks decide: a bot takes that of its account
 * before it writes its note. `elsewhere`: it may run on another computer, where its socket cannot be reached. A note that is null is invalid.
 */
function stateOf(note: BotNote | null, stateFolder: string): 'running' | 'ended' | 'elsewhere' {
  if (note === null) return 'ended';
  const self = thisProcess();
  const processState = findProcess(note.process, self);
  if (processState !== 'unknown') return processState === 'running' ? 'running' : 'ended';
  const lockFolders = [join(note.data, 'journal'), ...accountFolders(stateFolder)];
  if (!hasLockIn(lockFolders, note.process)) return 'ended';
  return note.process.boot === self.boot ? 'running' : 'elsewhere';
}

/** Returns the folders of the accounts' locks. */
function accountFolders(stateFolder: string): readonly string[] {
  const folder = join(stateFolder, 'accounts');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

const isRecord = (json: unknown): json is object => typeof json === 'object' && json !== null;
/** Returns the note in a file; null: invalid. */
function readNote(path: string): BotNote | null {
  try {
    const note: unknown = JSON.parse(readRegularFile(path).toString('utf8'));
    const isNote =
      isRecord(note) &&
      'data' in note &&
      typeof note.data === 'string' &&
      'process' in note &&
      isRecord(note.process) &&
      'pid' in note.process;
    return isNote ? (note as BotNote) : null;
  } catch {
    return null;
  }
}
