// Tests that the newest orders stay known for some time after their end.

import { expect, it } from 'vitest';
import type { TimeMs } from '../base/brand.ts';
import { EndedOrders } from './openOrders.ts';
import { BotOrder } from './botOrder.ts';
import { REPLAY_ABSENCE_BOUNDS } from './prove/absenceBounds.ts';

const ended = (id: number, changedMs: number): BotOrder => Object.assign(new BotOrder(), { id, changedMs: changedMs as TimeMs });
const known = (orders: EndedOrders, to: number): number[] => Array.from({ length: to + 1 }, (_, id) => id).filter((id) => orders.get(id));

it('keeps the newest orders, within the count and time of the absence bounds', () => {
  const orders = new EndedOrders({ ...REPLAY_ABSENCE_BOUNDS, maxEndedOrders: 3, endedOrderTtlMs: 100 });
  for (let id = 1; id <= 5; id++) orders.retain(ended(id, id));
  expect(known(orders, 9)).toEqual([3, 4, 5]);
  // The oldest order opens again, ends again, and is then the newest.
  orders.delete(3);
  orders.retain(ended(3, 6));
  orders.retain(ended(6, 7));
  expect(known(orders, 9)).toEqual([3, 5, 6]);
  orders.retain(ended(7, 106));
  expect(known(orders, 9)).toEqual([3, 6, 7]);
  // All other orders are too old. An order that ends afterwards is known again.
  orders.retain(ended(8, 1000));
  expect(known(orders, 9)).toEqual([8]);
  orders.delete(8);
  orders.retain(ended(9, 1001));
  expect(known(orders, 9)).toEqual([9]);
});
