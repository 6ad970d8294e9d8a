// Stores a ban in a file that only its owner can read. The file is written completely or not at all.

import { closeSync, constants, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { formatTime } from '../../../model/time.ts';
import type { Ban, BanStore, UnreadableBan } from './banStore.ts';
import { MAX_STRIKES } from './rateStop.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
const VERSION = 1;
/** A valid record needs a tenth of this. A larger file is invalid. */
const MAX_CHARACTERS = 2000;

/** A ban in one file of the user. Every process that uses the same service reads it. */
export class FileBanStore implements BanStore {
  readonly #path: string;

  /** `path`: one file for each service. Its folder is created when the first ban is written. */
  constructor(path: string) {
    this.#path = path;
  }

  read(): Ban | UnreadableBan | null {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return code === 'ENOENT' ? null : this.#unreadable(`cannot be read (${code})`);
    }
    return parseStoredStop(text) ?? this.#unreadable('is not what isobar wrote');
  }

  /** Throws when the disk write fails. */
  write(ban: Ban): void {
    const folder = dirname(this.#path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draftPath = `${this.#path}.${process.pid}.tmp`;
    try {
      // A killed process with the same process id may have left its draft.
      rmSync(draftPath, { force: true });
      const file = openSync(draftPath, O_CREAT | O_EXCL | O_WRONLY | (constants.O_NOFOLLOW ?? 0), 0o600);
      try {
        writeSync(file, banText(ban));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draftPath, this.#path);
    } catch (error) {
      rmSync(draftPath, { force: true });
      throw error;
    }
    syncFolder(folder);
  }

  #unreadable(reason: string): UnreadableBan {
    return {
      unreadable: `${this.#path}: the record of a ban ${reason}, so that the exchange may have banned this address; nothing is sent`,
      remedy: `wait until the exchange does not answer 418 any more, a day if you do not know; then remove ${this.#path} and start again`,
    };
  }
}

const banText = ({ sinceMs, untilMs, strikes }: Ban): string =>
  `${JSON.stringify({ version: VERSION, sinceMs, untilMs, strikes, says: banMessage(untilMs) }, null, 2)}\n`;
const banMessage = (untilMs: number): string => `HTTP 418: nothing is sent before ${formatTime(untilMs)}`;

/** Returns null if `text` is not a valid record. */
function parseStoredStop(text: string): Ban | null {
  if (text.length > MAX_CHARACTERS) return null;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof record !== 'object' || record === null) return null;
  const { version, sinceMs, untilMs, strikes } = record as Partial<Record<string, unknown>>;
  if (version !== VERSION || !isWhole(sinceMs) || !isWhole(untilMs) || !isWhole(strikes)) return null;
  return sinceMs <= untilMs && strikes >= 1 && strikes <= MAX_STRIKES ? { sinceMs, untilMs, strikes } : null;
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** A new file name is durable only after its folder is synced. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
