// Tests an exchange whose config has bars that fill orders (`match: bars`): the stopped clock, the control port, and config errors.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { generateInto } from '../../src/adapters/catalog/generate/generateInto.ts';
import { readExchange } from '../../src/paperExchange/process/file/readExchange.ts';
import { runExchange } from '../../src/paperExchange/process/runExchange.ts';
import { START_MS } from './serviceFixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-rows-'));
afterAll(() => rmSync(folder, { recursive: true }));
generateInto(join(folder, 'data'), { symbol: 'DEMOUSDT', interval: '15m', fromMs: START_MS, bars: 96, seed: 3 });
generateInto(join(folder, 'data'), { symbol: 'DEMOUSDT', market: 'futures', interval: '1h', fromMs: START_MS, bars: 48, seed: 4 });

const HOUR_MS = 3_600_000;
/** Writes an exchange config with these prices, and returns its path. */
const writeConfig = (
  prices: string,
  futures = '{ catalog: data, symbol: DEMOUSDT, interval: 1h, from: 2026-01-05T10:00, match: bars }',
): string => {
  const path = join(folder, 'exchange.yaml');
  const text = `instruments:
  - { symbol: DEMOUSDT, base: DEMO, quote: USDT, priceDigits: 2, quantityDigits: 8, prices: ${prices} }
contracts:
  - { contractName: E-DEMO-USDT, multiplier: '0.001', priceDigits: 2, prices: ${futures} }
fills: { slippageTicks: 1, maxVolumeShare: '0.1', graceMs: 500 }
`;
  writeFileSync(path, text);
  chmodSync(path, 0o644);
  return path;
};
/** A valid `prices` entry. */
const VALID_PRICES = '{ catalog: data, interval: 1h, from: 2026-01-05T10:00, match: bars }';

/** Reads the exchange config at `path`. `speed`: the option `--speed`; null without it. */
const readConfig = (path: string, speed: number | null = null) => readExchange(path, { profileFile: null, speed });

it('with match: bars the clock stands at the first bar, and a step to its close shows the bar', async () => {
  const settings = readConfig(writeConfig(VALID_PRICES));
  expect(settings.service.fills).toMatchObject({ limitRule: 'through', maxVolumeSharePpm: 100_000 });
  const exchange = await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: 0, crash: () => {} });
  try {
    const get = async (path: string) => (await fetch(`${exchange.url}${path}`, { headers: { 'content-type': 'application/json' } })).json();
    const post = async (path: string, body: object) =>
      (await fetch(`${exchange.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) })).json();
    const startMs = START_MS + 10 * HOUR_MS;
    expect(await get('/sapi/v1/time')).toMatchObject({ serverTime: startMs });
    const klines = async () =>
      (await get('/sapi/v1/klines?symbol=DEMOUSDT&interval=60min&limit=300')) as readonly {
        readonly idx: number;
        readonly close: string;
        readonly vol: string;
      }[];
    expect((await klines()).map(({ idx }) => idx)[0]).toBe(startMs - HOUR_MS);
    expect(await post('/clock', { stepMs: HOUR_MS })).toEqual({ now: startMs + HOUR_MS });
    expect((await klines()).map(({ idx }) => idx)[0]).toBe(startMs);
    // Futures come before spot, in the order of their ids. Each has two acts (open, inside); then both rows close.
    const acts = [];
    while (acts.length < 5) acts.push(await post('/rows', { next: true }));
    expect(acts).toMatchObject([
      { act: 'open', symbol: 'E-DEMO-USDT', openMs: startMs + HOUR_MS, closeMs: startMs + 2 * HOUR_MS },
      { act: 'inside', symbol: 'E-DEMO-USDT' },
      { act: 'open', market: 'spot', symbol: 'DEMOUSDT' },
      { act: 'inside', symbol: 'DEMOUSDT' },
      { act: 'closed', now: startMs + 2 * HOUR_MS },
    ]);
    await post('/rows', { next: true });
    expect(await post('/rows', { price: '1.00' })).toMatchObject({ error: expect.stringContaining('where the row has traded') });
    expect(await post('/rows', {})).toMatchObject({ error: 'expected { next: true }, or { price } while a row is being matched' });
    expect(await post('/clock', { stepMs: 0 })).toEqual({ now: startMs + 3 * HOUR_MS });
    expect(await klines()).toHaveLength(13);
    // Each side of the depth has one level: the close and the volume of the newest bar. A kill needs a book against which it can close.
    const [newest] = await klines();
    const level = [Number(newest!.close), Number(newest!.vol)];
    const depth = (await get('/sapi/v1/depth?symbol=DEMOUSDT&limit=5')) as Record<'bids' | 'asks', readonly (readonly [string, string])[]>;
    expect([depth.bids, depth.asks].map((side) => side.map((row) => row.map(Number)))).toEqual([[level], [level]]);
  } finally {
    await exchange.close();
  }
});

it('with --speed the clock of the exchange runs by itself', async () => {
  // Simulates a slow computer: the clock has passed rows before the exchange is open.
  let wallMs = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => ++wallMs);
  const exchange = await runExchange(readConfig(writeConfig(VALID_PRICES), 1e9), {
    host: '127.0.0.1',
    port: 0,
    controlPort: null,
    crash: () => {},
  });
  exchange.service.advance(exchange.clock.nowMs());
  vi.restoreAllMocks();
  expect(exchange.clock.nowMs()).toBeGreaterThan(START_MS + 10 * HOUR_MS);
  await exchange.close();
});

it('the unit of a cheap coin is so coarse that an account can hold it, and equal in all instruments', () => {
  generateInto(join(folder, 'data'), { symbol: 'PEPEUSDT', interval: '1h', fromMs: START_MS, bars: 48, seed: 5 });
  const record = join(folder, 'data/spot/PEPEUSDT/instrument.json');
  writeFileSync(
    record,
    JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), quantityPrecision: 2, minQuantity: '0.01', basePrecision: 3 }),
  );
  const path = join(folder, 'cheap.yaml');
  const lines = [
    "{ symbol: BTCUSDT, base: BTC, quote: USDT, priceDigits: 2, quantityDigits: 5, prices: { price: '65000' } }",
    "{ symbol: BTTCUSDT, base: BTTC, quote: USDT, priceDigits: 10, quantityDigits: 0, prices: { price: '0.00000071' } }",
    '{ symbol: PEPEUSDT, base: PEPE, quote: USDT, priceDigits: 2, quantityDigits: 2, prices: { catalog: data, interval: 1h, from: 2026-01-05T10:00, match: bars } }',
    '{ symbol: PEPEBTC, base: PEPE, quote: BTC, priceDigits: 12, quantityDigits: 2 }',
    '{ symbol: NEWUSDT, base: NEW, quote: USDT, priceDigits: 10, quantityDigits: 9 }',
    '{ symbol: SHIBUSDT, base: SHIB, quote: USDT, priceDigits: 8, quantityDigits: 0, baseDigits: 2 }',
  ];
  writeFileSync(path, `instruments:\n${lines.map((line) => `  - ${line}\n`).join('')}`);
  chmodSync(path, 0o644);
  const { instruments } = readConfig(path).service;
  expect(instruments.map(({ wireName, baseDigits, quoteDigits }) => [wireName, baseDigits, quoteDigits])).toEqual([
    ['BTCUSDT', 8, 8],
    // Ten million USDT buy 14 * 10^12 coins. In units of 10^-2 that is below 2^53, the largest exact integer.
    ['BTTCUSDT', 2, 8],
    ['PEPEUSDT', 3, 8],
    ['PEPEBTC', 3, 8],
    ['NEWUSDT', 9, 8],
    ['SHIBUSDT', 2, 8],
  ]);
});

it('an invalid `prices` entry is rejected with its key or symbol', () => {
  expect(() => readConfig(writeConfig('{ catalog: data, interval: 1h, from: 2026-01-05, match: book }'))).toThrow(/prices/);
  expect(() => readConfig(writeConfig('{ catalog: data, interval: 1h, from: 2027-01-05, match: bars }'))).toThrow(/DEMOUSDT/);
});
