// An exchange that follows another one over real HTTP: its book, its trades, and our users among them.

import { afterEach, expect, it } from 'vitest';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { follow, type RunningFollow } from '../../src/paperExchange/process/follow.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { Signer } from './signedFetch.ts';

const LOOK_MS = 50;
let open: RunningExchange[] = [];
let following: RunningFollow | null = null;
afterEach(async () => {
  await following?.stop();
  following = null;
  for (const each of open) await each.close();
  open = [];
});

/** The demonstration, with or without prices of its own. */
async function exchange(hasPrices: boolean, instruments = demoSettings(1).service.instruments): Promise<RunningExchange> {
  const demo = demoSettings(1);
  const accounts = demo.service.accounts.map((account) => ({ ...account, balances: { USDT: '100000', BTC: '1' } }));
  const service = { ...demo.service, instruments, accounts };
  const running = await runExchange({ ...demo, service, ...(hasPrices ? {} : { prices: new Map() }) }, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} }); // prettier-ignore
  open.push(running);
  return running;
}

const reply: string[] = [];
async function followed(other: RunningExchange, own: RunningExchange): Promise<void> {
  reply.length = 0;
  following = await follow({ url: other.url, service: own.service, nowMs: () => own.clock.nowMs(), onNews: (text) => reply.push(text), pollMs: LOOK_MS }); // prettier-ignore
}

const read = async ({ url }: RunningExchange, target: string): Promise<Record<string, never>> =>
  (await (await fetch(url + target, { headers: { 'Content-Type': 'application/json' } })).json()) as Record<string, never>;

/** Until it holds; throws with what does not hold after five seconds. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 250; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`${what} within five seconds`);
}

const signer = ({ url }: RunningExchange): Signer => new Signer(url, demoSettings(1).service.accounts[0]!.keys[0]!);
const limit = (side: 'BUY' | 'SELL', volume: string, price: string) => ({ symbol: 'BTCUSDT', side, type: 'LIMIT', volume, price });

it('a following exchange has the book and the minutes of the other one, on both markets', async () => {
  const [other, own] = [await exchange(true), await exchange(false)];
  await followed(other, own);
  for (const depth of ['/sapi/v1/depth?symbol=BTCUSDT&limit=100', '/fapi/v1/depth?contractName=E-ETH-USDT&limit=100']) {
    await until(`the same levels of ${depth}`, async () => {
      const [a, b] = [await read(other, depth), await read(own, depth)];
      return JSON.stringify([a['bids'], a['asks']]) === JSON.stringify([b['bids'], b['asks']]);
    });
  }
  const klines = '/sapi/v1/klines?symbol=BTCUSDT&interval=1min&limit=10';
  const rows = [await read(other, klines), await read(own, klines)].map((list) => (list as unknown as { close: string }[]).slice(1).map(({ close }) => close)); // prettier-ignore
  expect(rows[1]).toEqual(rows[0]);
});

it('our orders fill when the other market reaches their price, and the other exchange does not notice', async () => {
  const bitcoin = demoSettings(1).service.instruments.filter(({ base }) => base === 'BTC');
  const [other, own] = [await exchange(false, bitcoin), await exchange(false, bitcoin)];
  // A market of two users' orders: bid 60,000, ask 60,100.
  const there = signer(other);
  await there.post('/sapi/v1/order', limit('SELL', '0.01', '60100'));
  await there.post('/sapi/v1/order', limit('BUY', '0.01', '60000'));
  await there.post('/sapi/v1/order', limit('BUY', '0.001', '60100'));
  const contract = { contractName: 'E-BTC-USDT', type: 'LIMIT', open: 'OPEN', positionType: 1, volume: '5', price: '60000' };
  for (const side of ['SELL', 'BUY']) await there.post('/fapi/v1/order', { ...contract, side });
  await followed(other, own);
  const here = signer(own);
  await here.post('/sapi/v1/order', limit('BUY', '0.002', '60050'));
  const free = () => own.service.spot.venue.free(0, 'BTC');
  const before = free();
  await there.post('/sapi/v1/order', limit('SELL', '0.003', '60000'));
  await until('our bid at 60,050 is filled by their trade at 60,000', () => Promise.resolve(free() > before));
  expect(own.service.spot.venue.locked(0, 'USDT')).toBe(0);
  // 0.002 BTC less the fee of a maker, bought at our own limit.
  expect(free() - before).toBe(199_800);
  const trades = (await read(own, '/sapi/v1/trades?symbol=BTCUSDT&limit=10')) as unknown as { price: number; qty: number }[];
  expect(trades.map(({ price }) => price)).toEqual(expect.arrayContaining([60_050, 60_000]));
  expect(other.service.spot.markets[0]!.matcher.book.best('buy')).toMatchObject({ price: 6_000_000, lots: 700 });
});

it('says once that the other one is gone, and refuses one that does not trade what it has', async () => {
  const [other, own] = [await exchange(true), await exchange(false)];
  await followed(other, own);
  await other.close();
  open = open.filter((each) => each !== other);
  await until('it is said', () => Promise.resolve(reply.length > 0));
  await new Promise((resolve) => setTimeout(resolve, 5 * LOOK_MS));
  expect(reply).toEqual([expect.stringContaining('does not answer, following is paused')]);
  const little = await exchange(
    true,
    demoSettings(1).service.instruments.filter(({ base }) => base === 'BTC'),
  );
  await following?.stop();
  await expect(followed(little, own)).rejects.toThrow(/ETHUSDT/);
});
