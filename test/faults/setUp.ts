// Writes the files of a fault run: an exchange with ten symbols and one account, and a bot that gets all of its cash.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultCase } from './faultTable.ts';

const PRICES = [65_000, 3200, 610, 145, 24, 7.5, 1.2, 0.62, 0.35, 0.08];
const CASH = '1000000';
/** Times of bars, ms of venue time. The grace is long, because a busy computer is slow. */
const BAR_TIMES = { graceMs: 40_000, delayMs: 200, spreadMs: 400 };

const spotSymbols = PRICES.map((_, index) => `${String.fromCharCode(65 + index).repeat(3)}USDT`);
const contracts = PRICES.map((_, index) => `E-${String.fromCharCode(65 + index).repeat(3)}-USDT`);

/** Writes the file of an exchange. Returns its path. */
export function writeExchange(folder: string, { market, profile = {} }: FaultCase, seed: number): string {
  mkdirSync(folder, { recursive: true });
  for (const name of ['key', 'secret']) writeFileSync(join(folder, name), `faults-${name}-${seed}`, { mode: 0o600 });
  const prices = (index: number) => ({ price: String(PRICES[index]), quantity: String(200_000 / PRICES[index]!) });
  const digits = (index: number) => (PRICES[index]! > 100 ? { priceDigits: 2, quantityDigits: 5 } : { priceDigits: 5, quantityDigits: 3 });
  const file = {
    seed,
    switches: profile,
    delays: 'realistic',
    accounts: [
      {
        name: 'bot',
        uid: 10_001,
        balances: market === 'spot' ? { USDT: CASH } : {},
        ...(market === 'futures' ? { futures: { balances: { USDT: CASH }, leverage: 5 } } : {}),
        keys: [{ keyFile: join(folder, 'key'), secretFile: join(folder, 'secret') }],
      },
    ],
    ...(market === 'spot'
      ? {
          instruments: spotSymbols.map((symbol, index) => ({
            symbol,
            base: symbol.slice(0, 3),
            quote: 'USDT',
            ...digits(index),
            prices: prices(index),
          })),
        }
      : {
          contracts: contracts.map((contractName, index) => ({
            contractName,
            multiplier: index < 3 ? '0.0001' : '0.1',
            priceDigits: digits(index).priceDigits,
            // A bot assumes eight digits, because the API does not publish the digits that the exchange uses.
            marginDigits: 8,
            prices: { price: String(PRICES[index]), quantity: '20000' },
          })),
        }),
  };
  return writeJson(join(folder, 'exchange.yaml'), file);
}

/** Writes the config of the bot. Returns its path. `overrides` are keys that replace the usual ones. */
export function writeBot(
  folder: string,
  { market }: Pick<FaultCase, 'market'>,
  url: string,
  speed: number,
  overrides: Readonly<Record<string, unknown>> = {},
): string {
  const config = {
    mode: 'paper',
    exchange: { [`${market}Url`]: url, keyFile: join(folder, 'key'), secretFile: join(folder, 'secret') },
    data: join(folder, 'bot'),
    timeScale: speed,
    strategy: 'script.ts',
    market,
    ...(market === 'futures' ? { futures: { leverage: 5, margin: 'cross', positions: 'net' } } : {}),
    feeds: { bars: { symbols: market === 'spot' ? spotSymbols : contracts, interval: '1m' } },
    cash: { USDT: CASH },
    bars: BAR_TIMES,
    ...overrides,
  };
  return writeJson(join(folder, 'bot.yaml'), config);
}

/** Writes `content` as JSON, which is also YAML. Returns the path. */
function writeJson(path: string, content: unknown): string {
  writeFileSync(path, JSON.stringify(content, null, 2));
  return path;
}
