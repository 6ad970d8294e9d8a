// Tests the kill against the paper exchange over real HTTP: what it cancels, closes and keeps, and that it stops new orders.

import { Decimal } from 'decimal.js';
import { afterEach, describe, expect, it } from 'vitest';
import { NOTHING_KNOWN } from '../../src/tasks/kill/cancel/killOrders.ts';
import { runKill } from '../../src/tasks/kill/kill.ts';
import { readKillSwitch, engageKillSwitch } from '../../src/tasks/kill/killSwitch/killSwitch.ts';
import { KILL_SETTINGS } from '../../src/tasks/kill/plan/venue.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';

const CANCEL = { all: false, books: null } as const;
let fixture: KillFixture;
afterEach(() => fixture.close());

describe('a kill that cancels', () => {
  it('a kill that cancels shuts the gate of another process by its latch, which lasts', async () => {
    fixture = await KillFixture.open();
    expect(fixture.guard.isEngaged).toBe(false);
    await engageKillSwitch(fixture.folder, { sinceMs: 1, who: 'ann', why: 'a test', flatten: false });
    expect(fixture.guard.isEngaged).toBe(true);
    await engageKillSwitch(fixture.folder, { sinceMs: 2, who: 'bob', why: 'again', flatten: true });
    expect(readKillSwitch(fixture.folder)).toEqual({ sinceMs: 1, who: 'ann', why: 'a test', flatten: false });
  });

  it('a kill that cancels finds orders that it was not given by their client ids, leaves those of others, and says so', async () => {
    fixture = await KillFixture.open();
    await fixture.rest('ETHUSDT', 12, 100);
    const { orderId } = await fixture.call('spot.newOrder', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      volume: '0.001',
      price: '1000',
      newClientOrderId: 'somebody-else',
    });
    const report = await runKill(fixture.parts(), NOTHING_KNOWN, CANCEL);
    expect(report.cancelled).toBe(12);
    expect(report.residuals).toEqual([expect.stringContaining(`order ${orderId}`)]);
    const all = await runKill(fixture.parts(), NOTHING_KNOWN, { ...CANCEL, all: true });
    expect(all).toMatchObject({ cancelled: 1, residuals: [] });
  });

  it('a kill that cancels ends when it is asked to, and says that it did not complete', async () => {
    fixture = await KillFixture.open();
    const ending = new AbortController();
    const killed = runKill({ ...fixture.parts(KILL_SETTINGS), signal: ending.signal }, NOTHING_KNOWN, CANCEL);
    setTimeout(() => ending.abort(), 100);
    expect((await killed).residuals).toEqual([expect.stringContaining('aborted before')]);
  });
});

it('never claims what it does not know: an exchange that does not answer is asked on, and that is said', async () => {
  fixture = await KillFixture.open();
  await fixture.rest('BTCUSDT', 1);
  await fixture.running.close();
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 400);
  const { cancelled, residuals } = await runKill({ ...fixture.parts(), signal: ending.signal }, NOTHING_KNOWN, CANCEL);
  expect([cancelled, residuals]).toEqual([0, [expect.stringContaining('aborted before')]]);
  expect(fixture.text.filter((line) => line.includes('has had no reply')).length).toBeGreaterThan(0);
});

describe('a kill that flattens', () => {
  it('a kill that flattens sells what the books hold and no more, in slices, and cancels first', async () => {
    fixture = await KillFixture.open();
    const before = await balanceOf('BTC');
    const cid = fixture.nextCid();
    const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '1', price: '90000', newClientOrderId: cid } as const;
    const { orderId } = await fixture.call('spot.newOrder', order);
    const { rows } = await fixture.call('spot.myTrades', { symbol: 'BTCUSDT', limit: 1000 });
    const bought = rows.reduce((sum, { quantity, feeCoin, fee }) => sum.plus(quantity).minus(feeCoin === 'BTC' ? fee : 0), new Decimal(0));
    await fixture.rest('BTCUSDT', 3);
    await fixture.call('spot.newOrder', {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'LIMIT',
      volume: '0.5',
      price: '990000',
      newClientOrderId: fixture.nextCid(),
    });
    const ownOrder = { cid, instrument: fixture.instrument('BTCUSDT'), side: 'buy', qty: '1', price: '90000', orderId, signMs } as const;
    const report = await runKill(fixture.parts(), NOTHING_KNOWN, {
      all: false,
      books: () => Promise.resolve(fixture.books([ownOrder])),
    });
    expect(report.residuals).toEqual([]);
    expect(report.cancelled).toBe(4);
    const sold = report.slices.reduce((sum, { filled }) => sum.plus(filled), new Decimal(0));
    expect(sold.toNumber()).toBeLessThanOrEqual(bought.toNumber());
    expect(bought.minus(sold).toNumber()).toBeLessThan(0.00001);
    expect((await balanceOf('BTC')).minus(before).toNumber()).toBeGreaterThanOrEqual(0);
    expect((await balanceOf('BTC')).minus(before).toNumber()).toBeLessThan(0.00001);
  });

  it('a kill that flattens closes long and short positions of contracts by CLOSE orders alone', async () => {
    fixture = await KillFixture.open();
    const open = { type: 'LIMIT', timeInForce: 'IOC', open: 'OPEN', positionType: 1 } as const;
    const signMs = (await fixture.call('futures.serverTime', {})).serverTimeMs;
    const placeOrder = async (contractName: string, side: 'buy' | 'sell', qty: string, price: string): Promise<BookedOrder> => {
      const [cid, wireSide] = [fixture.nextCid(), side === 'buy' ? 'BUY' : 'SELL'] as const;
      const order = { ...open, contractName, volume: qty, side: wireSide, price, clientOrderId: cid } as const;
      const { orderId } = await fixture.call('futures.createOrder', order);
      return { cid, instrument: fixture.instrument(contractName), side, qty, price, orderId, signMs };
    };
    const ownOrders = [await placeOrder('E-BTC-USDT', 'buy', '3000', '70000'), await placeOrder('E-ETH-USDT', 'sell', '2000', '3000')];
    const report = await runKill(fixture.parts(), NOTHING_KNOWN, {
      all: false,
      books: () => Promise.resolve(fixture.books(ownOrders)),
    });
    expect(report.residuals).toEqual([]);
    expect(new Set(report.slices.map(({ instrument, side }) => `${instrument} ${side}`))).toEqual(
      new Set(['futures:E-BTC-USDT sell', 'futures:E-ETH-USDT buy']),
    );
    for (const contractName of ['E-BTC-USDT', 'E-ETH-USDT'])
      expect((await fixture.call('futures.positions', { contractName })).rows).toEqual([]);
  });
});

async function balanceOf(asset: string): Promise<Decimal> {
  const { rows } = await fixture.call('spot.account', {});
  const balance = rows.find((row) => row.asset === asset);
  return new Decimal(balance?.free ?? 0).plus(balance?.locked ?? 0);
}
