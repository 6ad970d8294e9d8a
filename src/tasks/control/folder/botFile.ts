// The file that a bot leaves in its data folder for a kill without it: exchange access, instruments and time limits.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { readRegular } from '../../../adapters/disk/regularFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { AccessSettings } from '../../../access/settings.ts';

const FILE_NAME = 'bot.json';
const FORMAT = 1;

export interface BotFile {
  readonly format: 1;
  readonly name: string;
  readonly pid: number;
  readonly startedMs: number;
  /** Absolute path of its config. */
  readonly config: string;
  /** The fingerprint in the journal. */
  readonly account: string;
  readonly mode: 'paper' | 'live';
  readonly timeScale: number;
  /** Folder of the journal; absolute. */
  readonly journal: string;
  /** Everything except the credentials. These are read from the places in `sources`. */
  readonly access: Omit<AccessSettings, 'credentials'>;
  readonly instruments: readonly Instrument[];
  /** ms of the venue's time. */
  readonly readLagMs: number;
  readonly busDelayMs: number;
  /** False: contracts are in two-way mode. Absent without contracts. */
  readonly isNet?: boolean;
}

/** Replaces the file atomically. Throws ConfigError if the disk cannot be written. */
export function writeBotFile(folder: string, file: BotFile): void {
  const path = join(folder, FILE_NAME);
  try {
    replaceFile(path, `${JSON.stringify(file, null, 1)}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new ConfigError(`${path}: cannot be written (${String(error.code)})`, 'make room on the disk, and see that the folder is yours');
  }
}

/** True when a bot has run in `folder`. */
export const hasBotFile = (folder: string): boolean => existsSync(join(folder, FILE_NAME));

/** Throws ConfigError if no bot has run in `folder`. */
export function readBotFile(folder: string): BotFile {
  const path = join(folder, FILE_NAME);
  let text: string;
  try {
    text = readRegular(path).toString('utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new ConfigError(`${path}: cannot be read (${String(error.code)})`, 'name the data folder of a bot that has run: --data DIR');
  }
  const found = parseBotFile(text);
  if (found) return found;
  throw new ConfigError(`${path}: expected what a bot of this version writes, got something else`, 'use the isobar that started the bot');
}

/** Only a bot writes this file, into a folder that no other user can access. So a valid version implies that the rest is present. */
function parseBotFile(text: string): BotFile | null {
  try {
    const value: unknown = JSON.parse(text);
    const isOne = typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT && 'access' in value;
    return isOne ? (value as BotFile) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
