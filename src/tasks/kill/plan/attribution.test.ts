// Tests the attribution of orders without an id: only if exactly one lost order and one order of the exchange fit.

import { expect, it } from 'vitest';
import { Decimal } from 'decimal.js';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { lots, type Ticks } from '../../../base/brand.ts';
import type { OrderRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { attribute, uncertainOrderText, boundsOf, type LostOrder, type ListCoverage, type UnnamedOrder } from './attribution.ts';

const BTC = spotInstrument('BTC', { quantityDigits: 4, baseDigits: 8, minLots: lots(10) });
const COMPLETE_LISTS: ListCoverage = { isComplete: true, isBeyondHorizon: () => true };

const lost = (cid: string, side: 'buy' | 'sell' = 'sell', qty = 1000): LostOrder => ({
  cid,
  strategy: 0,
  amount: null,
  request: { instrument: BTC, side, limit: 6_000_000 as Ticks, lots: lots(qty), reduceOnly: false },
  signMs: 100_000,
  latestMs: 105_000,
  hasNoEffect: false,
});
const row = (venueId: string, overrides: Partial<OrderRow> = {}): OrderRow => ({
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
  ...overrides,
});
const unnamed = (order: OrderRow, effect = '-0.1', overrides: Partial<UnnamedOrder> = {}): UnnamedOrder => ({
  venueId: order.venueId,
  row: order,
  side: order.side,
  qty: new Decimal(effect).abs(),
  prices: [new Decimal('60000'), new Decimal('60010')],
  timeMs: order.timeMs ?? NaN,
  effect: new Decimal(effect),
  ...overrides,
});
const foundIds = (...args: Parameters<typeof attribute>): readonly (readonly [string, string])[] => [...attribute(...args).found];
const rangeText = (...args: Parameters<typeof attribute>): readonly string[] => {
  const { low, high } = boundsOf(attribute(...args).uncertain);
  return [low.toFixed(), high.toFixed()];
};

it('a lost order and an order of the exchange that fit only each other are the same', () => {
  expect(foundIds([lost('A')], [unnamed(row('1'))], COMPLETE_LISTS)).toEqual([['A', '1']]);
  expect(attribute([lost('A')], [unnamed(row('1'))], COMPLETE_LISTS).uncertain).toEqual([]);
});

it('two orders of the exchange that fit one lost order leave both explanations open', () => {
  const twoOrders = [unnamed(row('1')), unnamed(row('2'))];
  expect(foundIds([lost('A')], twoOrders, COMPLETE_LISTS)).toEqual([]);
  expect(rangeText([lost('A')], twoOrders, COMPLETE_LISTS)).toEqual(['-0.1', '0']);
});

it('two lost orders that fit one order of the exchange leave both explanations open, and it counts once', () => {
  const orders = [lost('A'), lost('B')];
  expect(foundIds(orders, [unnamed(row('1'))], COMPLETE_LISTS)).toEqual([]);
  expect(rangeText(orders, [unnamed(row('1'))], COMPLETE_LISTS)).toEqual(['-0.1', '0']);
});

it('incomplete lists, and lists before the absence horizon, decide nothing', () => {
  for (const coverage of [
    { ...COMPLETE_LISTS, isComplete: false },
    { ...COMPLETE_LISTS, isBeyondHorizon: () => false },
  ]) {
    expect(foundIds([lost('A')], [unnamed(row('1'))], coverage)).toEqual([]);
    expect(rangeText([lost('A')], [], coverage)).toEqual(['-0.1', '0']);
    expect(rangeText([lost('A', 'buy')], [], coverage)).toEqual(['0', '0.1']);
  }
  expect(attribute([lost('A')], [], COMPLETE_LISTS).uncertain).toEqual([]);
});

it('an order with another side, size, type or price, or an earlier time, is not the lost one', () => {
  const otherTerms = [{ side: 'buy' }, { qty: '0.0999' }, { isMarket: true }, { price: '60001' }, { timeMs: 98_999 }] as const;
  for (const otherTerm of otherTerms) {
    const result = attribute([lost('A')], [unnamed(row('1', otherTerm))], COMPLETE_LISTS);
    expect([[...result.found], result.uncertain], JSON.stringify(otherTerm)).toEqual([[], []]);
  }
  expect(
    attribute([lost('A')], [unnamed(row('1'), '-0.1', { prices: [new Decimal('59999'), new Decimal('60000')] })], COMPLETE_LISTS).found
      .size,
  ).toBe(0);
});

it('an order after the window of the lost one, or with too few known terms, stays uncertain', () => {
  for (const order of [row('1', { timeMs: 105_001 }), row('1', { timeMs: null }), row('1', { isMarket: null })]) {
    expect(foundIds([lost('A')], [unnamed(order)], COMPLETE_LISTS)).toEqual([]);
    expect(rangeText([lost('A')], [unnamed(order)], COMPLETE_LISTS)).toEqual(['-0.1', '0']);
  }
  const withoutRow = unnamed(row('1'), '-0.05', { row: null });
  expect(rangeText([lost('A')], [withoutRow], COMPLETE_LISTS)).toEqual(['-0.05', '0']);
  expect(rangeText([lost('A')], [{ ...withoutRow, qty: new Decimal('0.2') }], COMPLETE_LISTS)).toEqual(['0', '0']);
});

it('a market buy by amount is recognised by its amount', () => {
  const buy: LostOrder = { ...lost('A', 'buy', 0), amount: '6000', request: { ...lost('A', 'buy', 0).request, limit: 0 as Ticks } };
  const market = { side: 'buy', isMarket: true, price: null } as const;
  expect(foundIds([buy], [unnamed(row('1', { ...market, qty: '6000' }), '0.0999')], COMPLETE_LISTS)).toEqual([['A', '1']]);
  expect(rangeText([buy], [unnamed(row('1', { ...market, qty: '0.1' }), '0.0999')], COMPLETE_LISTS)).toEqual(['0', '0.0999']);
});

it('a lost order that was proved without effect is uncertain only if an order of the exchange fits it', () => {
  const proven = { ...lost('A'), hasNoEffect: true };
  expect(attribute([proven], [], { isComplete: false, isBeyondHorizon: () => false }).uncertain).toEqual([]);
  expect(attribute([proven], [unnamed(row('1', { timeMs: null }))], COMPLETE_LISTS).uncertain).toHaveLength(1);
});

it('the bounds of twelve uncertain orders contain every explanation', () => {
  const orders = Array.from({ length: 12 }, (_, index) => lost(String(index)));
  const foundOrders = Array.from({ length: 12 }, (_, index) => unnamed(row(String(index))));
  expect(rangeText(orders, foundOrders, COMPLETE_LISTS)).toEqual(['-1.2', '0']);
});

it('the text of an uncertain order names the lost order, its size and the candidates', () => {
  const [uncertainOrder] = attribute([lost('A')], [unnamed(row('1')), unnamed(row('2'))], COMPLETE_LISTS).uncertain;
  expect(uncertainOrderText(uncertainOrder!)).toBe(
    'spot:BTCUSDT: the outcome of order A (sell 0.1 BTC) is unknown: the exchange has orders 1, 2; one of them may be it',
  );
});

it('an order known only by its trades is excluded by side, time and quantity', () => {
  const unsureCount = (overrides: Partial<UnnamedOrder>): number =>
    attribute([lost('A')], [unnamed(row('1'), '-0.1', { row: null, prices: null, ...overrides })], COMPLETE_LISTS).uncertain.length;
  expect([unsureCount({}), unsureCount({ side: 'buy' })]).toEqual([1, 0]);
  expect([unsureCount({ timeMs: 99_000 }), unsureCount({ timeMs: 98_999 })]).toEqual([1, 0]);
  expect([unsureCount({ qty: new Decimal('0.1') }), unsureCount({ qty: new Decimal('0.1001') })]).toEqual([1, 0]);
});
