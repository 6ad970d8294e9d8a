// Tests the check of the id that the operator names for an order of unknown outcome.

import { expect, test } from 'vitest';
import { PlainOrder, spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { ticks } from '../../../base/brand.ts';
import { immediate, start } from '../../../base/task.ts';
import type { OrderId } from '../../../model/order.ts';
import { readCode, readStatus, TRIGGER_STATUSES, TRIGGER_TYPES } from '../../../protocol/shapes/codes.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import type { Readers } from '../observe/readers.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import { copyRequest, TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import { checkPlacement, type PlacementCheck } from './checkPlacement.ts';

/** What the exchange replies to the query of an order, and to the list of trigger orders. */
interface Replies {
  readonly order?: OrderRow | 'none' | null;
  readonly triggers?: readonly TriggerOrder[] | null;
}

const UNKNOWN_ID = 1 as OrderId;
/** The row of the order of unknown outcome, without a client order id. */
const ROW: OrderRow = {
  venueId: '100', cid: null, side: 'buy', action: null, isMarket: false, isLiquidation: false, price: '90', qty: '0.1', executed: '0',
  status: readStatus('NEW'), timeMs: 5000,
}; // prettier-ignore
/** The row of the trigger order of unknown outcome. */
const TRIGGER = {
  triggerOrderId: '7', side: 'buy', open: 'OPEN', triggerType: readCode(TRIGGER_TYPES, '3'), triggerPrice: '95', volume: '0.1', price: '90',
  status: readCode(TRIGGER_STATUSES, '0'), ctime: null,
} as unknown as TriggerOrder; // prettier-ignore

/** Returns the check of `venueId` for order 1, of unknown outcome. Order 2 works under the id `otherId`. */
function checkOf(venueId: string, { order = 'none', triggers = [] }: Replies, triggerTicks = 0, otherId = '200'): PlacementCheck {
  const trackedOrders = new TrackedOrders(1, 5000);
  for (const id of [1, 2]) {
    const plain = new PlainOrder([spotInstrument()], { lots: 100, limit: 9000, side: 'buy' }, id);
    const request = copyRequest(Object.assign(plain, { triggerTicks: ticks(triggerTicks), triggersAbove: true }));
    const tracked = new TrackedOrder(request, `CID${id}`, 5000, plain);
    Object.assign(plain, { lifecycle: id === 1 ? 'unknown' : 'working' });
    if (id === 2) tracked.venueId = otherId;
    trackedOrders.add(tracked);
  }
  const venue = { findOrder: () => immediate(order), readTriggerOrders: () => immediate(triggers) } as unknown as VenueCalls;
  const attribution = {
    duplicates: { has: (id: string) => id === '300' },
    hasEndedBeforeStart: (id: string) => id === '350',
  } as unknown as OrderAttribution;
  const readers = { trades: () => ({ mayHaveFilled: (_: unknown, id: string) => id === '400' }) } as unknown as Readers;
  const result: { check?: PlacementCheck } = {};
  start(checkPlacement(UNKNOWN_ID, venueId, { venue, trackedOrders, attribution, readers })).whenOver((check) => (result.check = check));
  return result.check!;
}

test('an id is accepted if the exchange shows an order with our client order id, or with our terms, under it', () => {
  const expected = { isPossible: true, venueId: '100' };
  expect(checkOf('100', { order: { ...ROW, cid: 'cid1' } })).toEqual(expected);
  expect(checkOf('100', { order: ROW })).toEqual(expected);
});

test.each([
  { situation: 'of no order', venueId: '100', replies: { order: 'none' }, reason: 'the exchange shows no order 100 of BTCUSDT' },
  {
    situation: 'about which the exchange does not reply',
    venueId: '100',
    replies: { order: null },
    reason: 'the exchange does not say what this order is: try again',
  },
  {
    situation: 'of an order with another client order id',
    venueId: '100',
    replies: { order: { ...ROW, cid: 'MINE' } },
    reason: 'order 100 has the client order id MINE',
  },
  {
    situation: 'of an order with other terms',
    venueId: '100',
    replies: { order: { ...ROW, side: 'sell' } },
    reason: 'order 100 has other terms, or is older: sell 0.1 at 90',
  },
  {
    situation: 'of an order from before the request',
    venueId: '100',
    replies: { order: { ...ROW, timeMs: 1 } },
    reason: 'order 100 has other terms, or is older: buy 0.1 at 90',
  },
  { situation: 'of another order of the bot', venueId: '200', replies: { order: ROW }, reason: 'order 200 is CID2' },
  {
    situation: 'of a second copy of another order',
    venueId: '300',
    replies: { order: ROW },
    reason: 'order 300 is a second copy of another order',
  },
  {
    situation: 'of an order that ended before the start',
    venueId: '350',
    replies: { order: ROW },
    reason: 'order 350 is an order that has ended',
  },
] as const)('an id $situation is rejected', ({ venueId, replies, reason }) => {
  expect(checkOf(venueId, replies)).toEqual({ isPossible: false, reason });
});

test('an id that no query finds is accepted if trades of our side have it', () => {
  expect(checkOf('400', { order: 'none' })).toEqual({ isPossible: true, venueId: '400' });
});

test('the trigger order as which another order of the bot waits is rejected, and one with the number of an order is not', () => {
  expect(checkOf('200', { triggers: [{ ...TRIGGER, triggerOrderId: '200' }] }, 9500)).toEqual({
    isPossible: true,
    venueId: 'trigger:200:CID1',
  });
  expect(checkOf('7', { triggers: [TRIGGER] }, 9500, 'trigger:7:CID2')).toEqual({ isPossible: false, reason: 'trigger order 7 is CID2' });
});

test('a trigger order is accepted by the id of the list of trigger orders, if it has the same terms', () => {
  expect(checkOf('7', { triggers: [TRIGGER] }, 9500)).toEqual({ isPossible: true, venueId: 'trigger:7:CID1' });
  const other = { ...TRIGGER, triggerPrice: '96' } as TriggerOrder;
  expect(checkOf('7', { triggers: [other] }, 9500)).toEqual({
    isPossible: false,
    reason: 'trigger order 7 has other terms: buy 0.1 at 96',
  });
  expect(checkOf('7', { triggers: null }, 9500)).toMatchObject({ isPossible: false });
});

test('a trigger order that has fired is accepted by the id of the order that it has placed', () => {
  expect(checkOf('100', { order: { ...ROW, cid: 'CID1' } }, 9500)).toEqual({ isPossible: true, venueId: '100' });
});
