// Tests that the newest orders stay known for some time after their end.

import { expect, it } from 'vitest';
import type { TimeMs } from '../base/brand.ts';
import { EndedOrders } from './openOrders.ts';
import { BotOrder } from './botOrder.ts';
import { REPLAY_ABSENCE_BOUNDS } from './prove/absenceBounds.ts';

const endedOrder = (id: number, changedMs: number): BotOrder => Object.assign(new BotOrder(), { id, changedMs: changedMs as TimeMs });
const knownIds = (orders: EndedOrders, maxId: number): number[] =>
  Array.from({ length: maxId + 1 }, (_, id) => id).filter((id) => orders.get(id));

it('the newest ended orders stay known, within the count and time of the absence bounds', () => {
  const orders = new EndedOrders({ ...REPLAY_ABSENCE_BOUNDS, maxEndedOrders: 3, endedOrderTtlMs: 100 });
  for (let id = 1; id <= 5; id++) orders.retain(endedOrder(id, id));
  expect(knownIds(orders, 9)).toEqual([3, 4, 5]);
  // The oldest order opens again, ends again, and is then the newest.
  orders.delete(3);
  orders.retain(endedOrder(3, 6));
  orders.retain(endedOrder(6, 7));
  expect(knownIds(orders, 9)).toEqual([3, 5, 6]);
  orders.retain(endedOrder(7, 106));
  expect(knownIds(orders, 9)).toEqual([3, 6, 7]);
  // All other orders are too old. An order that ends afterwards is known again.
  orders.retain(endedOrder(8, 1000));
  expect(knownIds(orders, 9)).toEqual([8]);
  orders.delete(8);
  orders.retain(endedOrder(9, 1001));
  expect(knownIds(orders, 9)).toEqual([9]);
});
