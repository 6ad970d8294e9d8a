// Replays the journal in a folder: reads it, finds the bot's config and instruments, and returns the result of the replay.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { damageError, withDiskErrors } from '../../../adapters/journal/openJournal.ts';
import { readJournal } from '../../../adapters/journal/file/readJournal.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import { hasBotFile, readBotFile } from '../../control/folder/botFile.ts';
import type { ResolveOptions } from '../../../definition/resolve.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { readLiveFile, type LiveBehaviour } from '../config/liveConfig.ts';
import { replayJournal, type ReplayResult } from './replayJournal.ts';

/** How to replay a folder. */
export interface ReplayFolderOptions {
  /** Null: the config with which the bot was started. */
  readonly config: string | null;
  readonly load?: ResolveOptions['load'];
}

/** The records of a bot's journal, and the config and instruments that it ran with. */
export interface BotJournalFolder {
  readonly records: readonly JournalRecord[];
  readonly behaviour: LiveBehaviour;
  readonly instruments: readonly Instrument[];
}

/** Replays a journal. `path`: its folder, or the data folder that contains it. Throws ConfigError if it cannot be replayed. */
export async function replayFolder(path: string, { config, load }: ReplayFolderOptions): Promise<ReplayResult> {
  const { records, behaviour, instruments } = openJournalOfFolder(path, config);
  return replayJournal(records, behaviour, { instruments, ...(load ? { load } : {}) });
}

/** Reads the journal of a bot and the config that it ran with. `config` null: the config with which it was started. */
export function openJournalOfFolder(path: string, config: string | null): BotJournalFolder {
  const journalFolder = join(path, 'journal');
  const folder = resolve(existsSync(journalFolder) ? journalFolder : path);
  const remedy = 'name the folder of a journal, or the data folder of a bot';
  if (!existsSync(folder)) throw new ConfigError(`${path}: no such folder`, remedy);
  const shownPath = existsSync(journalFolder) ? join(path, 'journal') : path;
  if (!statSync(folder).isDirectory()) throw new ConfigError(`${shownPath}: expected a folder, got a file`, remedy);
  if (!existsSync(journalFolder) && !hasBotFile(dirname(folder)))
    throw new ConfigError(`${path}: expected the data folder of a bot, or its journal, got another folder`, remedy);
  const bot = readBotFile(dirname(folder));
  return { records: readRecords(folder), behaviour: readLiveFile(config ?? bot.config), instruments: bot.instruments };
}

/** Returns all records of a journal. Throws ConfigError if it is damaged. */
function readRecords(folder: string): readonly JournalRecord[] {
  const records: JournalRecord[] = [];
  const disk = { list: (path: string) => readdirSync(path).toSorted(), read: (path: string): Uint8Array => readRegularFile(path) };
  const { damage, otherFormat } = withDiskErrors(() => readJournal(disk, folder, (record) => void records.push(record)));
  if (damage) throw damageError(damage, otherFormat);
  return records;
}
