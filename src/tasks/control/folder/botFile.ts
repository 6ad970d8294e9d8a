// What a bot leaves in its data folder as it starts, so that its orders can be killed without it and without its strategy: where the exchange is, what was traded, which waits count.

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
  /** The fingerprint that the journal bears. */
  readonly account: string;
  readonly mode: 'paper' | 'live';
  readonly timeScale: number;
  /** Folder of the journal; absolute. */
  readonly journal: string;
  /** Everything but the credentials: these come from where `sources` says that they lie. */
  readonly access: Omit<AccessSettings, 'credentials'>;
  readonly instruments: readonly Instrument[];
  /** ms of the exchange's time. */
  readonly readLagMs: number;
  readonly busDelayMs: number;
  /** False: contracts are in two-way mode; it is not said where there are none. */
  readonly isNet?: boolean;
}

/** Takes the place of the one before, whole or not at all. Throws ConfigError where the disk does not take it. */
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

/** Throws ConfigError where no bot has ever run in `folder`. */
export function readBotFile(folder: string): BotFile {
  const path = join(folder, FILE_NAME);
  let text: string;
  try {
    text = readRegular(path).toString('utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new ConfigError(`${path}: cannot be read (${String(error.code)})`, 'name the data folder of a bot that has run: --data DIR');
  }
  const found = parsed(text);
  if (found) return found;
  throw new ConfigError(`${path}: expected what a bot of this version writes, got something else`, 'use the isobar that started the bot');
}

/** Only a bot writes it, into a folder that nobody else can reach: its version says that the rest is there. */
function parsed(text: string): BotFile | null {
  try {
    const value: unknown = JSON.parse(text);
    const isOne = typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT && 'access' in value;
    return isOne ? (value as BotFile) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
