// Tests an exchange that follows another one over real HTTP: its book, its trades, and the orders of its own users.

import { afterEach, expect, it } from 'vitest';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { follow, type RunningFollow } from '../../src/paperExchange/process/follow.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { SignedClient } from './signedFetch.ts';

const POLL_MS = 50;
let runningExchanges: RunningExchange[] = [];
let following: RunningFollow | null = null;
afterEach(async () => {
  await following?.stop();
  following = null;
  for (const running of runningExchanges) await running.close();
  runningExchanges = [];
});

/** Starts the demo exchange, with or without its own prices. */
async function startExchange(hasPrices: boolean, instruments = demoSettings(1).service.instruments): Promise<RunningExchange> {
  const demo = demoSettings(1);
  const accounts = demo.service.accounts.map((account) => ({ ...account, balances: { USDT: '100000', BTC: '1' } }));
  const service = { ...demo.service, instruments, accounts };
  const prices = hasPrices ? demo.prices : new Map<never, never>();
  const options = { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} };
  const running = await runExchange({ ...demo, service, prices }, options);
  runningExchanges.push(running);
  return running;
}

/** What the following exchange has reported. */
const news: string[] = [];
/** Lets an exchange follow the prices of another one. */
async function startFollowing(other: RunningExchange, ownExchange: RunningExchange): Promise<void> {
  news.length = 0;
  following = await follow({
    url: other.url,
    service: ownExchange.service,
    nowMs: () => ownExchange.clock.nowMs(),
    onNews: (text) => news.push(text),
    pollMs: POLL_MS,
  });
}

/** Returns the JSON reply to a public call. */
const readPublic = async ({ url }: RunningExchange, target: string): Promise<Record<string, never>> =>
  (await (await fetch(url + target, { headers: { 'Content-Type': 'application/json' } })).json()) as Record<string, never>;

/** Waits until `holds` is true. Throws with `awaited` after 250 polls, which take at least 12.5 s. */
async function until(awaited: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 250; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${awaited}: not reached after 250 polls`);
}

/** Returns a client of the exchange's only user. */
const userOf = ({ url }: RunningExchange): SignedClient => new SignedClient(url, demoSettings(1).service.accounts[0]!.keys[0]!);
/** Returns the arguments of a limit order. */
const limitOrder = (side: 'BUY' | 'SELL', volume: string, price: string) => ({ symbol: 'BTCUSDT', side, type: 'LIMIT', volume, price });

/** A row of the klines, as far as it is compared. */
interface KlineRow {
  readonly idx: number;
  readonly close: string;
}

it('a following exchange has the book and the minute bars of the exchange that it follows, on both markets', async () => {
  const other = await startExchange(true);
  const ownExchange = await startExchange(false);
  const closedBars = async (exchange: RunningExchange): Promise<readonly (readonly [openMs: number, close: string])[]> => {
    const rows = (await readPublic(exchange, '/sapi/v1/klines?symbol=BTCUSDT&interval=1min&limit=10')) as unknown as readonly KlineRow[];
    // The newest row is left out, because it is still open.
    return rows.slice(1).map(({ idx, close }) => [idx, close]);
  };
  const barsBefore = (await closedBars(other)).slice(0, 5);
  expect(barsBefore).toHaveLength(5);
  await startFollowing(other, ownExchange);
  for (const depth of ['/sapi/v1/depth?symbol=BTCUSDT&limit=100', '/fapi/v1/depth?contractName=E-ETH-USDT&limit=100']) {
    await until(`the same levels of ${depth}`, async () => {
      const otherBook = await readPublic(other, depth);
      const ownBook = await readPublic(ownExchange, depth);
      return JSON.stringify([otherBook['bids'], otherBook['asks']]) === JSON.stringify([ownBook['bids'], ownBook['asks']]);
    });
  }
  // Compare only bars that had closed before the start. A trade at the end of a minute is repeated a little later, perhaps in the next minute.
  const ownBars = await closedBars(ownExchange);
  const [lastOpenMs] = barsBefore[0]!;
  expect(ownBars.filter(([openMs]) => openMs <= lastOpenMs).slice(0, barsBefore.length)).toEqual(barsBefore);
});

it('an order at a following exchange fills when the followed market reaches its price, and the followed book does not change', async () => {
  const bitcoin = demoSettings(1).service.instruments.filter(({ base }) => base === 'BTC');
  const other = await startExchange(false, bitcoin);
  const ownExchange = await startExchange(false, bitcoin);
  // A market of two users' orders: bid 60,000, ask 60,100.
  const otherUser = userOf(other);
  await otherUser.post('/sapi/v1/order', limitOrder('SELL', '0.01', '60100'));
  await otherUser.post('/sapi/v1/order', limitOrder('BUY', '0.01', '60000'));
  await otherUser.post('/sapi/v1/order', limitOrder('BUY', '0.001', '60100'));
  const contract = { contractName: 'E-BTC-USDT', type: 'LIMIT', open: 'OPEN', positionType: 1, volume: '5', price: '60000' };
  for (const side of ['SELL', 'BUY']) await otherUser.post('/fapi/v1/order', { ...contract, side });
  await startFollowing(other, ownExchange);
  const ownUser = userOf(ownExchange);
  await ownUser.post('/sapi/v1/order', limitOrder('BUY', '0.002', '60050'));
  const ownFreeUnits = () => ownExchange.service.spot.venue.free(0, 'BTC');
  const unitsBefore = ownFreeUnits();
  await otherUser.post('/sapi/v1/order', limitOrder('SELL', '0.003', '60000'));
  await until('the own bid at 60,050 is filled by the followed trade at 60,000', () => Promise.resolve(ownFreeUnits() > unitsBefore));
  expect(ownExchange.service.spot.venue.locked(0, 'USDT')).toBe(0);
  // 0.002 BTC minus the fee of a maker, bought at the own limit.
  expect(ownFreeUnits() - unitsBefore).toBe(199_800);
  const trades = (await readPublic(ownExchange, '/sapi/v1/trades?symbol=BTCUSDT&limit=10')) as unknown as { price: number; qty: number }[];
  expect(trades.map(({ price }) => price)).toEqual(expect.arrayContaining([60_050, 60_000]));
  expect(other.service.spot.markets[0]!.matcher.book.best('buy')).toMatchObject({ price: 6_000_000, lots: 700 });
});

it('a following exchange reports an outage once, and rejects an exchange that lacks one of its instruments', async () => {
  const other = await startExchange(true);
  const ownExchange = await startExchange(false);
  await startFollowing(other, ownExchange);
  await other.close();
  runningExchanges = runningExchanges.filter((running) => running !== other);
  await until('the outage is reported', () => Promise.resolve(news.length > 0));
  await new Promise((resolve) => setTimeout(resolve, 5 * POLL_MS));
  expect(news).toEqual([expect.stringContaining('does not answer, following is paused')]);
  const exchangeWithBtcOnly = await startExchange(
    true,
    demoSettings(1).service.instruments.filter(({ base }) => base === 'BTC'),
  );
  await following?.stop();
  await expect(startFollowing(exchangeWithBtcOnly, ownExchange)).rejects.toThrow(/ETHUSDT/);
});
