// A list of this user's running bots, as note files, with which a command without --data finds the only one.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreSystemErrors } from '../../../adapters/disk/fileError.ts';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { hasLockIn } from '../../../adapters/disk/processLock.ts';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { findProcess, thisProcess, type ProcessIdentity } from '../../../adapters/disk/processes.ts';

const FOLDER = 'bots';

interface BotNote {
  readonly data: string;
  readonly process: ProcessIdentity;
}

/**
 * Notes that this process runs the bot of a data folder. The returned function removes the note. If the state folder cannot be written
 * there is no note, and commands need --data.
 */
export function noteBot(stateFolder: string, data: string): () => void {
  const folder = join(stateFolder, FOLDER);
  const path = join(folder, `${createHash('sha256').update(data).digest('hex').slice(0, 16)}.json`);
  const note: BotNote = { data, process: thisProcess() };
  const isNoted = ignoreSystemErrors(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).filter(isNoteName))
      if (stateOf(readNote(join(folder, name)), stateFolder) === 'over') rmSync(join(folder, name), { force: true });
    // Replace the file atomically: another starting bot would treat a partial note as invalid and remove it.
    replaceFile(path, `${JSON.stringify(note)}\n`);
  });
  return () => {
    if (isNoted) ignoreSystemErrors(() => rmSync(path, { force: true }));
  };
}

/** Returns the data folders of this user's running bots. */
export function runningBots(stateFolder: string): readonly string[] {
  const folders: string[] = [];
  ignoreSystemErrors(() => {
    const folder = join(stateFolder, FOLDER);
    for (const name of readdirSync(folder).filter(isNoteName)) {
      const note = readNote(join(folder, name));
      if (note !== null && stateOf(note, stateFolder) === 'running') folders.push(note.data);
    }
  });
  return folders.toSorted();
}

/** True for the name of a complete note; a note that is being written has another name. */
const isNoteName = (name: string): boolean => name.endsWith('.json');

/**
 * Returns whether the bot of a note runs. A process in another pid namespace cannot be seen, so its locks decide: a bot takes that of its account
 * before it writes its note. `elsewhere`: it may run on another computer, where its socket cannot be reached. Null: an invalid note.
 */
function stateOf(note: BotNote | null, stateFolder: string): 'running' | 'over' | 'elsewhere' {
  if (note === null) return 'over';
  const self = thisProcess();
  const found = findProcess(note.process, self);
  if (found !== 'unknown') return found === 'running' ? 'running' : 'over';
  if (!hasLockIn([join(note.data, 'journal'), ...accountFolders(stateFolder)], note.process)) return 'over';
  return note.process.boot === self.boot ? 'running' : 'elsewhere';
}

/** Returns the folders of the accounts' locks. */
function accountFolders(stateFolder: string): readonly string[] {
  const folder = join(stateFolder, 'accounts');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Returns the note in a file; null: invalid. */
function readNote(path: string): BotNote | null {
  try {
    const note: unknown = JSON.parse(readRegularFile(path).toString('utf8'));
    const isNote = typeof note === 'object' && note !== null && 'data' in note && typeof note.data === 'string' && 'process' in note;
    return isNote ? (note as BotNote) : null;
  } catch {
    return null;
  }
}
