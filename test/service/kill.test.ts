// Tests the kill against the paper exchange over real HTTP: what it cancels, closes and keeps, and that it stops new orders.

import { Decimal } from 'decimal.js';
import { afterEach, describe, expect, it } from 'vitest';
import { NOTHING_KNOWN } from '../../src/tasks/kill/cancel/killOrders.ts';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';
import { runKill } from '../../src/tasks/kill/kill.ts';
import { readKillSwitch, engageKillSwitch } from '../../src/tasks/kill/killSwitch/killSwitch.ts';
import { KILL_SETTINGS } from '../../src/tasks/kill/plan/killVenue.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';

/** A kill that cancels the bot's orders and closes nothing. */
const CANCEL = { includesForeign: false, books: null } as const;
let fixture: KillFixture;
afterEach(() => fixture.close());

describe('a kill that cancels', () => {
  it('an engaged kill switch closes the send guard of another process, and a second engagement does not change it', async () => {
    fixture = await KillFixture.open();
    expect(fixture.guard.isEngaged).toBe(false);
    await engageKillSwitch(fixture.folder, { sinceMs: 1, who: 'ann', why: 'a test', flatten: false });
    expect(fixture.guard.isEngaged).toBe(true);
    await engageKillSwitch(fixture.folder, { sinceMs: 2, who: 'bob', why: 'again', flatten: true });
    expect(readKillSwitch(fixture.folder)).toEqual({ sinceMs: 1, who: 'ann', why: 'a test', flatten: false });
  });

  it('a kill cancels the orders that it recognises by their client order ids, and names foreign orders as residuals', async () => {
    fixture = await KillFixture.open();
    await fixture.placeRestingBuys('ETHUSDT', 12, 100);
    const { orderId } = await fixture.call('spot.newOrder', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      volume: '0.001',
      price: '1000',
      newClientOrderId: 'somebody-else',
    });
    const report = await runKill(fixture.deps(), NOTHING_KNOWN, CANCEL);
    expect(report.cancelled).toBe(12);
    expect(report.residuals).toEqual([expect.stringContaining(`order ${orderId}`)]);
    const killOfAll = await runKill(fixture.deps(), NOTHING_KNOWN, { ...CANCEL, includesForeign: true });
    expect(killOfAll).toMatchObject({ cancelled: 1, residuals: [] });
  });

  it('a kill that is aborted names what it did not complete', async () => {
    fixture = await KillFixture.open();
    const abort = new AbortController();
    const report = runKill({ ...fixture.deps(KILL_SETTINGS), signal: abort.signal }, NOTHING_KNOWN, CANCEL);
    setTimeout(() => abort.abort(), 100);
    expect((await report).residuals).toEqual([expect.stringContaining('aborted before')]);
  });
});

it('a kill at an exchange that does not reply repeats its requests, reports that, and claims no cancel', async () => {
  fixture = await KillFixture.open();
  await fixture.placeRestingBuys('BTCUSDT', 1);
  await fixture.running.close();
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 400);
  const { cancelled, residuals } = await runKill({ ...fixture.deps(), signal: abort.signal }, NOTHING_KNOWN, CANCEL);
  expect(cancelled).toBe(0);
  expect(residuals).toEqual([expect.stringContaining('aborted before')]);
  expect(fixture.printedLines.filter((line) => line.includes('has had no useful reply')).length).toBeGreaterThan(0);
});

describe('a kill that flattens', () => {
  it('a kill that flattens cancels first, and then sells in slices exactly what the ledger holds', async () => {
    fixture = await KillFixture.open();
    const btcBefore = await balanceOf('BTC');
    const cid = fixture.nextClientOrderId();
    const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '1', price: '90000', newClientOrderId: cid } as const;
    const { orderId } = await fixture.call('spot.newOrder', order);
    const { rows } = await fixture.call('spot.myTrades', { symbol: 'BTCUSDT', limit: 1000 });
    const bought = rows.reduce((sum, { quantity, feeCoin, fee }) => sum.plus(quantity).minus(feeCoin === 'BTC' ? fee : 0), new Decimal(0));
    await fixture.placeRestingBuys('BTCUSDT', 3);
    await fixture.call('spot.newOrder', {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'LIMIT',
      volume: '0.5',
      price: '990000',
      newClientOrderId: fixture.nextClientOrderId(),
    });
    const ownOrder = { cid, instrument: fixture.instrument('BTCUSDT'), side: 'buy', qty: '1', price: '90000', orderId, signMs } as const;
    const report = await runKill(fixture.deps(), NOTHING_KNOWN, {
      includesForeign: false,
      books: () => Promise.resolve(fixture.books([ownOrder])),
    });
    expect(report.residuals).toEqual([]);
    expect(report.cancelled).toBe(4);
    const sold = report.slices.reduce((sum, { filled }) => sum.plus(filled), new Decimal(0));
    expect(sold.toNumber()).toBeLessThanOrEqual(bought.toNumber());
    expect(bought.minus(sold).toNumber()).toBeLessThan(0.00001);
    expect((await balanceOf('BTC')).minus(btcBefore).toNumber()).toBeGreaterThanOrEqual(0);
    expect((await balanceOf('BTC')).minus(btcBefore).toNumber()).toBeLessThan(0.00001);
  });

  it('a kill that flattens sells what an order has bought, although the exchange has acknowledged the order with a wrong id', async () => {
    fixture = await KillFixture.open();
    const btcBefore = await balanceOf('BTC');
    const cid = fixture.nextClientOrderId();
    const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '1', price: '90000', newClientOrderId: cid } as const;
    await fixture.call('spot.newOrder', order);
    expect((await balanceOf('BTC')).minus(btcBefore).toNumber()).toBeGreaterThan(0.5);
    const ownOrder = {
      cid,
      instrument: fixture.instrument('BTCUSDT'),
      side: 'buy',
      qty: '1',
      price: '90000',
      orderId: '777',
      signMs,
    } as const;
    // The kill cancels what the journal calls open, so the wrong id, too.
    const known = { ...NOTHING_KNOWN, open: new Map([[ownOrder.instrument.id, ['777']]]) };
    const report = await runKill(fixture.deps(), known, {
      includesForeign: false,
      books: () => Promise.resolve(fixture.books([ownOrder])),
    });
    expect(report.residuals).toEqual([]);
    const left = (await balanceOf('BTC')).minus(btcBefore).toNumber();
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left).toBeLessThan(0.00001);
  });

  it.each([
    ['lists positions', 'on'],
    ['shows positions with the account alone', 'off'],
  ] as const)(
    'a kill that flattens closes long and short contracts by reduce-only orders at an exchange that %s',
    async (_, positionsEndpoint) => {
      const profile = profileOf({ positionsEndpoint });
      fixture = await KillFixture.open((settings) => ({ ...settings, service: { ...settings.service, profile } }));
      const openingTerms = { type: 'LIMIT', timeInForce: 'IOC', open: 'OPEN', positionType: 1 } as const;
      const signMs = (await fixture.call('futures.serverTime', {})).serverTimeMs;
      const placeOrder = async (contractName: string, side: 'buy' | 'sell', qty: string, price: string): Promise<BookedOrder> => {
        const cid = fixture.nextClientOrderId();
        const wireSide = side === 'buy' ? 'BUY' : 'SELL';
        const order = { ...openingTerms, contractName, volume: qty, side: wireSide, price, clientOrderId: cid } as const;
        const { orderId } = await fixture.call('futures.createOrder', order);
        return { cid, instrument: fixture.instrument(contractName), side, qty, price, orderId, signMs };
      };
      const ownOrders = [await placeOrder('E-BTC-USDT', 'buy', '3000', '70000'), await placeOrder('E-ETH-USDT', 'sell', '2000', '3000')];
      const report = await runKill(fixture.deps(), NOTHING_KNOWN, {
        includesForeign: false,
        books: () => Promise.resolve(fixture.books(ownOrders)),
      });
      expect(report.residuals).toEqual([]);
      expect(new Set(report.slices.map(({ instrument, side }) => `${instrument} ${side}`))).toEqual(
        new Set(['futures:E-BTC-USDT sell', 'futures:E-ETH-USDT buy']),
      );
      const { rows } = await fixture.call('futures.account', {});
      const contracts = rows.flatMap(({ positionVos }) => positionVos ?? []);
      expect(contracts.flatMap(({ positions }) => positions ?? []).filter(({ volume }) => Number(volume) !== 0)).toEqual([]);
    },
  );
});

/** Returns the free and locked amount of an asset. */
async function balanceOf(asset: string): Promise<Decimal> {
  const { rows } = await fixture.call('spot.account', {});
  const balance = rows.find((row) => row.asset === asset);
  return new Decimal(balance?.free ?? 0).plus(balance?.locked ?? 0);
}
