// The latch of a kill: a file that stands until a person takes it away, and while it does no order leaves and no start goes on.

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
/** Of such a file; what stands behind is not ours. */
const MAX_BYTES = 65_536;

const pathOf = (folder: string): string => join(folder, KILL_SWITCH_FILE);

/** Resolves once the latch lasts; one that stands already is left as it is. Rejects where the disk does not take it. */
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

/** The latch of a folder; null: it is not set. A file that cannot be read counts as set: what stops orders is that it is there. */
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

/** That a person has re-armed, and why: for the journal of the next start. */
export interface Rearm {
  readonly who: string;
  readonly why: string;
  readonly latch: KillSwitchRecord;
}

/**
 * A person re-arms: the latch goes, and the next start is told. Throws ConfigError where nothing is latched, or no reason is given.
 */
export function rearm(folder: string, who: string, why: string): KillSwitchRecord {
  const killSwitch = readKillSwitch(folder);
  if (killSwitch === null) throw new ConfigError(`${folder}: expected a KILLED latch, got none`, 'nothing has to be re-armed');
  if (why.trim().length < 3) throw new ConfigError(`--why: expected the reason in words, got '${why}'`, 'it is kept in the journal');
  const record: Rearm = { who, why, latch: killSwitch };
  const text = join(folder, REARM_NAME);
  // What the person has said lasts before the latch goes: no crash leaves a bot that trades again and does not know why.
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

/** Of a folder, the names in it; Windows has no such call. */
function syncNow(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What a person has said since the last start, to be forgotten once it is in the journal. Null: nobody has re-armed. */
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
 * The gate before everything that creates an order. Closed by this process at once, or by anybody who writes the latch: a look at the file
 * costs some microseconds, and an order rests on it.
 */
export class KillSwitch {
  readonly #path: string;
  #isClosed: boolean;

  constructor(folder: string) {
    this.#path = pathOf(folder);
    this.#isClosed = isThere(this.#path);
  }

  /** For good, in this process. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    if (!this.#isClosed && isThere(this.#path)) this.#isClosed = true;
    return this.#isClosed;
  }
}

/** What the file KILL asks for; null: it is not there. Anything but a regular file counts as a kill, and is never opened. */
export function readKillFile(folder: string): { readonly flatten: boolean } | null {
  const path = join(folder, KILL_FILE_NAME);
  if (!isThere(path)) return null;
  return { flatten: textOf(path)?.trim().toLowerCase() === 'flatten' };
}

/** True for a link that leads nowhere, too. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Null where it is no regular file or cannot be read. Reading a FIFO would wait for ever, and a device may never end. */
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
