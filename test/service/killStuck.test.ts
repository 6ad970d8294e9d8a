// Tests kills while one symbol cannot be cancelled or read, as in a maintenance: the positions of all others are closed.

import { describe, expect, it } from 'vitest';
import { runKill, type KillReport } from '../../src/tasks/kill/kill.ts';
import type { KillDeps } from '../../src/tasks/kill/plan/killVenue.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';

/** The kill gives up a symbol after this time without progress. */
const GIVE_UP_MS = 8000;

/** Buys 0.1 coins, and returns the filled order. */
async function buy(fixture: KillFixture, symbol: string, price: string): Promise<BookedOrder> {
  const cid = fixture.nextClientOrderId();
  const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
  const order = { symbol, side: 'BUY', type: 'LIMIT', volume: '0.1', price, newClientOrderId: cid } as const;
  const { orderId } = await fixture.call('spot.newOrder', order);
  return { cid, instrument: fixture.instrument(symbol), side: 'buy', qty: '0.1', price, orderId, signMs };
}

/** Returns the collaborators of a kill on an exchange that refuses these calls of ETHUSDT until `untilMs`. */
function depsRefusing(fixture: KillFixture, ops: readonly string[], untilMs: number): KillDeps {
  const deps = fixture.deps({ ...fixture.deps().settings, giveUpMs: GIVE_UP_MS });
  const call = (op: string, args: { readonly symbol?: string }, done: (outcome: unknown) => void, ...more: never[]): unknown => {
    const isRefused = performance.now() <= untilMs && ops.includes(op) && args.symbol === 'ETHUSDT';
    if (!isRefused) return deps.client.call(op as never, args as never, done, ...more);
    setTimeout(() => done({ kind: 'refused', code: -1016, msg: 'maintenance' }), 5);
    return { cancel: () => {} };
  };
  return { ...deps, client: { call } as never };
}

/** Returns the free and locked quantity of a coin. */
const coinsOf = async (fixture: KillFixture, asset: string): Promise<number> => {
  const { rows } = await fixture.call('spot.account', {});
  const balance = rows.find((row) => row.asset === asset);
  return Number(balance?.free ?? 0) + Number(balance?.locked ?? 0);
};

/** What a kill has reported, and what it has not sold of the bought coins. */
interface KillOutcome {
  readonly report: KillReport;
  readonly remainingBtc: number;
  readonly remainingEth: number;
  readonly restingId: string;
}

/** Buys on both symbols, rests an order of ETHUSDT, and kills while the exchange refuses these calls of ETHUSDT for `refusedMs`. */
async function killWhileRefused(ops: readonly string[], refusedMs = Infinity): Promise<KillOutcome> {
  const fixture = await KillFixture.open();
  try {
    const btcBefore = await coinsOf(fixture, 'BTC');
    const ethBefore = await coinsOf(fixture, 'ETH');
    const orders = [await buy(fixture, 'BTCUSDT', '90000'), await buy(fixture, 'ETHUSDT', '9000')];
    const [restingId] = await fixture.placeRestingBuys('ETHUSDT', 1);
    const instrument = fixture.instrument('ETHUSDT');
    const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
    const cid = fixture.nextClientOrderId();
    const ownOrders = [...orders, { cid, instrument, side: 'buy', qty: '0.001', price: '1000', orderId: restingId!, signMs } as const];
    const books = fixture.books(ownOrders);
    const deps = depsRefusing(fixture, ops, performance.now() + refusedMs);
    const report = await runKill(deps, books.books.orders, { includesForeign: false, books: () => Promise.resolve(books) });
    const remainingBtc = (await coinsOf(fixture, 'BTC')) - btcBefore;
    const remainingEth = (await coinsOf(fixture, 'ETH')) - ethBefore;
    return { report, remainingBtc, remainingEth, restingId: restingId! };
  } finally {
    await fixture.close();
  }
}

// At the same time, because each test waits for the time limit of its kill.
describe.concurrent('a kill while the exchange refuses calls of one symbol', () => {
  it('a symbol whose cancels are refused is named, and the position of another symbol is closed', async () => {
    const { report, remainingBtc, remainingEth, restingId } = await killWhileRefused(['spot.batchCancel', 'spot.cancelOrder']);
    expect(remainingBtc).toBeLessThan(0.00001);
    expect(remainingEth).toBeGreaterThan(0.09);
    expect(report.residuals.join('\n')).toContain(`spot:ETHUSDT: order ${restingId} may still be open`);
    expect(report.residuals.join('\n')).toMatch(/spot:ETHUSDT: cancelled orders do not end/);
    expect(report.residuals.join('\n')).not.toContain('BTCUSDT');
  });

  it('a symbol whose open orders cannot be read is named, and the position of another symbol is closed', async () => {
    const { report, remainingBtc } = await killWhileRefused(['spot.openOrders']);
    expect(remainingBtc).toBeLessThan(0.00001);
    expect(report.residuals.join('\n')).toMatch(/spot:ETHUSDT.*spot\.openOrders/);
  });

  it('a symbol whose trades cannot be read is named, and the position of another symbol is closed', async () => {
    const { report, remainingBtc, remainingEth } = await killWhileRefused(['spot.myTrades']);
    expect(remainingBtc).toBeLessThan(0.00001);
    expect(remainingEth).toBeGreaterThan(0.09);
    expect(report.residuals.join('\n')).toMatch(/spot:ETHUSDT.*spot\.myTrades/);
  });

  it('a symbol that is available again before the time limit is closed too', async () => {
    const { report, remainingBtc, remainingEth } = await killWhileRefused(['spot.batchCancel', 'spot.cancelOrder'], GIVE_UP_MS / 2);
    expect(remainingBtc).toBeLessThan(0.0001);
    expect(remainingEth).toBeLessThan(0.0001);
    expect(report.residuals).toEqual([]);
  });
});
