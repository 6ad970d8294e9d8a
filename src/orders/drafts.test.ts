// Tests the size of a replacement: the requested size minus what the old order has filled meanwhile.

import { expect, it } from 'vitest';
import type { Lots, Units } from '../base/brand.ts';
import type { OrderId } from '../model/order.ts';
import { sizeLeft, type OrderEnd, type ReplacedOrder } from './drafts.ts';

/** Returns an old order. Its `filledLots` had filled when its replacement was requested. */
const oldOrder = (lots: number, filledLots = 0, overrides: Partial<ReplacedOrder> = {}): ReplacedOrder => ({
  id: 1 as OrderId, side: 'buy', lots, quoteUnits: 0, filledLots, filledUnits: filledLots * 10, ...overrides,
}); // prettier-ignore
/** Returns the end of an old order. */
const endOf = (filledLots: number, reason: OrderEnd['reason'] = 'canceled'): OrderEnd => ({
  filledLots: filledLots as Lots,
  filledUnits: (filledLots * 10) as Units,
  reason,
});
/** Returns the terms of a replacement. */
const replacementOf = (lots: number, side: 'buy' | 'sell' = 'buy', quoteUnits = 0) => ({
  side,
  lots: lots as Lots,
  quoteUnits: quoteUnits as Units,
});

it.each<[string, ReturnType<typeof replacementOf>, ReplacedOrder, OrderEnd, number]>([
  ['of equal size gets what the old order left', replacementOf(100), oldOrder(100), endOf(40), 60],
  [
    'of equal size gets what the old order left, also when that had filled before the request',
    replacementOf(100),
    oldOrder(100, 30),
    endOf(50),
    50,
  ],
  ['that was sized for the remainder loses only what has filled since', replacementOf(70), oldOrder(100, 30), endOf(50), 50],
  ['keeps its size when nothing has filled', replacementOf(250), oldOrder(100), endOf(0), 250],
  ['that is larger loses what the old order has filled', replacementOf(250), oldOrder(100), endOf(40), 210],
  ['that is smaller loses what has filled since', replacementOf(50), oldOrder(100), endOf(20), 30],
  ['is nothing when more than its size has filled since', replacementOf(10), oldOrder(100), endOf(20), 0],
  ['is nothing when the old order has filled', replacementOf(250), oldOrder(100), endOf(100, 'filled'), 0],
  ['of the other side keeps its size', replacementOf(100, 'sell'), oldOrder(100), endOf(100, 'filled'), 100],
  ['by amount loses the amount that was spent since', replacementOf(0, 'buy', 900), oldOrder(0, 0, { quoteUnits: 1000 }), endOf(40), 500],
  ['by amount after one by quantity loses the amount that was spent', replacementOf(0, 'buy', 900), oldOrder(100), endOf(40), 500],
])('a replacement %s', (_, replacement, before, ended, size) => {
  expect(sizeLeft(replacement, before, ended)).toBe(size);
});
