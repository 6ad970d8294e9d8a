// Tests how a kill attributes trigger orders that wait at the exchange when no id identifies them.

import { expect, it } from 'vitest';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { drainTriggers } from './drainTriggers.ts';

/** An order whose reply was lost. */
const lost = {
  cid: 'LOST',
  request: { instrument: PERPETUAL, side: 'buy', lots: 10, limit: 0, reduceOnly: false },
  triggerTicks: 90_000 * 10 ** PERPETUAL.priceDigits,
  signMs: 0,
  latestMs: 5000,
};

/** Returns a trigger order as the exchange lists it. */
const row = (triggerOrderId: string, statusWord: string, triggerPrice = '90000') => ({
  triggerOrderId,
  side: 'buy',
  open: 'OPEN',
  triggerPrice,
  volume: '10',
  price: null,
  ctime: 1000,
  status: { word: statusWord, raw: '0' },
});

/** Returns the cancelled ids (`ended`) and the ids that could not be attributed (`left`). The first `shortReads` lists lack their rows. */
async function drainedIds(
  rows: readonly ReturnType<typeof row>[],
  lostOrders: readonly object[] = [lost],
  { shortReads = 0, triggered = new Set([PERPETUAL.id]) } = {},
) {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const ended = new Set<string>();
  let reads = 0;
  const answers = (op: string, { orderId }: { orderId?: string }): unknown => {
    if (op === 'futures.cancelTriggerOrder') ended.add(orderId!);
    const waitingRows = rows.filter(({ triggerOrderId }) => !ended.has(triggerOrderId));
    if (op === 'futures.triggerOrderList' && reads++ < shortReads)
      return { kind: 'acked', value: { count: waitingRows.length, rows: [], refused: [] } };
    return { kind: 'acked', value: { count: waitingRows.length, rows: waitingRows, refused: [] } };
  };
  const client = {
    call: (op: string, args: never, done: (outcome: unknown) => void) => {
      queueMicrotask(() => done(answers(op, args)));
      return { cancel: () => {} };
    },
  };
  const venue = new KillVenue({ client, scheduler, settings: KILL_SETTINGS, onPhase: () => {} } as never);
  const ordersOfKill = { own: { lostOf: () => lostOrders }, waiting: new Map(), triggered } as never;
  const work = drainTriggers(venue, PERPETUAL, ordersOfKill, { includesForeign: false, selection: 'opening', ended: new Set() });
  const progress = { hasEnded: false };
  void work.finally(() => (progress.hasEnded = true));
  for (let turnIndex = 0; turnIndex < 1000 && !progress.hasEnded; turnIndex++) {
    scheduler.runDue(scheduler.nowMs + 500);
    await Promise.resolve();
  }
  const leftTriggers = await work;
  const idsOf = (left: typeof leftTriggers): readonly string[] => left.map(({ trigger }) => trigger.triggerOrderId);
  return { ended: [...ended], left: idsOf(leftTriggers), mayBeLost: idsOf(leftTriggers.filter((each) => each.mayBeLost)) };
}

it("a waiting trigger order is the bot's if it and exactly one lost order fit each other, at any status text", async () => {
  expect(await drainedIds([row('1', 'PENDING')])).toEqual({ ended: ['1'], left: [], mayBeLost: [] });
  expect(await drainedIds([row('1', 'UNKNOWN')])).toEqual({ ended: ['1'], left: [], mayBeLost: [] });
  expect(await drainedIds([row('1', 'CANCELED')])).toEqual({ ended: [], left: [], mayBeLost: [] });
});

it('a trigger order is left and named if another trigger order or another lost order fits too', async () => {
  expect(await drainedIds([row('1', 'PENDING'), row('2', 'PENDING')])).toEqual({ ended: [], left: ['1', '2'], mayBeLost: ['1', '2'] });
  expect(await drainedIds([row('1', 'PENDING')], [lost, { ...lost, cid: 'OTHER' }])).toEqual({
    ended: [],
    left: ['1'],
    mayBeLost: ['1'],
  });
});

it('a trigger order with the terms of no lost order is named too, because it may be a second copy', async () => {
  expect(await drainedIds([row('2', 'PENDING', '90001')])).toEqual({ ended: [], left: ['2'], mayBeLost: [] });
  expect(await drainedIds([row('2', 'PENDING')], [])).toEqual({ ended: [], left: ['2'], mayBeLost: [] });
});

it('the trigger orders of a contract are not read if the bot has never sent one there', async () => {
  expect(await drainedIds([row('2', 'PENDING')], [], { triggered: new Set() })).toEqual({ ended: [], left: [], mayBeLost: [] });
});

it('trigger orders are read again while a list lacks rows that it counts', async () => {
  expect(await drainedIds([row('1', 'PENDING')], [lost], { shortReads: 5 })).toEqual({ ended: ['1'], left: [], mayBeLost: [] });
});

it('a trigger order that seems older than the lost order is left and named, because its time may be in another zone', async () => {
  expect(await drainedIds([row('1', 'PENDING')], [{ ...lost, signMs: 4000 }])).toEqual({ ended: [], left: ['1'], mayBeLost: ['1'] });
});
