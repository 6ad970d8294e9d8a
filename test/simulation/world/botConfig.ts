// Writes the keys and the config of the simulated bot.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../src/base/errors.ts';
import { readLiveConfig } from '../../../src/tasks/bot/config/liveConfig.ts';
import type { ContractDayTerms } from './futures/contractDay.ts';
import { themedBotConfig, themeOf } from './themes/themedDay.ts';
import { CASH, SYMBOLS, type SimulatedVenue } from './venue.ts';
import { rngOf } from './draws.ts';

/** Possible values of `orders.resolveEveryMs`, the period of the reads about unknown orders. Each day draws one. */
const RESOLVE_EVERY_MS = [2000, 10_000, 20_000, 30_000] as const;
/** A bot trades at least one and at most this many symbols. */
const MAX_BOT_SYMBOLS = 3;
const SPOT_LOTS_PER_COIN = 10_000;
/** No socket is opened: the simulated network takes the requests to any address. */
const UNUSED_URL = 'http://127.0.0.1:1';

/** What a config depends on, besides the seed. */
export interface BotConfigTerms {
  /** Folder in which the files are written. */
  readonly folder: string;
  readonly venue: SimulatedVenue;
  /** Null on spot. */
  readonly contracts: ContractDayTerms | null;
  /** Limit on the position in one symbol. A lot is 0.0001 coins on spot, and one contract on futures. */
  readonly maxLots: number;
  /** The part of the day that draws the config. */
  readonly part?: 'config' | 'secondConfig';
}

/** Writes the keys and the config of the bot of a seed. The number of symbols and the period of reads are drawn. */
export function writeBotConfig(seed: number, { folder, venue, contracts, maxLots, part = 'config' }: BotConfigTerms): void {
  const rng = rngOf(seed, part);
  const drawOne = (choices: readonly number[]): number => choices[Math.floor(rng.next() * choices.length)]!;
  const resolveEveryMs = drawOne(RESOLVE_EVERY_MS);
  const symbols = SYMBOLS.slice(0, 1 + Math.floor(rng.next() * MAX_BOT_SYMBOLS));
  const { key } = venue;
  const maxPositionQty = String(contracts === null ? maxLots / SPOT_LOTS_PER_COIN : maxLots);
  writeFileSync(join(folder, 'key'), `${key.apiKey}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'secret'), `${key.secret}\n`, { mode: 0o600 });
  mkdirSync(join(folder, 'bot'), { mode: 0o700 });
  const theme = themeOf(seed);
  const themed = theme === null ? {} : themedBotConfig(seed, theme);
  const config = {
    mode: 'paper',
    exchange: {
      spotUrl: UNUSED_URL,
      futuresUrl: UNUSED_URL,
      keyFile: 'key',
      secretFile: 'secret',
      ...themed['exchange'],
    },
    data: 'bot',
    // The file does not exist: the simulation passes the class of the strategy.
    strategy: '/world/trader.ts',
    feeds: { bars: { symbols: symbols.map((base) => `${base}USDT`), interval: '1m' } },
    cash: { USDT: String(CASH) },
    bars: { graceMs: 20_000, delayMs: 400, spreadMs: 0 },
    orders: { deltaMinMs: 10_000, resolveEveryMs, ...themed['orders'] },
    audit: { fastMs: 60_000, balanceMs: 120_000, fullMs: 900_000, ...themed['audit'] },
    risk: { maxPositionQty, maxAuditAgeMs: 300_000, ...themed['risk'] },
    ...(themed['clock'] === undefined ? {} : { clock: themed['clock'] }),
    ...contracts?.config,
  };
  writeFileSync(join(folder, 'bot.yaml'), JSON.stringify(config));
}

type ConfigFile = Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
  readonly feeds: { readonly bars: { readonly symbols: readonly string[] } };
};
const readConfig = (file: string): ConfigFile => JSON.parse(readFileSync(file, 'utf8')) as ConfigFile;

/** Adds a feed that no strategy uses to a config, or removes it. */
export function toggleUnusedFeed(file: string): void {
  const config = readConfig(file);
  const { unused, ...feeds } = config.feeds as ConfigFile['feeds'] & { readonly unused?: unknown };
  const added = unused === undefined ? { unused: { symbols: feeds.bars.symbols, interval: '5m' } } : {};
  writeFileSync(file, JSON.stringify({ ...config, feeds: { ...feeds, ...added } }));
}

/** Settings that a bot must refuse, by the key under which they stand. */
const WRONG_SETTINGS = [
  { key: 'exchange', value: { dialect: { recvWindow: 100_000 } } },
  { key: 'orders', value: { backdateMs: 6000 } },
  { key: 'orders', value: { resolveEveryMs: 0 } },
] as const;

/** Returns the settings of a wrong config as text if a bot would accept it; null if it is refused. `draw`, in [0, 1), selects the settings. */
export function acceptedWrongConfig(file: string, draw: number): string | null {
  const config = readConfig(file);
  const { key, value } = WRONG_SETTINGS[Math.floor(draw * WRONG_SETTINGS.length)]!;
  const wrongFile = file.replace('bot.yaml', 'wrong.yaml');
  writeFileSync(wrongFile, JSON.stringify({ ...config, [key]: { ...config[key], ...value } }));
  try {
    readLiveConfig(wrongFile, {});
    return `${key}: ${JSON.stringify(value)}`;
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}
