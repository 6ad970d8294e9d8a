// Tests the decisions of a kill: which orders are the bot's, when a list is proved empty, and how large a slice is.

import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { lots, type Ticks } from '../../../base/brand.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import type { LostOrder } from './attribution.ts';
import { batches, EmptyListProof, isDust, attributeOrder, nextSlice, type OwnOrders, type SeenOrder } from './killPlan.ts';

const BTC = spotInstrument('BTC', { quantityDigits: 4, baseDigits: 8, minLots: lots(10) });
const order = (overrides: Partial<SeenOrder> = {}): SeenOrder => ({
  venueId: '1',
  cid: null,
  side: 'buy',
  price: '60000.00',
  qty: '0.10',
  action: null,
  isMarket: false,
  isLiquidation: false,
  executed: '0',
  status: { word: 'NEW', raw: 'NEW' },
  timeMs: 101_000,
  ...overrides,
});

const lost = (side: 'buy' | 'sell', overrides: Partial<LostOrder> = {}): LostOrder => ({
  cid: 'lost',
  strategy: 0,
  amount: null,
  request: { instrument: BTC, side, limit: 6_000_000 as Ticks, lots: lots(1000), reduceOnly: false },
  signMs: 100_000,
  latestMs: 105_000,
  hasNoEffect: false,
  ...overrides,
});
const ownOrders = (...orders: readonly LostOrder[]): OwnOrders => ({
  isOwnId: (venueId) => venueId === '7',
  isOwnCid: (cid) => cid.toUpperCase() === '01J4Y8Z0QK7M3N5P0000000001',
  lostOf: () => orders,
  withoutVenueId: orders,
});

it('a kill recognises own orders by id, by client order id, and by the terms of a lost order', () => {
  const ownBooks = ownOrders(lost('sell'));
  expect(attributeOrder(BTC.id, order({ venueId: '7' }), ownBooks)).toBe('own');
  expect(attributeOrder(BTC.id, order({ cid: '01j4y8z0qk7m3n5p0000000001' }), ownBooks)).toBe('own');
  expect(attributeOrder(BTC.id, order({ side: 'sell' }), ownBooks)).toBe('own');
  expect(attributeOrder(BTC.id, order({ side: 'sell', cid: 'hers' }), ownBooks)).toBe('alien');
  expect(attributeOrder(BTC.id, order(), ownBooks)).toBe('alien');
  expect(attributeOrder(BTC.id, order({ cid: '01J4Y8Z0QK7M3N5P0000000009' }), null)).toBe('own');
  expect(attributeOrder(BTC.id, order({ cid: 'hers' }), null)).toBe('alien');
  expect(attributeOrder(BTC.id, order(), null)).toBe('unsure');
});

it('an open order is unsure if two lost orders fit it, or if another open order fits the lost one too', () => {
  const [firstOrder, secondOrder] = [order({ side: 'sell' }), order({ side: 'sell', venueId: '2' })];
  expect(attributeOrder(BTC.id, firstOrder, ownOrders(lost('sell'), lost('sell', { cid: 'other' })))).toBe('unsure');
  expect(attributeOrder(BTC.id, firstOrder, ownOrders(lost('sell')), [firstOrder, secondOrder])).toBe('unsure');
  expect(attributeOrder(BTC.id, order({ side: 'sell', timeMs: 98_000 }), ownOrders(lost('sell')))).toBe('alien');
});

it('an open order after the window of a lost order, or without a time, is unsure', () => {
  const ownBooks = ownOrders(lost('sell'));
  const attributionAt = (timeMs: number | null) => attributeOrder(BTC.id, order({ side: 'sell', timeMs }), ownBooks);
  expect([attributionAt(105_000), attributionAt(105_001), attributionAt(null)]).toEqual(['own', 'unsure', 'unsure']);
});

it('ids to cancel are split into batches of ten', () => {
  const ids = Array.from({ length: 23 }, (_, index) => String(index));
  expect(batches(ids).map(({ length }) => length)).toEqual([10, 10, 3]);
  expect(batches(ids).flat()).toEqual(ids);
  expect(batches([])).toEqual([]);
});

it('a list is proved empty by two empty reads at least 3 s apart, if no read between them had rows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 4000 }), isEmpty: fc.boolean() }), { maxLength: 30 }),
      (readings) => {
        const proof = new EmptyListProof(3000);
        let atMs = 0;
        let emptySinceMs = Infinity;
        for (const { afterMs, isEmpty } of readings) {
          atMs += afterMs;
          const isProved = proof.observe(atMs, isEmpty);
          if (!isEmpty) emptySinceMs = Infinity;
          else if (emptySinceMs === Infinity) emptySinceMs = atMs;
          expect(isProved).toBe(isEmpty && atMs - emptySinceMs >= 3000 && atMs > emptySinceMs);
          if (isProved) return;
        }
      },
    ),
  );
});

it('a slice is never larger than the position, beyond its collar, off the grid, or below the smallest order', () => {
  const amount = fc.integer({ min: 1, max: 5_000_000 }).map((units) => new Decimal(units).dividedBy(1_000_000));
  const book = fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), amount), { maxLength: 20 });
  fc.assert(
    fc.property(
      amount,
      book,
      fc.constantFrom('buy' as const, 'sell' as const),
      fc.integer({ min: 0, max: 9 }),
      (max, steps, side, collarStep) => {
        let price = 60_000;
        const levels = steps.map(([distance, quantity]) => ({
          price: String((price += (side === 'sell' ? -distance : distance) / 100)),
          quantity: quantity.toFixed(),
        }));
        const slice = nextSlice(BTC, { side, max, levels, collarStep });
        if (slice === null) {
          expect(levels.length === 0 || isDust(BTC, max)).toBe(true);
          return;
        }
        const qty = new Decimal(slice.qty);
        expect(qty.lessThanOrEqualTo(max)).toBe(true);
        expect(qty.times(10_000).isInteger() && qty.greaterThanOrEqualTo('0.001')).toBe(true);
        const reach = new Decimal(slice.price).dividedBy(levels[0]!.price).minus(1).abs();
        expect(reach.lessThanOrEqualTo('0.03')).toBe(true);
        expect(new Decimal(slice.price).times(100).isInteger()).toBe(true);
        // A remainder that is too small to be sold alone is added to the slice.
        const remainder = max.minus(qty);
        expect(remainder.lessThan('0.001') ? isDust(BTC, remainder) : true).toBe(true);
      },
    ),
  );
});
