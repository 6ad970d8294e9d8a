// Writes the keys and the config of the simulated bot.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractDayTerms } from './futures/contractDay.ts';
import { themedBotConfig, themeOf } from './themes/themedDay.ts';
import { CASH, SYMBOLS, type SimulatedVenue } from './venue.ts';
import { rngOf } from './draws.ts';

/** Possible values of `orders.resolveEveryMs`. Each day draws one. */
const RESOLVE_EVERY_MS = [2000, 10_000, 20_000, 30_000] as const;
/** A bot trades at least one and at most this many symbols. */
const MAX_BOT_SYMBOLS = 3;

/** What a config depends on. */
export interface BotConfigTerms {
  readonly folder: string;
  readonly venue: SimulatedVenue;
  readonly contracts: ContractDayTerms | null;
  readonly maxLots: number;
}

/** Writes the keys and the config of the bot of a seed. The number of symbols and the period of reads are drawn. */
export function writeBotConfig(seed: number, { folder, venue, contracts, maxLots }: BotConfigTerms): void {
  const rng = rngOf(seed, 'config');
  const drawOne = (list: readonly number[]): number => list[Math.floor(rng.next() * list.length)]!;
  const resolveEveryMs = drawOne(RESOLVE_EVERY_MS);
  const symbols = SYMBOLS.slice(0, 1 + Math.floor(rng.next() * MAX_BOT_SYMBOLS));
  const { key } = venue;
  writeFileSync(join(folder, 'key'), `${key.apiKey}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'secret'), `${key.secret}\n`, { mode: 0o600 });
  mkdirSync(join(folder, 'bot'), { mode: 0o700 });
  const theme = themeOf(seed);
  const themed = theme === null ? {} : themedBotConfig(seed, theme);
  const config = {
    mode: 'paper',
    exchange: {
      spotUrl: 'http://127.0.0.1:1',
      futuresUrl: 'http://127.0.0.1:1',
      keyFile: 'key',
      secretFile: 'secret',
      ...themed['exchange'],
    },
    data: 'bot',
    strategy: '/world/trader.ts',
    feeds: { bars: { symbols: symbols.map((base) => `${base}USDT`), interval: '1m' } },
    cash: { USDT: String(CASH) },
    bars: { graceMs: 20_000, delayMs: 400, spreadMs: 0 },
    orders: { deltaMinMs: 10_000, resolveEveryMs, ...themed['orders'] },
    audit: { fastMs: 60_000, balanceMs: 120_000, fullMs: 900_000, ...themed['audit'] },
    risk: { maxPositionQty: String(contracts === null ? maxLots / 10_000 : maxLots), maxAuditAgeMs: 300_000, ...themed['risk'] },
    ...(themed['clock'] === undefined ? {} : { clock: themed['clock'] }),
    ...contracts?.config,
  };
  writeFileSync(join(folder, 'bot.yaml'), JSON.stringify(config));
}
