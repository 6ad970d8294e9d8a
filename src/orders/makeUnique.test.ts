// Tests that a closing trigger order that must differ from an equal one keeps its size and moves its trigger price.

import { expect, it } from 'vitest';
import type { Lots, Ticks } from '../base/brand.ts';
import { linearContract } from '../../test/fixtures/futuresVenue.ts';
import { BotOrder } from './botOrder.ts';
import { makeUnique } from './makeUnique.ts';

const instrument = linearContract({});

/** Returns a closing order of 10 lots that waits at 90 ticks for a fall, or for a rise if `isAbove`. */
function waitingOrder(id: number, isAbove: boolean): BotOrder {
  const order = new BotOrder();
  order.begin(id, 0, instrument, 0, isAbove ? 'buy' : 'sell', 0);
  return Object.assign(order, { lots: 10 as Lots, reduceOnly: true, triggerTicks: 90 as Ticks, triggersAbove: isAbove });
}

it.each([
  ['a tick nearer to the market', false, 100, 91],
  ['away from a market that is a tick away', false, 91, 89],
  ['away from a market that has passed it', false, 85, 89],
  ['a tick nearer to the market', true, 80, 89],
  ['away from a market that is a tick away', true, 89, 91],
  ['away from a market that has passed it', true, 95, 91],
])('the trigger price of an order that must be unique moves %s (waits for a rise: %s, price %d)', (_, isAbove, lastTicks, expected) => {
  const order = waitingOrder(2, isAbove);
  expect(makeUnique(order, [waitingOrder(1, isAbove)], new Map(), lastTicks)).toBe(true);
  expect([order.triggerTicks, order.lots]).toEqual([expected, 10]);
});
