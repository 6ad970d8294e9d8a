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

it.each<{
  readonly situation: string;
  readonly replacement: ReturnType<typeof replacementOf>;
  readonly replaced: ReplacedOrder;
  readonly end: OrderEnd;
  readonly expectedSize: number;
}>([
  {
    situation: 'of equal size gets what the old order left',
    replacement: replacementOf(100),
    replaced: oldOrder(100),
    end: endOf(40),
    expectedSize: 60,
  },
  {
    situation: 'of equal size gets what the old order left, also when that had filled before the request',
    replacement: replacementOf(100),
    replaced: oldOrder(100, 30),
    end: endOf(50),
    expectedSize: 50,
  },
  {
    situation: 'that was sized for the remainder loses only what has filled since',
    replacement: replacementOf(70),
    replaced: oldOrder(100, 30),
    end: endOf(50),
    expectedSize: 50,
  },
  {
    situation: 'keeps its size when nothing has filled',
    replacement: replacementOf(250),
    replaced: oldOrder(100),
    end: endOf(0),
    expectedSize: 250,
  },
  {
    situation: 'that is larger loses what the old order has filled',
    replacement: replacementOf(250),
    replaced: oldOrder(100),
    end: endOf(40),
    expectedSize: 210,
  },
  {
    situation: 'that is smaller loses what has filled since',
    replacement: replacementOf(50),
    replaced: oldOrder(100),
    end: endOf(20),
    expectedSize: 30,
  },
  {
    situation: 'is nothing when more than its size has filled since',
    replacement: replacementOf(10),
    replaced: oldOrder(100),
    end: endOf(20),
    expectedSize: 0,
  },
  {
    situation: 'is nothing when the old order has filled',
    replacement: replacementOf(250),
    replaced: oldOrder(100),
    end: endOf(100, 'filled'),
    expectedSize: 0,
  },
  {
    situation: 'of the other side keeps its size',
    replacement: replacementOf(100, 'sell'),
    replaced: oldOrder(100),
    end: endOf(100, 'filled'),
    expectedSize: 100,
  },
  {
    situation: 'by amount loses the amount that was spent since',
    replacement: replacementOf(0, 'buy', 900),
    replaced: oldOrder(0, 0, { quoteUnits: 1000 }),
    end: endOf(40),
    expectedSize: 500,
  },
  {
    situation: 'by amount after one by quantity loses the amount that was spent',
    replacement: replacementOf(0, 'buy', 900),
    replaced: oldOrder(100),
    end: endOf(40),
    expectedSize: 500,
  },
])('a replacement $situation', ({ replacement, replaced, end, expectedSize }) => {
  expect(sizeLeft(replacement, replaced, end)).toBe(expectedSize);
});
