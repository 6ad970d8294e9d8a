// Tests the levels of brackets, and of the brackets that a row triggers.

import { describe, expect, it } from 'vitest';
import { lots, ticks } from '../../base/brand.ts';
import { seededRng } from '../../base/number/rng.ts';
import { InvariantError } from '../../base/errors.ts';
import type { Side } from '../../model/order.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { Brackets, levelOf, type Bracket } from './brackets.ts';
import { BotOrder } from '../botOrder.ts';

const BTC = spotInstrument();

/** Returns an entry of 100 lots with a stop. */
function entry(id: number, stop: number, trailing = 0, side: Side = 'buy', strategy = 0): BotOrder {
  const order = new BotOrder();
  order.begin(id, strategy, BTC, 0, side, 0);
  order.lots = lots(100);
  order.stopLoss = ticks(stop);
  order.trailing = ticks(trailing);
  return order;
}

/** Returns the entry and the price of each bracket that `act` triggers. */
function triggersOf(act: (hit: (bracket: Bracket, price: number) => void) => void): [number, number][] {
  const triggeredPrices: [number, number][] = [];
  act((bracket, price) => triggeredPrices.push([bracket.entryId, price]));
  return triggeredPrices;
}

describe('Brackets', () => {
  it('brackets of a long trigger at or below their level, and those of a short at or above it', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 90), 100, 100, 0);
    brackets.arm(entry(2, 110, 0, 'sell'), 100, 100, 0);
    expect(triggersOf((hit) => brackets.triggerInRow(0, 109, 91, -Infinity, hit))).toEqual([]);
    expect(triggersOf((hit) => brackets.triggerInRow(0, 110, 90, -Infinity, hit))).toEqual([[1, 90], [2, 110]]); // prettier-ignore
    expect(triggersOf((hit) => brackets.triggerAtOpen(0, 85, hit))).toEqual([[1, 85]]);
    expect(triggersOf((hit) => brackets.triggerAtOpen(0, 115, hit))).toEqual([[2, 115]]);
    expect(triggersOf((hit) => brackets.triggerAtOpen(0, 100, hit))).toEqual([]);
  });

  it('brackets that were armed inside the row are checked separately', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 90), 100, 100, 1000);
    brackets.arm(entry(2, 90), 100, 100, 2000);
    expect(triggersOf((hit) => brackets.triggerInRow(0, 100, 80, 2000, hit)).map(([id]) => id)).toEqual([2]);
  });

  it('brackets that were armed beyond their entry price trigger at it in that row, and at their level in later rows', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 103), 100, 100, 2000);
    brackets.arm(entry(2, 97, 0, 'sell'), 100, 100, 2000);
    expect(triggersOf((hit) => brackets.triggerInRow(0, 106, 95, 2000, hit))).toEqual([[1, 100], [2, 100]]); // prettier-ignore
    expect(triggersOf((hit) => brackets.triggerInRow(0, 106, 95, -Infinity, hit))).toEqual([[1, 103], [2, 97]]); // prettier-ignore
  });

  it('brackets trail the best price of closed rows', () => {
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

  it('brackets of an entry inside a row trail the close of that row, and the best price of later rows', () => {
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

  it('brackets of an entry that filled as the price moved in its favour trail the best price of its own row', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 0, 10), 100, 101, 2000, true);
    expect(brackets.follow(0, 115, 85, 1000)).toBe(false);
    brackets.followClose(0, 90, 1000);
    expect(levelOf(brackets.of({ instrumentIndex: 0, id: 1 })!)).toBe(105);
  });

  it('brackets follow a closed row after a restart as they did when it closed', () => {
    const brackets = new Brackets(1);
    for (const [id, armedMs] of [[1, 1000], [2, 1500], [3, 2500]] as const) brackets.arm(entry(id, 0, 10), 100, 91, armedMs); // prettier-ignore
    brackets.followAgain(0, { high: 115, low: 85, close: 100 }, 1000, 2000);
    expect([1, 2, 3].map((id) => brackets.of({ instrumentIndex: 0, id })!.bestTicks)).toEqual([115, 100, 91]);
  });

  it('brackets with two stops use the nearer one', () => {
    const brackets = new Brackets(1);
    brackets.arm(entry(1, 95, 10), 100, 100, 0);
    brackets.arm(entry(2, 103, 10, 'sell'), 100, 100, 0);
    expect([1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!))).toEqual([95, 103]);
  });

  it('brackets grow with each fill of their entry, shrink with their legs, and end with the last lot', () => {
    const brackets = new Brackets(1);
    const order = entry(1, 90);
    brackets.arm(order, 40, 100, 0);
    brackets.arm(order, 60, 101, 0);
    const bracket = brackets.of(order)!;
    expect(bracket).toMatchObject({ lots: 100, entryTicks: 100 });
    brackets.reduce(bracket, 99);
    expect([brackets.waiting(0), brackets.total]).toEqual([1, 1]);
    brackets.reduce(bracket, 1);
    expect([brackets.waiting(0), brackets.total, brackets.of(order)]).toEqual([0, 0, undefined]);
    expect(() => brackets.remove(bracket)).toThrow(InvariantError);
  });

  it('brackets are dropped by strategy, and restored into the bracket of the same entry', () => {
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

describe('rows that stay between the nearest stops', () => {
  /** Returns the ids of the brackets that a row triggers, by checking every bracket. */
  function expectedIds(list: readonly Bracket[], high: number, low: number, sinceMs: number): number[] {
    const level = ({ isLong, stopTicks, trailingTicks, bestTicks }: Bracket): number => {
      const trail = isLong ? bestTicks - trailingTicks : bestTicks + trailingTicks;
      if (trailingTicks === 0) return isLong || stopTicks > 0 ? stopTicks : Infinity;
      return isLong ? Math.max(stopTicks, trail) : Math.min(stopTicks > 0 ? stopTicks : Infinity, trail);
    };
    return list
      .filter((bracket) => bracket.armedMs >= sinceMs && (bracket.isLong ? low <= level(bracket) : high >= level(bracket)))
      .map(({ entryId: id }) => id);
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('rows trigger the same brackets as a check of every stop (seed %i)', (seed) => {
    const rng = seededRng(seed);
    const drawInteger = (from: number, to: number): number => from + Math.floor(rng.next() * (to - from + 1));
    const brackets = new Brackets(2);
    let [price, id, triggered] = [1000, 0, 0];
    for (let row = 0; row < 3000; row++) {
      const open = price + drawInteger(-2, 2);
      const [high, low] = [open + drawInteger(0, 6), open - drawInteger(0, 6)];
      const close = drawInteger(low, high);
      if (rng.next() < 0.2) {
        const side = rng.next() < 0.7 ? 'buy' : 'sell';
        const distance = drawInteger(0, 60) * (side === 'buy' ? -1 : 1);
        const stop = rng.next() < 0.1 ? 0 : price + distance;
        brackets.arm(entry(++id, stop, seed % 2 === 0 && rng.next() < 0.05 ? drawInteger(1, 20) : 0, side), 10, price, row * 10);
      }
      const list = brackets.list(0);
      if (list.length > 0 && rng.next() < 0.05) brackets.moveStop(list[drawInteger(0, list.length - 1)]!, price + drawInteger(-60, 60));
      if (list.length > 0 && rng.next() < 0.03) brackets.remove(list[drawInteger(0, list.length - 1)]!);
      if (rng.next() < 0.001) brackets.drop(0, 0, rng.next() < 0.5);
      expect(brackets.reachedCount(0, high, low)).toBe(expectedIds(list, high, low, -Infinity).length);
      const isTrailed = list.some(
        ({ trailingTicks, isLong, bestTicks }) => trailingTicks > 0 && (isLong ? high > bestTicks : low < bestTicks),
      );
      const isQuiet = expectedIds(list, high, low, -Infinity).length === 0 && !isTrailed;
      const range = brackets.quietRange(0);
      range.forgetQuietRows();
      const [highs, lows] = [Float64Array.of(high / 100), Float64Array.of(low / 100)];
      expect(range.firstChangingRow(highs, lows, 100, 0, 1), `seed ${seed}, row ${row}`).toBe(isQuiet ? 1 : 0);
      for (const [top, bottom, sinceMs] of [
        [open, open, null],
        [high, low, -Infinity],
        [high, low, row * 10],
      ] as const) {
        const expected = expectedIds(list, top, bottom, sinceMs ?? -Infinity);
        const returned: Bracket[] = [];
        const act = (hit: (bracket: Bracket, at: number) => void): void =>
          sinceMs === null ? brackets.triggerAtOpen(0, open, hit) : brackets.triggerInRow(0, high, low, sinceMs, hit);
        // Some brackets sell. Others cannot yet, and return to the end of the list.
        const triggeredIds: number[] = [];
        act((bracket) => {
          triggeredIds.push(bracket.entryId);
          if (rng.next() < 0.3) return;
          brackets.remove(bracket);
          if (rng.next() < 0.5) returned.push(bracket);
        });
        expect(triggeredIds, `seed ${seed}, row ${row}`).toEqual(expected);
        triggered += triggeredIds.length;
        for (const bracket of returned) brackets.restore(bracket);
      }
      if (brackets.follow(0, high, low, row * 10 - 1)) brackets.followClose(0, close, row * 10 - 1);
      price = close;
    }
    expect(triggered).toBeGreaterThan(500);
  });
});
