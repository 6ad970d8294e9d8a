// Attributing orders of the exchange when no id identifies them: only if exactly one order on each side fits.

import { expect, it } from 'vitest';
import { Decimal } from 'decimal.js';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { lots, type Ticks } from '../../../base/brand.ts';
import type { OrderRow } from '../../../adapters/exchange/calls/rows.ts';
import { attribute, doubtText, rangeOf, type LostOrder, type Sighting, type UnnamedOrder } from './attribution.ts';

const BTC = spotInstrument('BTC', { quantityDigits: 4, baseDigits: 8, minLots: lots(10) });
const SEEN: Sighting = { isComplete: true, isBeyondHorizon: () => true };

const lost = (cid: string, side: 'buy' | 'sell' = 'sell', qty = 1000): LostOrder => ({
  cid,
  strategy: 0,
  amount: null,
  request: { instrument: BTC, side, limit: 6_000_000 as Ticks, lots: lots(qty), reduceOnly: false },
  signMs: 100_000,
  latestMs: 105_000,
  isOver: false,
});
const row = (venueId: string, over: Partial<OrderRow> = {}): OrderRow => ({
  venueId,
  cid: null,
  side: 'sell',
  action: null,
  isMarket: false,
  isLiquidation: false,
  price: '60000',
  qty: '0.1',
  executed: '0.1',
  status: { word: 'FILLED', raw: 'FILLED' },
  timeMs: 101_000,
  ...over,
});
const seen = (order: OrderRow, effect = '-0.1', over: Partial<UnnamedOrder> = {}): UnnamedOrder => ({
  venueId: order.venueId,
  row: order,
  side: order.side,
  qty: new Decimal(effect).abs(),
  prices: [new Decimal('60000'), new Decimal('60010')],
  timeMs: order.timeMs ?? NaN,
  effect: new Decimal(effect),
  ...over,
});
const found = (...args: Parameters<typeof attribute>): readonly (readonly [string, string])[] => [...attribute(...args).found];
const rangeText = (...args: Parameters<typeof attribute>): readonly string[] => {
  const { low, high } = rangeOf(attribute(...args).uncertainties);
  return [low.toFixed(), high.toFixed()];
};

it('one lost order and one order of the exchange that fit each other are the same', () => {
  expect(found([lost('A')], [seen(row('1'))], SEEN)).toEqual([['A', '1']]);
  expect(attribute([lost('A')], [seen(row('1'))], SEEN).uncertainties).toEqual([]);
});

it('two orders of the exchange that fit one lost order leave both explanations open', () => {
  const both = [seen(row('1')), seen(row('2'))];
  expect(found([lost('A')], both, SEEN)).toEqual([]);
  expect(rangeText([lost('A')], both, SEEN)).toEqual(['-0.1', '0']);
});

it('two lost orders that fit one order of the exchange leave both explanations open, and it counts once', () => {
  const orders = [lost('A'), lost('B')];
  expect(found(orders, [seen(row('1'))], SEEN)).toEqual([]);
  expect(rangeText(orders, [seen(row('1'))], SEEN)).toEqual(['-0.1', '0']);
});

it('nothing is decided in lists that are cut, and nothing before the absence horizon', () => {
  for (const monitoring of [
    { ...SEEN, isComplete: false },
    { ...SEEN, isBeyondHorizon: () => false },
  ]) {
    expect(found([lost('A')], [seen(row('1'))], monitoring)).toEqual([]);
    expect(rangeText([lost('A')], [], monitoring)).toEqual(['-0.1', '0']);
    expect(rangeText([lost('A', 'buy')], [], monitoring)).toEqual(['0', '0.1']);
  }
  expect(attribute([lost('A')], [], SEEN).uncertainties).toEqual([]);
});

it('an order of another side, size, type, price or of an earlier time is another owner’s', () => {
  const others = [{ side: 'buy' }, { qty: '0.0999' }, { isMarket: true }, { price: '60001' }, { timeMs: 98_999 }] as const;
  for (const other of others) {
    const result = attribute([lost('A')], [seen(row('1', other))], SEEN);
    expect([[...result.found], result.uncertainties], JSON.stringify(other)).toEqual([[], []]);
  }
  expect(attribute([lost('A')], [seen(row('1'), '-0.1', { prices: [new Decimal('59999'), new Decimal('60000')] })], SEEN).found.size).toBe(
    0,
  );
});

it('an order later than its window, or with too few known terms, stays a doubt', () => {
  for (const order of [row('1', { timeMs: 105_001 }), row('1', { timeMs: null }), row('1', { isMarket: null })]) {
    expect(found([lost('A')], [seen(order)], SEEN)).toEqual([]);
    expect(rangeText([lost('A')], [seen(order)], SEEN)).toEqual(['-0.1', '0']);
  }
  const untold = seen(row('1'), '-0.05', { row: null });
  expect(rangeText([lost('A')], [untold], SEEN)).toEqual(['-0.05', '0']);
  expect(rangeText([lost('A')], [{ ...untold, qty: new Decimal('0.2') }], SEEN)).toEqual(['0', '0']);
});

it('a market buy by amount is recognised by its amount', () => {
  const buy: LostOrder = { ...lost('A', 'buy', 0), amount: '6000', request: { ...lost('A', 'buy', 0).request, limit: 0 as Ticks } };
  const market = { side: 'buy', isMarket: true, price: null } as const;
  expect(found([buy], [seen(row('1', { ...market, qty: '6000' }), '0.0999')], SEEN)).toEqual([['A', '1']]);
  expect(rangeText([buy], [seen(row('1', { ...market, qty: '0.1' }), '0.0999')], SEEN)).toEqual(['0', '0.0999']);
});

it('an order that was proved without effect is a doubt only where one of the exchange fits it', () => {
  const over = { ...lost('A'), isOver: true };
  expect(attribute([over], [], { isComplete: false, isBeyondHorizon: () => false }).uncertainties).toEqual([]);
  expect(attribute([over], [seen(row('1', { timeMs: null }))], SEEN).uncertainties).toHaveLength(1);
});

it('many doubts have bounds that no explanation goes beyond', () => {
  const orders = Array.from({ length: 12 }, (_, at) => lost(String(at)));
  const many = Array.from({ length: 12 }, (_, at) => seen(row(String(at))));
  expect(rangeText(orders, many, SEEN)).toEqual(['-1.2', '0']);
});

it('a doubt is reported with its order, its size and what may be it', () => {
  const [doubt] = attribute([lost('A')], [seen(row('1')), seen(row('2'))], SEEN).uncertainties;
  expect(doubtText(doubt!)).toBe(
    'spot:BTCUSDT: the outcome of order A (sell 0.1 BTC) is unknown: the exchange has orders 1, 2; one of them may be it',
  );
});

it('an order known only by its trades is excluded by side, time and quantity, and no name is needed', () => {
  const unsureCount = (over: Partial<UnnamedOrder>): number =>
    attribute([lost('A')], [seen(row('1'), '-0.1', { row: null, prices: null, ...over })], SEEN).uncertainties.length;
  expect([unsureCount({}), unsureCount({ side: 'buy' })]).toEqual([1, 0]);
  expect([unsureCount({ timeMs: 99_000 }), unsureCount({ timeMs: 98_999 })]).toEqual([1, 0]);
  expect([unsureCount({ qty: new Decimal('0.1') }), unsureCount({ qty: new Decimal('0.1001') })]).toEqual([1, 0]);
});
