// Tests kills while one symbol cannot be cancelled or read, as in a maintenance: the positions of all others are closed.

import { afterEach, expect, it } from 'vitest';
import { runKill, type KillReport } from '../../src/tasks/kill/kill.ts';
import type { KillDeps } from '../../src/tasks/kill/plan/venue.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';

let fixture: KillFixture;
afterEach(() => fixture.close());

/** Limit without progress, ms. */
const GIVE_UP_MS = 8000;

/** Returns an order of 0.1 coins that has filled. */
async function bought(symbol: string, price: string): Promise<BookedOrder> {
  const cid = fixture.nextCid();
  const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
  const order = { symbol, side: 'BUY', type: 'LIMIT', volume: '0.1', price, newClientOrderId: cid } as const;
  const { orderId } = await fixture.call('spot.newOrder', order);
  return { cid, instrument: fixture.instrument(symbol), side: 'buy', qty: '0.1', price, orderId, signMs };
}

/** Returns the collaborators of a kill on an exchange that refuses these calls of ETHUSDT until `untilMs`. */
function partsWithout(ops: readonly string[], untilMs = Infinity): KillDeps {
  const parts = fixture.parts({ ...fixture.parts().settings, giveUpMs: GIVE_UP_MS });
  const call = (op: string, args: { readonly symbol?: string }, done: (outcome: unknown) => void, ...more: never[]): unknown => {
    if (performance.now() > untilMs || !ops.includes(op) || args.symbol !== 'ETHUSDT')
      return parts.client.call(op as never, args as never, done, ...more);
    setTimeout(() => done({ kind: 'refused', code: -1016, msg: 'maintenance' }), 5);
    return { cancel: () => {} };
  };
  return { ...parts, client: { call } as never };
}

const baseOf = async (asset: string): Promise<number> => {
  const { rows } = await fixture.call('spot.account', {});
  const balance = rows.find((row) => row.asset === asset);
  return Number(balance?.free ?? 0) + Number(balance?.locked ?? 0);
};

/** Buys on both symbols, rests an order of ETHUSDT and kills. */
async function killWithout(
  ops: readonly string[],
  forMs = Infinity,
): Promise<{ report: KillReport; coins: readonly number[]; resting: string }> {
  fixture = await KillFixture.open();
  const before = [await baseOf('BTC'), await baseOf('ETH')];
  const orders = [await bought('BTCUSDT', '90000'), await bought('ETHUSDT', '9000')];
  const [resting] = await fixture.rest('ETHUSDT', 1);
  const instrument = fixture.instrument('ETHUSDT');
  const signMs = (await fixture.call('spot.serverTime', {})).serverTimeMs;
  const cid = fixture.nextCid();
  const all = [...orders, { cid, instrument, side: 'buy', qty: '0.001', price: '1000', orderId: resting!, signMs } as const];
  const books = fixture.books(all);
  const parts = partsWithout(ops, performance.now() + forMs);
  const report = await runKill(parts, books.books.orders, { all: false, books: () => Promise.resolve(books) });
  const coins = [(await baseOf('BTC')) - before[0]!, (await baseOf('ETH')) - before[1]!];
  return { report, coins, resting: resting! };
}

it('a symbol whose cancels are refused is named, and the position of another symbol is closed', async () => {
  const { report, coins, resting } = await killWithout(['spot.batchCancel', 'spot.cancelOrder']);
  expect(coins[0]).toBeLessThan(0.00001);
  expect(coins[1]).toBeGreaterThan(0.09);
  expect(report.residuals.join('\n')).toContain(`spot:ETHUSDT: order ${resting} may still be open`);
  expect(report.residuals.join('\n')).toMatch(/spot:ETHUSDT: cancelled orders do not end/);
  expect(report.residuals.join('\n')).not.toContain('BTCUSDT');
});

it('a symbol whose lists are not answered is named, and the position of another symbol is closed', async () => {
  const { report, coins } = await killWithout(['spot.openOrders']);
  expect(coins[0]).toBeLessThan(0.00001);
  expect(report.residuals.join('\n')).toMatch(/spot:ETHUSDT.*spot\.openOrders/);
});

it('a symbol whose own trades are not answered is named, and the position of another symbol is closed', async () => {
  const { report, coins } = await killWithout(['spot.myTrades']);
  expect(coins[0]).toBeLessThan(0.00001);
  expect(coins[1]).toBeGreaterThan(0.09);
  expect(report.residuals.join('\n')).toMatch(/spot:ETHUSDT.*spot\.myTrades/);
});

it('a symbol that is available again before the time limit is closed too', async () => {
  const { report, coins } = await killWithout(['spot.batchCancel', 'spot.cancelOrder'], GIVE_UP_MS / 2);
  expect(coins.every((qty) => qty < 0.0001)).toBe(true);
  expect(report.residuals).toEqual([]);
});
