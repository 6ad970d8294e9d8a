// Orders that have ended stay known: the newest of them, for a while.

import { expect, it } from 'vitest';
import type { TimeMs } from '../base/brand.ts';
import { EndedOrders } from './openOrders.ts';
import { OrderRecord } from './record.ts';
import { REPLAY_FENCE } from './prove/fence.ts';

const ended = (id: number, changedMs: number): OrderRecord => Object.assign(new OrderRecord(), { id, changedMs: changedMs as TimeMs });
const known = (orders: EndedOrders, to: number): number[] => Array.from({ length: to + 1 }, (_, id) => id).filter((id) => orders.get(id));

it('keeps the newest, as many and as long as the fence says', () => {
  const orders = new EndedOrders({ ...REPLAY_FENCE, keepEnded: 3, keepEndedMs: 100 });
  for (let id = 1; id <= 5; id++) orders.keep(ended(id, id));
  expect(known(orders, 9)).toEqual([3, 4, 5]);
  // The oldest is told of once more, and ends as the newest.
  orders.delete(3);
  orders.keep(ended(3, 6));
  orders.keep(ended(6, 7));
  expect(known(orders, 9)).toEqual([3, 5, 6]);
  orders.keep(ended(7, 106));
  expect(known(orders, 9)).toEqual([3, 6, 7]);
  // All but itself are too old; then those that follow are known again.
  orders.keep(ended(8, 1000));
  expect(known(orders, 9)).toEqual([8]);
  orders.delete(8);
  orders.keep(ended(9, 1001));
  expect(known(orders, 9)).toEqual([9]);
});
