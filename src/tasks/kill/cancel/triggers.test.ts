// Attributing trigger orders that wait at the exchange when no id identifies them.

import { expect, it } from 'vitest';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/venue.ts';
import { drainTriggers } from './triggers.ts';

const lost = {
  cid: 'LOST',
  request: { instrument: PERPETUAL, side: 'buy', lots: 10, limit: 0, reduceOnly: false },
  triggerTicks: 90_000 * 10 ** PERPETUAL.priceDigits,
  signMs: 0,
  latestMs: 5000,
};
const row = (triggerOrderId: string, word: string, triggerPrice = '90000') => ({
  triggerOrderId,
  side: 'buy',
  open: 'OPEN',
  triggerPrice,
  volume: '10',
  price: null,
  ctime: 1000,
  status: { word, raw: '0' },
});

/** Ids that were cancelled, and ids that are left because they cannot be attributed. `short`: number of reads that miss counted rows. */
async function drained(rows: readonly ReturnType<typeof row>[], lostOrders: readonly object[] = [lost], short = 0) {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const ended = new Set<string>();
  let reads = 0;
  const answers = (op: string, { orderId }: { orderId?: string }): unknown => {
    if (op === 'futures.cancelTriggerOrder') ended.add(orderId!);
    const left = rows.filter(({ triggerOrderId }) => !ended.has(triggerOrderId));
    if (op === 'futures.triggerOrderList' && reads++ < short)
      return { kind: 'acked', value: { count: left.length, rows: [], refused: [] } };
    return { kind: 'acked', value: { count: left.length, rows: left, refused: [] } };
  };
  const client = {
    call: (op: string, args: never, done: (outcome: unknown) => void) => {
      queueMicrotask(() => done(answers(op, args)));
      return { cancel: () => {} };
    },
  };
  const venue = new KillVenue({ client, scheduler, settings: KILL_SETTINGS, onPhase: () => {} } as never);
  const known = { own: { lostOf: () => lostOrders }, waiting: new Map() } as never;
  const work = drainTriggers(venue, PERPETUAL, known, { all: false, which: 'opening', ended: new Set() });
  const is = { over: false };
  void work.finally(() => (is.over = true));
  for (let turn = 0; turn < 1000 && !is.over; turn++) {
    scheduler.runDue(scheduler.nowMs + 500);
    await Promise.resolve();
  }
  return { ended: [...ended], left: (await work).map(({ trigger }) => trigger.triggerOrderId) };
}

it("a waiting trigger order is the bot's if it and exactly one lost order fit each other, whatever its status is called", async () => {
  expect(await drained([row('1', 'PENDING')])).toEqual({ ended: ['1'], left: [] });
  expect(await drained([row('1', 'UNKNOWN')])).toEqual({ ended: ['1'], left: [] });
  expect(await drained([row('1', 'CANCELED'), row('2', 'PENDING', '90001')])).toEqual({ ended: [], left: [] });
});

it('a trigger order is left and named if two lost orders fit', async () => {
  expect(await drained([row('1', 'PENDING'), row('2', 'PENDING')])).toEqual({ ended: [], left: ['1', '2'] });
  expect(await drained([row('1', 'PENDING')], [lost, { ...lost, cid: 'OTHER' }])).toEqual({ ended: [], left: ['1'] });
});

it('trigger orders are read until a list is complete: a list without its counted rows is not empty', async () => {
  expect(await drained([row('1', 'PENDING')], [lost], 5)).toEqual({ ended: ['1'], left: [] });
});

it('a trigger order that claims to be older than the lost order is left and named, because its time may be in another zone', async () => {
  expect(await drained([row('1', 'PENDING')], [{ ...lost, signMs: 4000 }])).toEqual({ ended: [], left: ['1'] });
});
