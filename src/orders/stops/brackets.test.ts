// The levels of brackets, and which of them a row sets off.

import { describe, expect, it } from 'vitest';
import { lots, ticks } from '../../base/brand.ts';
import { InvariantError } from '../../base/errors.ts';
import type { Side } from '../../model/order.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { Brackets, levelOf, type Bracket } from './brackets.ts';
import { BotOrder } from '../botOrder.ts';

const BTC = spotInstrument();

function entry(id: number, stop: number, trailing = 0, side: Side = 'buy', strategy = 0): BotOrder {
  const order = new BotOrder();
  order.begin(id, strategy, BTC, 0, side, 0);
  order.lots = lots(100);
  order.stopLoss = ticks(stop);
  order.trailing = ticks(trailing);
  return order;
}

function hits(act: (hit: (bracket: Bracket, price: number) => void) => void): [number, number][] {
  const seen: [number, number][] = [];
  act((bracket, price) => seen.push([bracket.entry, price]));
  return seen;
}

describe('Brackets', () => {
  it('of a long trigger at or below their level, of a short at or above it', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 90), 100, 100, 0);
    brackets.arm(entry(2, 110, 0, 'sell'), 100, 100, 0);
    expect(hits((hit) => brackets.triggerInRow(0, 109, 91, -Infinity, hit))).toEqual([]);
    expect(hits((hit) => brackets.triggerInRow(0, 110, 90, -Infinity, hit))).toEqual([[1, 90], [2, 110]]); // prettier-ignore
    expect(hits((hit) => brackets.triggerAtOpen(0, 85, hit))).toEqual([[1, 85]]);
    expect(hits((hit) => brackets.triggerAtOpen(0, 115, hit))).toEqual([[2, 115]]);
    expect(hits((hit) => brackets.triggerAtOpen(0, 100, hit))).toEqual([]);
  });

  it('armed inside the row are looked at apart', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 90), 100, 100, 1000);
    brackets.arm(entry(2, 90), 100, 100, 2000);
    expect(hits((hit) => brackets.triggerInRow(0, 100, 80, 2000, hit)).map(([id]) => id)).toEqual([2]);
  });

  it('armed inside the row beyond their entry trigger at its price, not at their level; in a later row at their level', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 103), 100, 100, 2000);
    brackets.arm(entry(2, 97, 0, 'sell'), 100, 100, 2000);
    expect(hits((hit) => brackets.triggerInRow(0, 106, 95, 2000, hit))).toEqual([[1, 100], [2, 100]]); // prettier-ignore
    expect(hits((hit) => brackets.triggerInRow(0, 106, 95, -Infinity, hit))).toEqual([[1, 103], [2, 97]]); // prettier-ignore
  });

  it('trail the best price of closed rows', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 0, 10), 100, 100, 0);
    brackets.arm(entry(2, 0, 10, 'sell'), 100, 100, 0);
    const levels = () => [1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!));
    expect(levels()).toEqual([90, 110]);
    expect(brackets.follow(0, 120, 95, 0)).toBe(false);
    expect(levels()).toEqual([110, 105]);
    brackets.follow(0, 110, 99, 0);
    expect(levels()).toEqual([110, 105]);
  });

  it('of an entry inside a row trail the close of that row, and the best price of later rows', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 0, 10), 100, 91, 2000);
    brackets.arm(entry(2, 0, 10, 'sell'), 100, 109, 2000);
    const levels = () => [1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!));
    expect(brackets.follow(0, 115, 85, 1000)).toBe(true);
    expect(levels()).toEqual([81, 119]);
    brackets.followClose(0, 100, 1000);
    expect(levels()).toEqual([90, 110]);
    expect(brackets.follow(0, 105, 95, 2000)).toBe(false);
    expect(levels()).toEqual([95, 105]);
  });

  it('of an entry that the price reached by moving in its favour trail the best price of its own row', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 0, 10), 100, 101, 2000, true);
    expect(brackets.follow(0, 115, 85, 1000)).toBe(false);
    brackets.followClose(0, 90, 1000);
    expect(levelOf(brackets.of({ instrumentIndex: 0, id: 1 })!)).toBe(105);
  });

  it('after a restart follow a closed row as they did when it closed', () => {
    const brackets = new Brackets(1);
    for (const [id, armedMs] of [[1, 1000], [2, 1500], [3, 2500]] as const) brackets.arm(entry(id, 0, 10), 100, 91, armedMs); // prettier-ignore
    brackets.followAgain(0, { high: 115, low: 85, close: 100 }, 1000, 2000);
    expect([1, 2, 3].map((id) => brackets.of({ instrumentIndex: 0, id })!.best)).toEqual([115, 100, 91]);
  });

  it('take the nearer of two stops', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 95, 10), 100, 100, 0);
    brackets.arm(entry(2, 103, 10, 'sell'), 100, 100, 0);
    expect([1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!))).toEqual([95, 103]);
  });

  it('widen with each fill of their entry, narrow with their legs, and end with the last lot', () => {
    const brackets = new Brackets(1);
    const order = entry(1, 90);
    brackets.arm(order, 40, 100, 0);
    brackets.arm(order, 60, 101, 0);
    const bracket = brackets.of(order)!;
    expect(bracket).toMatchObject({ lots: 100, entryPrice: 100 });
    brackets.reduce(bracket, 99);
    expect([brackets.waiting(0), brackets.total]).toEqual([1, 1]);
    brackets.reduce(bracket, 1);
    expect([brackets.waiting(0), brackets.total, brackets.of(order)]).toEqual([0, 0, undefined]);
    expect(() => brackets.remove(bracket)).toThrow(InvariantError);
  });

  it('are dropped by strategy, and put back as one', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 90), 100, 100, 0);
    brackets.arm(entry(2, 90, 0, 'buy', 1), 50, 100, 0);
    const bracket = brackets.of({ instrumentIndex: 0, id: 2 })!;
    brackets.drop(0, 0);
    expect([brackets.total, brackets.of({ instrumentIndex: 0, id: 1 })]).toEqual([1, undefined]);
    brackets.restore({ ...bracket, lots: 25 });
    expect([brackets.total, bracket.lots]).toEqual([1, 75]);
    brackets.remove(bracket);
    brackets.restore(bracket);
    expect(brackets.of({ instrumentIndex: 0, id: 2 })).toBe(bracket);
  });
});
