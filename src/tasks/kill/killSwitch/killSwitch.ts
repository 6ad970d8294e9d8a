// The kill switch: a file that stops all orders and all starts until the operator re-arms the bot.

import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, rmdirSync, rmSync } from 'node:fs';
import { link, open } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import { KILL_FILE_NAME, KILL_SWITCH_FILE, REARM_NAME } from '../../control/folder/dataFolder.ts';

/** The content of the kill switch file. */
export interface KillSwitchRecord {
  readonly sinceMs: number;
  readonly who: string;
  readonly why: string;
  readonly flatten: boolean;
}

/** Only the user of the bot may read and write the file. */
const FILE_MODE = 0o600;
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Maximum number of bytes read from a file. */
const MAX_FILE_BYTES = 65_536;

/** Number of files that this process has written under another name first. */
let partCount = 0;

const pathOf = (folder: string): string => join(folder, KILL_SWITCH_FILE);

/**
 * Engages the kill switch of a folder by writing its file. Resolves once the file is durable. Keeps an existing file. Rejects if the disk cannot
 * be written.
 */
export async function engageKillSwitch(folder: string, killSwitch: KillSwitchRecord): Promise<void> {
  const text = `${JSON.stringify(killSwitch)}\n`;
  try {
    // A bot that polls must not read an empty file, because it would journal neither who killed it nor why.
    if (!(await linkWrittenFile(pathOf(folder), text))) await writeNewFile(pathOf(folder), text);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  // The name of a new file is durable only after a sync of its folder.
  const folderHandle = await open(folder, O_RDONLY);
  try {
    await folderHandle.sync();
  } finally {
    await folderHandle.close();
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;

/** Creates a file with this text. `onWritten` is called between the write and the sync. Rejects with EEXIST if the file exists. */
async function writeNewFile(path: string, text: string, onWritten?: () => Promise<void>): Promise<void> {
  const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, FILE_MODE);
  try {
    await file.writeFile(text);
    await onWritten?.();
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a file that has its whole text as soon as it exists: under another name first. Rejects with EEXIST if the file exists. Returns false if
 * that is not possible, as on a full disk, or without links: an empty file stops a bot, too.
 */
async function linkWrittenFile(path: string, text: string): Promise<boolean> {
  const partPath = `${path}.${process.pid}-${++partCount}`;
  let isLinked = false;
  let isWritten = false;
  try {
    await writeNewFile(partPath, text, async () => {
      isWritten = true;
      await link(partPath, path);
      isLinked = true;
    });
    return true;
  } catch (error) {
    // Before it is written, EEXIST is about the other name, which an earlier process may have left.
    if (isLinked || (isWritten && hasCode(error, 'EEXIST'))) throw error;
    return false;
  } finally {
    rmSync(partPath, { force: true });
  }
}

/** Returns the kill switch of a folder; null: not engaged. A file that cannot be read counts as engaged. */
export function readKillSwitch(folder: string): KillSwitchRecord | null {
  const path = pathOf(folder);
  if (!exists(path)) return null;
  const unreadable: KillSwitchRecord = { sinceMs: 0, who: 'unknown', why: `${path} exists and cannot be read`, flatten: false };
  try {
    const parsed: unknown = JSON.parse(readTextFile(path) ?? '');
    return isKillSwitchRecord(parsed) ? parsed : unreadable;
  } catch (error) {
    if (error instanceof SyntaxError) return unreadable;
    throw error;
  }
}

/** True for a value that has all fields of the record. */
function isKillSwitchRecord(value: unknown): value is KillSwitchRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { sinceMs, who, why, flatten } = value as Readonly<Record<string, unknown>>;
  return typeof sinceMs === 'number' && typeof who === 'string' && typeof why === 'string' && typeof flatten === 'boolean';
}

const MIN_REASON_LENGTH = 3;

/** A re-arming by the operator, for the journal of the next start. */
export interface Rearm {
  readonly who: string;
  readonly why: string;
  /** The kill from which the bot was re-armed. */
  readonly latch: KillSwitchRecord;
}

/**
 * Re-arms a bot: removes the kill switch and writes the re-arming for the next start. Throws ConfigError if the kill switch is not set, or
 * without a reason.
 */
export function rearm(folder: string, who: string, reason: string): KillSwitchRecord {
  const killSwitch = readKillSwitch(folder);
  if (killSwitch === null)
    throw new ConfigError(`${folder}: expected a bot that was killed, got one that was not`, 'start the bot; it needs no re-arming');
  if (reason.trim().length < MIN_REASON_LENGTH)
    throw new ConfigError(
      `--why: expected a reason of at least ${MIN_REASON_LENGTH} characters, got '${reason}'`,
      'write a reason; the journal keeps it',
    );
  const record: Rearm = { who, why: reason, latch: killSwitch };
  const rearmPath = join(folder, REARM_NAME);
  // Make the re-arming durable before the kill switch is removed. After a crash, no bot may trade again without a recorded reason.
  replaceFile(rearmPath, `${JSON.stringify(record)}\n`);
  for (const path of [join(folder, KILL_FILE_NAME), pathOf(folder)]) removeName(path);
  syncFolder(folder);
  return killSwitch;
}

/** Removes a file, or a folder if it is empty. Throws ConfigError if that fails. */
function removeName(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path);
    else rmSync(path, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT') throw new ConfigError(`${path}: cannot be removed (${String(error.code)})`, 'remove it, and re-arm again');
  }
}

/** Syncs a folder, so that its names are durable. Windows has no such call. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns a re-arming since the last start; null: none. Its file is removed once the journal has it. */
export function readRearm(folder: string): Rearm | null {
  const path = join(folder, REARM_NAME);
  const text = readTextFile(path);
  if (text === null) return null;
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || !('who' in parsed && 'why' in parsed && 'latch' in parsed)) return null;
  const { who, why, latch } = parsed;
  return isKillSwitchRecord(latch) ? { who: String(who), why: String(why), latch } : null;
}

/** Removes the file of a re-arming. */
export function forgetRearm(folder: string): void {
  rmSync(join(folder, REARM_NAME), { force: true });
}

/**
 * The check before every request that creates an order. This process can engage it at once; any process can engage it by writing the file. A
 * check of the file takes a few microseconds.
 */
export class KillSwitch {
  readonly #path: string;
  #isEngaged: boolean;

  constructor(folder: string) {
    this.#path = pathOf(folder);
    this.#isEngaged = exists(this.#path);
  }

  /** Engages it permanently in this process. */
  engage(): void {
    this.#isEngaged = true;
  }

  /** True once it is engaged, here or by the file. It stays true in this process. */
  get isEngaged(): boolean {
    if (!this.#isEngaged && exists(this.#path)) this.#isEngaged = true;
    return this.#isEngaged;
  }
}

/** Returns the request of the file KILL; null: no such file. Anything but a regular file counts as a kill, and is never opened. */
export function readKillFile(folder: string): { readonly flatten: boolean } | null {
  const path = join(folder, KILL_FILE_NAME);
  if (!exists(path)) return null;
  return { flatten: readTextFile(path)?.trim().toLowerCase() === 'flatten' };
}

/** True when a name exists, even if it is a link without a target. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Returns the text of a regular file, else null. Reading a FIFO would block permanently, and a device may have no end. */
function readTextFile(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
  try {
    if (!fstatSync(descriptor).isFile()) return null;
    const bytes = Buffer.alloc(MAX_FILE_BYTES);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_FILE_BYTES, 0));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
