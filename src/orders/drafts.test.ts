// Tests the size of a replacement: the requested size minus what the old order has filled meanwhile.

import { expect, it } from 'vitest';
import type { Lots, Units } from '../base/brand.ts';
import type { OrderId } from '../model/order.ts';
import { sizeLeft, type Ended, type Replaced } from './drafts.ts';

const old = (lots: number, filledLots = 0, more: Partial<Replaced> = {}): Replaced => ({
  id: 1 as OrderId, side: 'buy', lots, quoteUnits: 0, filledLots, filledUnits: filledLots * 10, ...more,
}); // prettier-ignore
const end = (filledLots: number, reason: Ended['reason'] = 'canceled'): Ended => ({
  filledLots: filledLots as Lots,
  filledUnits: (filledLots * 10) as Units,
  reason,
});
const next = (lots: number, side: 'buy' | 'sell' = 'buy', quoteUnits = 0) => ({
  side,
  lots: lots as Lots,
  quoteUnits: quoteUnits as Units,
});

it.each<[string, ReturnType<typeof next>, Replaced, Ended, number]>([
  ['of equal size gets what the old order left', next(100), old(100), end(40), 60],
  ['of equal size gets what the old order left, also when that had filled before the request', next(100), old(100, 30), end(50), 50],
  ['that was sized for the remainder loses only what has filled since', next(70), old(100, 30), end(50), 50],
  ['keeps its size when nothing has filled', next(250), old(100), end(0), 250],
  ['that is larger loses what the old order has filled', next(250), old(100), end(40), 210],
  ['that is smaller loses what has filled since', next(50), old(100), end(20), 30],
  ['is nothing when more than its size has filled since', next(10), old(100), end(20), 0],
  ['is nothing when the old order has filled', next(250), old(100), end(100, 'filled'), 0],
  ['of the other side keeps its size', next(100, 'sell'), old(100), end(100, 'filled'), 100],
  ['by amount loses the amount that was spent since', next(0, 'buy', 900), old(0, 0, { quoteUnits: 1000 }), end(40), 500],
  ['by amount after one by quantity loses the amount that was spent', next(0, 'buy', 900), old(100), end(40), 500],
])('a replacement %s', (_, replacement, before, ended, size) => {
  expect(sizeLeft(replacement, before, ended)).toBe(size);
});
