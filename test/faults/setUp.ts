// Writes the files of a fault run: an exchange with ten symbols and one account, and a bot that uses all of its money.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultCase } from './faultTable.ts';

const PRICES = [65_000, 3200, 610, 145, 24, 7.5, 1.2, 0.62, 0.35, 0.08];
const CASH = '1000000';
/** The longest wait of a start for a bar (ms): a busy computer is slow. */
const BARS = { graceMs: 40_000, delayMs: 200, spreadMs: 400 };

const spotSymbols = PRICES.map((_, at) => `${String.fromCharCode(65 + at).repeat(3)}USDT`);
const contracts = PRICES.map((_, at) => `E-${String.fromCharCode(65 + at).repeat(3)}-USDT`);

/** Writes the file of an exchange; returns its path. */
export function writeExchange(folder: string, { market, profile = {} }: FaultCase, seed: number): string {
  mkdirSync(folder, { recursive: true });
  for (const name of ['key', 'secret']) writeFileSync(join(folder, name), `faults-${name}-${seed}`, { mode: 0o600 });
  const prices = (at: number) => ({ price: String(PRICES[at]), quantity: String(200_000 / PRICES[at]!) });
  const digits = (at: number) => (PRICES[at]! > 100 ? { priceDigits: 2, quantityDigits: 5 } : { priceDigits: 5, quantityDigits: 3 });
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
          instruments: spotSymbols.map((symbol, at) => ({
            symbol,
            base: symbol.slice(0, 3),
            quote: 'USDT',
            ...digits(at),
            prices: prices(at),
          })),
        }
      : {
          contracts: contracts.map((contractName, at) => ({
            contractName,
            multiplier: at < 3 ? '0.0001' : '0.1',
            priceDigits: digits(at).priceDigits,
            // What the exchange calculates with is nowhere to be read; a bot takes these.
            marginDigits: 8,
            prices: { price: String(PRICES[at]), quantity: '20000' },
          })),
        }),
  };
  return written(join(folder, 'exchange.yaml'), file);
}

/** Writes the config of the bot; returns its path. `more`: keys over its own. */
export function writeBot(
  folder: string,
  { market }: Pick<FaultCase, 'market'>,
  url: string,
  speed: number,
  more: Readonly<Record<string, unknown>> = {},
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
    bars: BARS,
    ...more,
  };
  return written(join(folder, 'bot.yaml'), config);
}

function written(path: string, content: unknown): string {
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(content, null, 2));
  return path;
}
