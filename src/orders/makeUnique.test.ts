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
  { direction: 'a tick nearer to the market', triggersAbove: false, lastTicks: 100, expectedTicks: 91 },
  { direction: 'away from a market that is a tick away', triggersAbove: false, lastTicks: 91, expectedTicks: 89 },
  { direction: 'away from a market that has passed it', triggersAbove: false, lastTicks: 85, expectedTicks: 89 },
  { direction: 'a tick nearer to the market', triggersAbove: true, lastTicks: 80, expectedTicks: 89 },
  { direction: 'away from a market that is a tick away', triggersAbove: true, lastTicks: 89, expectedTicks: 91 },
  { direction: 'away from a market that has passed it', triggersAbove: true, lastTicks: 95, expectedTicks: 91 },
])(
  'the trigger price of an order that must be unique moves $direction (waits for a rise: $triggersAbove, price $lastTicks)',
  ({ triggersAbove, lastTicks, expectedTicks }) => {
    const order = waitingOrder(2, triggersAbove);
    expect(makeUnique(order, [waitingOrder(1, triggersAbove)], new Map(), lastTicks)).toBe(true);
    expect([order.triggerTicks, order.lots]).toEqual([expectedTicks, 10]);
  },
);
