// The kill switch: a file that stops all orders and all starts until the operator re-arms the bot.

import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, rmdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import { KILL_FILE_NAME, KILL_SWITCH_FILE, REARM_NAME } from '../../control/folder/dataFolder.ts';

export interface KillSwitchRecord {
  readonly sinceMs: number;
  readonly who: string;
  readonly why: string;
  readonly flatten: boolean;
}

const MODE = 0o600;
const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Most bytes read from such a file. */
const MAX_BYTES = 65_536;

const pathOf = (folder: string): string => join(folder, KILL_SWITCH_FILE);

/** Resolves once the file is durable. An existing file is kept. Rejects if the disk cannot be written. */
export async function engageKillSwitch(folder: string, killSwitch: KillSwitchRecord): Promise<void> {
  try {
    const file = await open(pathOf(folder), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, MODE);
    try {
      await file.writeFile(`${JSON.stringify(killSwitch)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const names = await open(folder, O_RDONLY);
  try {
    await names.sync();
  } finally {
    await names.close();
  }
}

/** Returns the kill switch of a folder; null: not set. A file that cannot be read counts as set. */
export function readKillSwitch(folder: string): KillSwitchRecord | null {
  const path = pathOf(folder);
  if (!isThere(path)) return null;
  const unread: KillSwitchRecord = { sinceMs: 0, who: 'unknown', why: `${path} is there and cannot be read`, flatten: false };
  try {
    const found: unknown = JSON.parse(textOf(path) ?? '');
    return isKillSwitchRecord(found) ? found : unread;
  } catch (error) {
    if (error instanceof SyntaxError) return unread;
    throw error;
  }
}

function isKillSwitchRecord(value: unknown): value is KillSwitchRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { sinceMs, who, why, flatten } = value as Readonly<Record<string, unknown>>;
  return typeof sinceMs === 'number' && typeof who === 'string' && typeof why === 'string' && typeof flatten === 'boolean';
}

/** That the operator has re-armed the bot, and why: for the journal of the next start. */
export interface Rearm {
  readonly who: string;
  readonly why: string;
  readonly latch: KillSwitchRecord;
}

/**
 * Re-arms: removes the kill switch and leaves a note for the next start. Throws ConfigError if the kill switch is not set, or without a
 * reason.
 */
export function rearm(folder: string, who: string, why: string): KillSwitchRecord {
  const killSwitch = readKillSwitch(folder);
  if (killSwitch === null) throw new ConfigError(`${folder}: expected a KILLED latch, got none`, 'nothing has to be re-armed');
  if (why.trim().length < 3) throw new ConfigError(`--why: expected the reason in words, got '${why}'`, 'it is kept in the journal');
  const record: Rearm = { who, why, latch: killSwitch };
  const text = join(folder, REARM_NAME);
  // Make the note durable before the kill switch is removed: a crash must not leave a bot that trades again without a recorded reason.
  replaceFile(text, `${JSON.stringify(record)}\n`);
  for (const path of [join(folder, KILL_FILE_NAME), pathOf(folder)]) removeMark(path);
  syncNow(folder);
  return killSwitch;
}

/** A folder of that name is removed only if it is empty. */
function removeMark(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path);
    else rmSync(path, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT') throw new ConfigError(`${path}: cannot be removed (${String(error.code)})`, 'remove it, and re-arm again');
  }
}

/** Syncs a folder, so that its names are durable. Windows has no such call. */
function syncNow(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the note of a re-arm since the last start. It is removed once it is in the journal. Null: not re-armed. */
export function readRearm(folder: string): Rearm | null {
  const path = join(folder, REARM_NAME);
  const text = textOf(path);
  if (text === null) return null;
  const found: unknown = JSON.parse(text);
  const isOne = typeof found === 'object' && found !== null && 'who' in found && 'why' in found && 'latch' in found;
  return isOne && isKillSwitchRecord(found.latch) ? { who: String(found.who), why: String(found.why), latch: found.latch } : null;
}

export function forgetRearm(folder: string): void {
  rmSync(join(folder, REARM_NAME), { force: true });
}

/**
 * Checked before every request that creates an order. This process can close it at once, and any process can by writing the file. A look at
 * the file takes a few microseconds.
 */
export class KillSwitch {
  readonly #path: string;
  #isClosed: boolean;

  constructor(folder: string) {
    this.#path = pathOf(folder);
    this.#isClosed = isThere(this.#path);
  }

  /** Closes it permanently in this process. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    if (!this.#isClosed && isThere(this.#path)) this.#isClosed = true;
    return this.#isClosed;
  }
}

/** Returns what the file KILL requests; null: no such file. Anything other than a regular file counts as a kill, and is never opened. */
export function readKillFile(folder: string): { readonly flatten: boolean } | null {
  const path = join(folder, KILL_FILE_NAME);
  if (!isThere(path)) return null;
  return { flatten: textOf(path)?.trim().toLowerCase() === 'flatten' };
}

/** True also for a link whose target does not exist. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Returns null if it is not a regular file or cannot be read. Reading a FIFO would block permanently, and a device may have no end. */
function textOf(path: string): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
  try {
    if (!fstatSync(descriptor).isFile()) return null;
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_BYTES, 0));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
