// Builds the file in the data folder of a running bot with which `isobar kill` works without the bot.

import { resolve } from 'node:path';
import type { BotFile } from '../control/folder/botFile.ts';
import { journalFolder } from './journal/botJournal.ts';
import type { OpenedBot } from './openLiveBot.ts';

/** Returns the content of the file: the access to the exchange, the instruments and the process. */
export function botFileOf({ bot, plan }: Pick<OpenedBot, 'bot' | 'plan'>): BotFile {
  const { config, engine, venueMs } = bot.deps;
  const { baseUrls, sources, dialect, limits, socketUrl, stateFolder } = config.access;
  return {
    format: 1,
    name: plan.name,
    pid: process.pid,
    startedMs: venueMs(),
    config: resolve(config.file),
    account: `${config.mode}:${config.fingerprint}`,
    mode: config.mode,
    timeScale: config.timeScale,
    journal: journalFolder(config),
    access: { baseUrls, sources, dialect, limits, socketUrl, stateFolder },
    instruments: engine.instruments,
    readLagMs: config.orders.readLagMs,
    busDelayMs: config.proof.deltaMinMs,
    ...(plan.futures === undefined ? {} : { isNet: plan.futures.isNet }),
  };
}
