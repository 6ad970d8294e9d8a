// Tests stops that are set aside while an order closes what they protect: what brings them back, for how many lots, and what ends them.

import { expect, it } from 'vitest';
import { lots, ticks } from '../../base/brand.ts';
import type { Side } from '../../model/order.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { BotOrder } from '../botOrder.ts';
import { Brackets, dropClosed, levelOf } from './brackets.ts';

const BTC = spotInstrument();
/** The index of the only strategy, and of the only instrument. */
const STRATEGY = 0;
const INSTRUMENT = 0;
/** Price at which entries fill, ticks. */
const ENTRY_TICKS = 100;

/** Returns an order of 100 lots. */
function orderOf(id: number, side: Side, terms: Partial<BotOrder> = {}): BotOrder {
  const order = new BotOrder();
  order.begin(id, STRATEGY, BTC, INSTRUMENT, side, 0);
  return Object.assign(order, { lots: lots(100) }, terms);
}
/** Returns a ledger of one strategy that holds these lots of each side. */
const ledgerOf = (long: number, short = 0) => ({
  isFlat: () => long === 0 && short === 0,
  closable: (_strategy: number, _index: number, isBuy: boolean) => (isBuy ? short : long),
});

/** Brings back the brackets of the long position: for at most `maxLots`, while the strategy holds `heldLots`. */
const bringBackLongs = (brackets: Brackets, maxLots: number, heldLots: number): void =>
  brackets.bringBack(STRATEGY, INSTRUMENT, true, maxLots, heldLots);
/** Returns the lots that the stops of the long position still have to protect. */
const longLotsLeft = (brackets: Brackets): number => brackets.aside.lotsLeft(STRATEGY, INSTRUMENT, true);
/** Returns the entry, the lots and the level of each open bracket. */
const openBrackets = (brackets: Brackets) => brackets.list(INSTRUMENT).map((bracket) => [bracket.entryId, bracket.lots, levelOf(bracket)]);

/** Returns brackets of two entries of 100 lots each, with stops at 80 and 90, that are set aside for an exit. */
function twoBracketsAside(): Brackets {
  const brackets = new Brackets(1);
  brackets.arm(orderOf(1, 'buy', { stopLoss: ticks(80) }), 100, ENTRY_TICKS, 0);
  brackets.arm(orderOf(2, 'buy', { stopLoss: ticks(90) }), 100, ENTRY_TICKS, 0);
  expect(brackets.setAside(STRATEGY, INSTRUMENT)).toBe(2);
  brackets.aside.setProtectedLots(STRATEGY, INSTRUMENT, true, 200);
  expect([openBrackets(brackets), brackets.total, brackets.waiting(INSTRUMENT), brackets.aside.count]).toEqual([[], 0, 0, 2]);
  return brackets;
}

it('brackets come back with the nearest stop first, for the lots that are left', () => {
  const brackets = twoBracketsAside();
  brackets.aside.onFill(orderOf(3, 'sell'), 70, ledgerOf(130) as never);
  bringBackLongs(brackets, longLotsLeft(brackets), 130);
  expect(openBrackets(brackets)).toEqual([[2, 100, 90], [1, 30, 80]]); // prettier-ignore
});

it('brackets that come back and brackets that were armed since protect together at most the held lots', () => {
  const brackets = twoBracketsAside();
  brackets.arm(orderOf(4, 'buy', { stopLoss: ticks(95) }), 50, ENTRY_TICKS, 0);
  bringBackLongs(brackets, 200, 120);
  expect(openBrackets(brackets)).toEqual([[4, 50, 95], [2, 70, 90]]); // prettier-ignore
});

it('a later fill of the entry does not lower the level that its trailing stop has reached', () => {
  const brackets = new Brackets(1);
  const entry = orderOf(1, 'buy', { trailing: ticks(10) });
  brackets.arm(entry, 60, ENTRY_TICKS, 0);
  const highTicks = 150;
  brackets.follow(INSTRUMENT, highTicks, ENTRY_TICKS, 1);
  brackets.setAside(STRATEGY, INSTRUMENT);
  brackets.arm(entry, 40, 120, 2);
  bringBackLongs(brackets, 60, 100);
  expect(openBrackets(brackets)).toEqual([[1, 100, 140]]);
});

it('brackets that were set aside end with a fill that closes what they protected, even if the strategy has opened more since', () => {
  const brackets = twoBracketsAside();
  brackets.aside.onFill(orderOf(3, 'sell'), 200, ledgerOf(50) as never);
  expect([brackets.aside.count, longLotsLeft(brackets)]).toEqual([0, 0]);
});

it('a target that fills while its bracket is set aside reduces that bracket by its lots', () => {
  const brackets = twoBracketsAside();
  brackets.aside.onFill(orderOf(3, 'sell', { parent: 2 as never }), 100, ledgerOf(100) as never);
  bringBackLongs(brackets, 100, 100);
  expect(openBrackets(brackets)).toEqual([[1, 100, 80]]);
});

it('a bracket that only marks a position, without a stop, is not set aside', () => {
  const brackets = new Brackets(1);
  brackets.arm(orderOf(1, 'buy'), 100, ENTRY_TICKS, 0);
  expect([brackets.setAside(STRATEGY, INSTRUMENT), brackets.aside.count, brackets.total]).toEqual([1, 0, 0]);
});

it('brackets end once the side that they protect is flat', () => {
  const brackets = new Brackets(1);
  brackets.arm(orderOf(1, 'buy', { stopLoss: ticks(80) }), 100, ENTRY_TICKS, 0);
  brackets.arm(orderOf(2, 'sell', { stopLoss: ticks(120) }), 100, ENTRY_TICKS, 0);
  dropClosed(brackets, ledgerOf(100, 40), { strategy: STRATEGY, instrument: INSTRUMENT, isBuy: true });
  expect(openBrackets(brackets)).toHaveLength(2);
  dropClosed(brackets, ledgerOf(100), { strategy: STRATEGY, instrument: INSTRUMENT, isBuy: true });
  expect(openBrackets(brackets)).toEqual([[1, 100, 80]]);
  dropClosed(brackets, ledgerOf(0), { strategy: STRATEGY, instrument: INSTRUMENT, isBuy: false });
  expect(openBrackets(brackets)).toEqual([]);
});
