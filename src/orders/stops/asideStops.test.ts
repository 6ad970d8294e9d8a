// Tests stops that are set aside while an order closes what they protect: what brings them back, for how many lots, and what ends them.

import { expect, it } from 'vitest';
import { lots, ticks } from '../../base/brand.ts';
import type { Side } from '../../model/order.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { BotOrder } from '../botOrder.ts';
import { Brackets, dropClosed, levelOf } from './brackets.ts';

const BTC = spotInstrument();

/** Returns an order of 100 lots. */
function orderOf(id: number, side: Side, terms: Partial<BotOrder> = {}): BotOrder {
  const order = new BotOrder();
  order.begin(id, 0, BTC, 0, side, 0);
  return Object.assign(order, { lots: lots(100) }, terms);
}
/** Returns a ledger of one strategy that holds these lots of each side. */
const ledgerOf = (long: number, short = 0) => ({
  isFlat: () => long === 0 && short === 0,
  closable: (_strategy: number, _index: number, isBuy: boolean) => (isBuy ? short : long),
});
/** Returns the entry, the lots and the level of each open bracket. */
const openBrackets = (brackets: Brackets) => brackets.list(0).map((bracket) => [bracket.entryId, bracket.lots, levelOf(bracket)]);

/** Returns brackets of two entries of 100 lots each, with stops at 80 and 90, that are set aside for an exit. */
function twoBracketsAside(): Brackets {
  const brackets = new Brackets(1);
  brackets.arm(orderOf(1, 'buy', { stopLoss: ticks(80) }), 100, 100, 0);
  brackets.arm(orderOf(2, 'buy', { stopLoss: ticks(90) }), 100, 100, 0);
  expect(brackets.setAside(0, 0)).toBe(2);
  brackets.aside.setProtectedLots(0, 0, true, 200);
  expect([openBrackets(brackets), brackets.total, brackets.waiting(0), brackets.aside.count]).toEqual([[], 0, 0, 2]);
  return brackets;
}

it('brackets come back with the nearest stop first, for what is left', () => {
  const brackets = twoBracketsAside();
  brackets.aside.onFill(orderOf(3, 'sell'), 70, ledgerOf(130) as never);
  brackets.bringBack(0, 0, true, brackets.aside.lotsLeft(0, 0, true), 130);
  expect(openBrackets(brackets)).toEqual([[2, 100, 90], [1, 30, 80]]); // prettier-ignore
});

it('brackets that come back protect no more than is held, together with brackets that were armed since', () => {
  const brackets = twoBracketsAside();
  brackets.arm(orderOf(4, 'buy', { stopLoss: ticks(95) }), 50, 100, 0);
  brackets.bringBack(0, 0, true, 200, 120);
  expect(openBrackets(brackets)).toEqual([[4, 50, 95], [2, 70, 90]]); // prettier-ignore
});

it('a later fill of the entry does not lower the level that its trailing stop has reached', () => {
  const brackets = new Brackets(1);
  const entry = orderOf(1, 'buy', { trailing: ticks(10) });
  brackets.arm(entry, 60, 100, 0);
  brackets.follow(0, 150, 100, 1);
  brackets.setAside(0, 0);
  brackets.arm(entry, 40, 120, 2);
  brackets.bringBack(0, 0, true, 60, 100);
  expect(openBrackets(brackets)).toEqual([[1, 100, 140]]);
});

it('brackets that were set aside end with a fill that closes what they protected, also when more was opened since', () => {
  const brackets = twoBracketsAside();
  brackets.aside.onFill(orderOf(3, 'sell'), 200, ledgerOf(50) as never);
  expect([brackets.aside.count, brackets.aside.lotsLeft(0, 0, true)]).toEqual([0, 0]);
});

it('a target that fills meanwhile reduces its own bracket by its lots', () => {
  const brackets = twoBracketsAside();
  brackets.aside.onFill(orderOf(3, 'sell', { parent: 2 as never }), 100, ledgerOf(100) as never);
  brackets.bringBack(0, 0, true, 100, 100);
  expect(openBrackets(brackets)).toEqual([[1, 100, 80]]);
});

it('a bracket that only marks a position, without a stop, is not set aside', () => {
  const brackets = new Brackets(1);
  brackets.arm(orderOf(1, 'buy'), 100, 100, 0);
  expect([brackets.setAside(0, 0), brackets.aside.count, brackets.total]).toEqual([1, 0, 0]);
});

it('brackets end with the side that they protect', () => {
  const brackets = new Brackets(1);
  brackets.arm(orderOf(1, 'buy', { stopLoss: ticks(80) }), 100, 100, 0);
  brackets.arm(orderOf(2, 'sell', { stopLoss: ticks(120) }), 100, 100, 0);
  dropClosed(brackets, ledgerOf(100, 40), { strategy: 0, instrument: 0, isBuy: true });
  expect(openBrackets(brackets)).toHaveLength(2);
  dropClosed(brackets, ledgerOf(100), { strategy: 0, instrument: 0, isBuy: true });
  expect(openBrackets(brackets)).toEqual([[1, 100, 80]]);
  dropClosed(brackets, ledgerOf(0), { strategy: 0, instrument: 0, isBuy: false });
  expect(openBrackets(brackets)).toEqual([]);
});
