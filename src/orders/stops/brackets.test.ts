// Tests at which levels brackets stand, which brackets a row triggers, and how trailing stops follow the price. Every test uses instrument 0.

import { describe, expect, it } from 'vitest';
import { lots, ticks } from '../../base/brand.ts';
import { seededRng } from '../../base/number/rng.ts';
import { InvariantError } from '../../base/errors.ts';
import type { Side } from '../../model/order.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { Brackets, levelOf, type Bracket } from './brackets.ts';
import { BotOrder } from '../botOrder.ts';

const BTC = spotInstrument();

/** The terms of an entry. Prices are in ticks. `stop` and `trailing`: 0 for none. */
interface EntryTerms {
  readonly id: number;
  readonly stop?: number;
  readonly trailing?: number;
  readonly side?: Side;
  readonly strategy?: number;
}

/** Returns an entry of 100 lots with a stop. */
function entryOf({ id, stop = 0, trailing = 0, side = 'buy', strategy = 0 }: EntryTerms): BotOrder {
  const order = new BotOrder();
  order.begin(id, strategy, BTC, 0, side, 0);
  order.lots = lots(100);
  order.stopLoss = ticks(stop);
  order.trailing = ticks(trailing);
  return order;
}

/** A fill of an entry. `isChasing`: the price reached the entry by moving in its favour. */
interface EntryFill {
  readonly size?: number;
  readonly entryTicks?: number;
  readonly armedMs?: number;
  readonly isChasing?: boolean;
}

/** Arms the bracket of a new entry by one fill. */
function armEntry(brackets: Brackets, terms: EntryTerms, fill: EntryFill = {}): void {
  const { size = 100, entryTicks = 100, armedMs = 0, isChasing = false } = fill;
  brackets.arm(entryOf(terms), size, entryTicks, armedMs, isChasing);
}

/** Makes trailing stops follow a row that has closed. True when an entry filled inside the row. */
const followRow = (brackets: Brackets, { high, low, openMs }: { high: number; low: number; openMs: number }): boolean =>
  brackets.follow(0, high, low, openMs);

/** Returns the id of the entry and the price of each bracket that a row triggers. `armedSinceMs`: only brackets armed at or after this time. */
const triggersInRow = (brackets: Brackets, row: { high: number; low: number; armedSinceMs?: number }): [number, number][] =>
  triggersOf((hit) => brackets.triggerInRow(0, row.high, row.low, row.armedSinceMs ?? -Infinity, hit));

/** Returns the id of the entry and the price of each bracket that the open of a row triggers. */
const triggersAtOpen = (brackets: Brackets, open: number): [number, number][] => triggersOf((hit) => brackets.triggerAtOpen(0, open, hit));

/** Returns the id of the entry and the price of each bracket that `act` triggers. */
function triggersOf(act: (hit: (bracket: Bracket, price: number) => void) => void): [number, number][] {
  const triggeredPrices: [number, number][] = [];
  act((bracket, price) => triggeredPrices.push([bracket.entryId, price]));
  return triggeredPrices;
}

describe('Brackets', () => {
  it('brackets of a long trigger at or below their level, and those of a short at or above it', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, stop: 90 });
    armEntry(brackets, { id: 2, stop: 110, side: 'sell' });
    expect(triggersInRow(brackets, { high: 109, low: 91 })).toEqual([]);
    expect(triggersInRow(brackets, { high: 110, low: 90 })).toEqual([[1, 90], [2, 110]]); // prettier-ignore
    expect(triggersAtOpen(brackets, 85)).toEqual([[1, 85]]);
    expect(triggersAtOpen(brackets, 115)).toEqual([[2, 115]]);
    expect(triggersAtOpen(brackets, 100)).toEqual([]);
  });

  it('a check of the brackets that were armed inside a row triggers no older bracket', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, stop: 90 }, { armedMs: 1000 });
    armEntry(brackets, { id: 2, stop: 90 }, { armedMs: 2000 });
    expect(triggersInRow(brackets, { high: 100, low: 80, armedSinceMs: 2000 }).map(([id]) => id)).toEqual([2]);
  });

  it('a stop beyond the entry price triggers at the entry price in the row that armed it, and at its own in later rows', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, stop: 103 }, { armedMs: 2000 });
    armEntry(brackets, { id: 2, stop: 97, side: 'sell' }, { armedMs: 2000 });
    expect(triggersInRow(brackets, { high: 106, low: 95, armedSinceMs: 2000 })).toEqual([[1, 100], [2, 100]]); // prettier-ignore
    expect(triggersInRow(brackets, { high: 106, low: 95 })).toEqual([[1, 103], [2, 97]]); // prettier-ignore
  });

  it('brackets trail the best price of closed rows', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, trailing: 10 });
    armEntry(brackets, { id: 2, trailing: 10, side: 'sell' });
    const levels = () => [1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!));
    expect(levels()).toEqual([90, 110]);
    expect(followRow(brackets, { high: 120, low: 95, openMs: 0 })).toBe(false);
    expect(levels()).toEqual([110, 105]);
    followRow(brackets, { high: 110, low: 99, openMs: 0 });
    expect(levels()).toEqual([110, 105]);
  });

  it('brackets of an entry inside a row trail the close of that row, and the best price of later rows', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, trailing: 10 }, { entryTicks: 91, armedMs: 2000 });
    armEntry(brackets, { id: 2, trailing: 10, side: 'sell' }, { entryTicks: 109, armedMs: 2000 });
    const levels = () => [1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!));
    expect(followRow(brackets, { high: 115, low: 85, openMs: 1000 })).toBe(true);
    expect(levels()).toEqual([81, 119]);
    brackets.followClose(0, 100, 1000);
    expect(levels()).toEqual([90, 110]);
    expect(followRow(brackets, { high: 105, low: 95, openMs: 2000 })).toBe(false);
    expect(levels()).toEqual([95, 105]);
  });

  it('brackets of an entry that filled as the price moved in its favour trail the best price of its own row', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, trailing: 10 }, { entryTicks: 101, armedMs: 2000, isChasing: true });
    expect(followRow(brackets, { high: 115, low: 85, openMs: 1000 })).toBe(false);
    brackets.followClose(0, 90, 1000);
    expect(levelOf(brackets.of({ instrumentIndex: 0, id: 1 })!)).toBe(105);
  });

  it('brackets follow a closed row after a restart as they did when it closed', () => {
    const brackets = new Brackets(1);
    for (const [id, armedMs] of [[1, 1000], [2, 1500], [3, 2500]] as const) armEntry(brackets, { id, trailing: 10 }, { entryTicks: 91, armedMs }); // prettier-ignore
    brackets.followAgain(0, { high: 115, low: 85, close: 100 }, 1000, 2000);
    expect([1, 2, 3].map((id) => brackets.of({ instrumentIndex: 0, id })!.bestTicks)).toEqual([115, 100, 91]);
  });

  it('brackets with two stops use the nearer one', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, stop: 95, trailing: 10 });
    armEntry(brackets, { id: 2, stop: 103, trailing: 10, side: 'sell' });
    expect([1, 2].map((id) => levelOf(brackets.of({ instrumentIndex: 0, id })!))).toEqual([95, 103]);
  });

  it('a bracket has the lots of all fills of its entry, and ends when its legs have closed the last lot', () => {
    const brackets = new Brackets(1);
    const order = entryOf({ id: 1, stop: 90 });
    const firstFill = { lots: 40, price: 100 };
    const secondFill = { lots: 60, price: 101 };
    brackets.arm(order, firstFill.lots, firstFill.price, 0);
    brackets.arm(order, secondFill.lots, secondFill.price, 0);
    const bracket = brackets.of(order)!;
    expect(bracket).toMatchObject({ lots: 100, entryTicks: 100 });
    brackets.reduce(bracket, 99);
    expect([brackets.waiting(0), brackets.total]).toEqual([1, 1]);
    brackets.reduce(bracket, 1);
    expect([brackets.waiting(0), brackets.total, brackets.of(order)]).toEqual([0, 0, undefined]);
    expect(() => brackets.remove(bracket)).toThrow(InvariantError);
  });

  it('`drop` ends the brackets of one strategy only', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 1, stop: 90 });
    armEntry(brackets, { id: 2, stop: 90, strategy: 1 }, { size: 50 });
    const bracket = brackets.of({ instrumentIndex: 0, id: 2 })!;
    brackets.drop(0, 0);
    expect([brackets.total, brackets.of({ instrumentIndex: 0, id: 1 })]).toEqual([1, undefined]);
    expect(brackets.of({ instrumentIndex: 0, id: 2 })).toBe(bracket);
  });

  it('a restored bracket is added to the bracket of the same entry, if there is one', () => {
    const brackets = new Brackets(1);
    armEntry(brackets, { id: 2, stop: 90 }, { size: 50 });
    const bracket = brackets.of({ instrumentIndex: 0, id: 2 })!;
    brackets.restore({ ...bracket, lots: 25 });
    expect([brackets.total, bracket.lots]).toEqual([1, 75]);
    brackets.remove(bracket);
    brackets.restore(bracket);
    expect(brackets.of({ instrumentIndex: 0, id: 2 })).toBe(bracket);
  });
});

describe('rows that stay between the nearest stops', () => {
  /** Returns the ids of the entries whose brackets a row triggers, by a check of every bracket. */
  function idsByFullCheck(allBrackets: readonly Bracket[], high: number, low: number, sinceMs: number): number[] {
    const level = ({ isLong, stopTicks, trailingTicks, bestTicks }: Bracket): number => {
      const trail = isLong ? bestTicks - trailingTicks : bestTicks + trailingTicks;
      if (trailingTicks === 0) return isLong || stopTicks > 0 ? stopTicks : Infinity;
      return isLong ? Math.max(stopTicks, trail) : Math.min(stopTicks > 0 ? stopTicks : Infinity, trail);
    };
    return allBrackets
      .filter((bracket) => bracket.armedMs >= sinceMs && (bracket.isLong ? low <= level(bracket) : high >= level(bracket)))
      .map(({ entryId: id }) => id);
  }

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('rows trigger the same brackets as a check of every stop (seed %i)', (seed) => {
    const rng = seededRng(seed);
    const drawInteger = (from: number, to: number): number => from + Math.floor(rng.next() * (to - from + 1));
    const brackets = new Brackets(2);
    let price = 1000;
    let lastId = 0;
    let triggeredCount = 0;
    for (let row = 0; row < 3000; row++) {
      const open = price + drawInteger(-2, 2);
      const [high, low] = [open + drawInteger(0, 6), open - drawInteger(0, 6)];
      const close = drawInteger(low, high);
      if (rng.next() < 0.2) {
        const side = rng.next() < 0.7 ? 'buy' : 'sell';
        const distance = drawInteger(0, 60) * (side === 'buy' ? -1 : 1);
        const stop = rng.next() < 0.1 ? 0 : price + distance;
        const trailing = seed % 2 === 0 && rng.next() < 0.05 ? drawInteger(1, 20) : 0;
        armEntry(brackets, { id: ++lastId, stop, trailing, side }, { size: 10, entryTicks: price, armedMs: row * 10 });
      }
      const allBrackets = brackets.list(0);
      if (allBrackets.length > 0 && rng.next() < 0.05)
        brackets.moveStop(allBrackets[drawInteger(0, allBrackets.length - 1)]!, price + drawInteger(-60, 60));
      if (allBrackets.length > 0 && rng.next() < 0.03) brackets.remove(allBrackets[drawInteger(0, allBrackets.length - 1)]!);
      if (rng.next() < 0.001) {
        const dropsLongs = rng.next() < 0.5;
        brackets.drop(0, 0, dropsLongs);
      }
      expect(brackets.reachedCount(0, high, low)).toBe(idsByFullCheck(allBrackets, high, low, -Infinity).length);
      const isTrailed = allBrackets.some(
        ({ trailingTicks, isLong, bestTicks }) => trailingTicks > 0 && (isLong ? high > bestTicks : low < bestTicks),
      );
      const changesNothing = idsByFullCheck(allBrackets, high, low, -Infinity).length === 0 && !isTrailed;
      const quietRange = brackets.quietRange(0);
      quietRange.forgetQuietRows();
      const [highs, lows] = [Float64Array.of(high / 100), Float64Array.of(low / 100)];
      expect(quietRange.firstChangingRow(highs, lows, 100, 0, 1), `seed ${seed}, row ${row}`).toBe(changesNothing ? 1 : 0);
      for (const [highest, lowest, sinceMs] of [
        [open, open, null],
        [high, low, -Infinity],
        [high, low, row * 10],
      ] as const) {
        const expected = idsByFullCheck(allBrackets, highest, lowest, sinceMs ?? -Infinity);
        const returned: Bracket[] = [];
        const act = (hit: (bracket: Bracket, at: number) => void): void =>
          sinceMs === null ? brackets.triggerAtOpen(0, open, hit) : brackets.triggerInRow(0, high, low, sinceMs, hit);
        // Some brackets stay in the list when they trigger, some are closed, and some are removed and return to the end of the allBrackets.
        const triggeredIds: number[] = [];
        act((bracket) => {
          triggeredIds.push(bracket.entryId);
          if (rng.next() < 0.3) return;
          brackets.remove(bracket);
          if (rng.next() < 0.5) returned.push(bracket);
        });
        expect(triggeredIds, `seed ${seed}, row ${row}`).toEqual(expected);
        triggeredCount += triggeredIds.length;
        for (const bracket of returned) brackets.restore(bracket);
      }
      if (brackets.follow(0, high, low, row * 10 - 1)) brackets.followClose(0, close, row * 10 - 1);
      price = close;
    }
    expect(triggeredCount).toBeGreaterThan(500);
  });
});
