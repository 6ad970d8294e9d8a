// Measures a kill against the paper exchange over real HTTP: the kill switch, the first cancel on the wire, and the proof of all cancels.

import { afterEach, expect, it, onTestFinished } from 'vitest';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import type { KillOrders } from '../../src/tasks/kill/cancel/killOrders.ts';
import { runKill } from '../../src/tasks/kill/kill.ts';
import { KillSwitch } from '../../src/tasks/kill/killSwitch/killSwitch.ts';
import { KILL_SETTINGS } from '../../src/tasks/kill/plan/killVenue.ts';
import { KillFixture } from '../fixtures/killFixture.ts';
import { OwnTime, ownMsOf } from '../fixtures/ownTime.ts';

/** A kill that cancels the bot's orders and closes nothing. */
const CANCEL = { includesForeign: false, books: null } as const;
let fixture: KillFixture;
afterEach(() => fixture.close());

/** Returns what a kill knows of a bot whose journal has these open orders. */
const booksWithOpenOrders = (ids: readonly string[]): KillOrders => ({
  own: { isOwnId: (venueId) => ids.includes(venueId), isOwnCid: () => false, lostOf: () => [], withoutVenueId: [] },
  open: new Map([[fixture.instrument('BTCUSDT').id, ids]]),
  waiting: new Map(),
  triggered: new Set(),
  unknownUntilMs: {},
});

it('a kill has 200 open orders confirmed cancelled within 10 s, with the first cancel on the wire within 50 ms', async () => {
  fixture = await KillFixture.open();
  const ids = await fixture.placeRestingBuys('BTCUSDT', 200);
  const logCountBefore = fixture.logs.length;
  const ownTime = new OwnTime();
  onTestFinished(() => ownTime.stop());
  const beganMs = performance.now();
  // With the waits of the real exchange: the lists have to be empty twice, 3 s apart.
  const killParts = fixture.deps(KILL_SETTINGS, [fixture.instrument('BTCUSDT')]);
  const report = await runKill(killParts, booksWithOpenOrders(ids), CANCEL);
  const totalMs = ownTime.between(beganMs, performance.now());
  const cancels = fixture.logs.slice(logCountBefore).filter(({ op }) => op === 'spot.batchCancel');
  // The latency of a call counts from its first byte.
  const firstByteMs = Math.min(...cancels.map(({ atMs, latencyMs }) => atMs - (latencyMs ?? 0)));
  const firstCancelMs = ownTime.between(beganMs, firstByteMs);
  console.log(
    `200 orders: first cancel on the wire after ${firstCancelMs.toFixed(0)} ms, all proved cancelled after ${totalMs.toFixed(0)} ms`,
  );
  expect(report).toMatchObject({ cancelled: 200, residuals: [] });
  expect(totalMs).toBeLessThan(10_000);
  expect(firstCancelMs).toBeLessThan(50);
  expect(fixture.logs.filter(({ status }) => status === 429 || status === 418)).toEqual([]);
  expect((await fixture.call('spot.openOrders', { symbol: 'BTCUSDT', limit: 1000 })).rows).toEqual([]);
});

it('a kill engages the kill switch within 1 ms: no order leaves, and reads and cancels do', async () => {
  fixture = await KillFixture.open();
  const [id = ''] = await fixture.placeRestingBuys('BTCUSDT', 1);
  const engageTimesMs = [new KillSwitch(fixture.folder), new KillSwitch(fixture.folder), fixture.guard].map((guard) =>
    ownMsOf(() => guard.engage()),
  );
  expect(Math.min(...engageTimesMs)).toBeLessThan(1);
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '0.001', price: '1000' } as const;
  expect(await callAsPromise(fixture.exchange.client, 'spot.newOrder', order)).toMatchObject({ kind: 'notSent' });
  const futuresOrder = {
    contractName: 'E-BTC-USDT',
    volume: '1',
    price: '1',
    type: 'LIMIT',
    side: 'BUY',
    open: 'OPEN',
    positionType: 1,
  } as const;
  expect(await callAsPromise(fixture.exchange.client, 'futures.createOrder', futuresOrder)).toMatchObject({ kind: 'notSent' });
  await fixture.call('spot.cancelOrder', { symbol: 'BTCUSDT', orderId: id });
});
