// The file that a bot leaves in its data folder for a kill without it: exchange access, instruments and time limits.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../adapters/disk/ownFile.ts';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { AccessSettings } from '../../../access/settings.ts';

const FILE_NAME = 'bot.json';
const FORMAT = 1;

/** The content of the file. */
export interface BotFile {
  readonly format: 1;
  readonly name: string;
  readonly pid: number;
  readonly startedMs: number;
  /** Absolute path of the bot's config. */
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
  /** Read lag and visibility delay, ms of the venue's time. */
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
    throw new ConfigError(`${path}: cannot be written (${String(error.code)})`, 'free disk space, and check that the folder is yours');
  }
}

/** True when a bot has run in `folder`. */
export const hasBotFile = (folder: string): boolean => existsSync(join(folder, FILE_NAME));

/** Reads the file. Throws ConfigError if no bot has run in `folder`, or a bot of another version. */
export function readBotFile(folder: string): BotFile {
  const path = join(folder, FILE_NAME);
  let text: string;
  try {
    text = readRegularFile(path).toString('utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new ConfigError(`${path}: cannot be read (${String(error.code)})`, 'name the data folder of a bot that has run: --data DIR');
  }
  const value = parseJson(text);
  if (value === undefined)
    throw new ConfigError(
      `${path}: the file is damaged: ${text.length} characters that are no JSON, as of a file that was cut`,
      'start the bot, which writes it again, or bring it back from a copy; until then cancel and close at the exchange itself',
    );
  const file = botFileIn(value);
  if (file) return file;
  throw new ConfigError(`${path}: expected the file of a bot of this version, got another`, 'use the isobar version that started the bot');
}

/** Returns undefined for text that is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns null for another file. Only a bot writes it, into a folder of its own, so a valid format number implies the rest. */
function botFileIn(value: unknown): BotFile | null {
  const isBotFile = typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT && 'access' in value;
  return isBotFile ? (value as BotFile) : null;
}
