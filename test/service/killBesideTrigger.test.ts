// Tests kills of bots whose stop waits at the exchange and fires while the kill closes the position. A person has contracts beside the bot's.

import { afterEach, expect, it } from 'vitest';
import { triggerTrackId } from '../../src/adapters/exchange/calls/triggers.ts';
import { runKill, type KillBooks, type KillReport } from '../../src/tasks/kill/kill.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';

let fixture: KillFixture;
afterEach(() => fixture.close());

const contractName = 'E-BTC-USDT';
/** Returns the time of the exchange, ms. */
const serverMs = async (): Promise<number> => (await fixture.call('futures.serverTime', {})).serverTimeMs;

/** Buys contracts at the market, and returns the order as the bot's journal has it. */
async function buyAtMarket(qty: string, cid = fixture.nextClientOrderId()): Promise<BookedOrder> {
  const signMs = await serverMs();
  const terms = { contractName, type: 'LIMIT', timeInForce: 'IOC', positionType: 1, volume: qty, price: '70000' } as const;
  const { orderId } = await fixture.call('futures.createOrder', { ...terms, side: 'BUY', open: 'OPEN', clientOrderId: cid });
  return { cid, instrument: fixture.instrument(contractName), side: 'buy', qty, price: '70000', orderId, signMs };
}

/** Places a stop of the bot that closes `qty` contracts and waits far below the market. */
async function placeStop(qty: string, cid = fixture.nextClientOrderId()): Promise<BookedOrder> {
  const trigger = '40000';
  const signMs = await serverMs();
  const terms = { contractName, type: 'MARKET', positionType: 1, volume: qty, triggerType: '1', triggerPrice: trigger } as const;
  const { triggerIds } = await fixture.call('futures.createConditionOrder', { ...terms, side: 'SELL', open: 'CLOSE', clientOrderId: cid });
  const orderId = triggerTrackId(triggerIds[0]!, cid);
  return { cid, instrument: fixture.instrument(contractName), side: 'sell', qty, price: '0', orderId, signMs, reduceOnly: true, trigger };
}

/** Lets the price reach the stop. */
function fireStops(): void {
  const { sides, nowMs } = fixture.running.service;
  const { triggers } = sides.futures!;
  for (const { trigger } of triggers.pending()) triggers.fireReached(trigger.child.instrument, 10 ** 9, 1, nowMs);
}

/** Kills with flatten. The stop fires just before the first slice leaves, if it still waits. */
async function kill(orders: readonly BookedOrder[]): Promise<KillReport> {
  let hasFired = false;
  const books: KillBooks = fixture.books(orders);
  const intend: KillBooks['journal']['intend'] = (slice) => {
    if (!hasFired) fireStops();
    hasFired = true;
    return books.journal.intend(slice);
  };
  const booksThatFire = { ...books, journal: { ...books.journal, intend } };
  return runKill(fixture.deps(), books.books.orders, { includesForeign: false, books: () => Promise.resolve(booksThatFire) });
}

/** Returns the number of contracts that the account has. */
const contractCount = async (): Promise<string> =>
  (await fixture.call('futures.positions', { contractName })).rows[0]?.positionVolume ?? '0';

it('a stop that would fire during a kill does not close the contracts of a person', async () => {
  fixture = await KillFixture.open();
  await buyAtMarket('1000', 'of-a-person');
  const orders = [await buyAtMarket('1000'), await placeStop('1000')];
  const { residuals, triggersCancelled } = await kill(orders);
  expect([await contractCount(), residuals, triggersCancelled]).toEqual(['1000', [], 1]);
});

it('a stop protects until the end of a kill if the account has the contracts of the bot alone', async () => {
  fixture = await KillFixture.open();
  const orders = [await buyAtMarket('1000'), await placeStop('1000')];
  const { residuals } = await kill(orders);
  expect([await contractCount(), residuals]).toEqual(['0', []]);
  const ops = fixture.logs.map(({ op }) => op);
  expect(ops.indexOf('futures.cancelTriggerOrder')).toBe(-1);
});

it("a kill names the contracts that a stop may close, if no evidence shows whether the stop is the bot's", async () => {
  fixture = await KillFixture.open();
  await buyAtMarket('2000', 'of-a-person');
  const own = await buyAtMarket('1000');
  const stop = await placeStop('600');
  // The reply to the bot's stop was lost, and a person has placed an equal one.
  await placeStop('600', 'stop-of-a-person');
  const { residuals } = await kill([own, { ...stop, orderId: null }]);
  // Either stop, or both, may fire beside a slice, so nothing is closed.
  expect([await contractCount(), residuals.length > 0]).toEqual(['3000', true]);
  expect(residuals.join('; ')).toMatch(/E-BTC-USDT: .*1000.*trigger order \d+ may be the bot's, and may close 600 contracts/);
});
