// Tests grids as users write them: exact decimals, both ends, seeded draws, and messages that name the error.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../base/number/decimal.ts';
import { choice, decimal, flag, float, int } from '../../strategy/params.ts';
import { gridSize, parseGrid, setsOf } from './paramGrid.ts';

const SPECS = {
  fast: int(10, { min: 1, max: 100, unit: 'bars' }),
  slow: int(30, { min: 2 }),
  width: float(2, { min: 0.1, max: 10 }),
  amount: decimal('1'),
  mode: choice(['long', 'both'], 'long'),
  strict: flag(true),
};

describe('a grid', () => {
  it.each<[string, readonly unknown[]]>([
    ['fast=5..20:5', [5, 10, 15, 20]],
    ['fast=5..19:5', [5, 10, 15]],
    ['fast=3..6', [3, 4, 5, 6]],
    ['fast=7', [7]],
    ['fast=30,10,20', [30, 10, 20]],
    ['width=0.1..0.4:0.1', [0.1, 0.2, 0.3, 0.4]],
    ['amount=0.10..0.30:0.05', ['0.1', '0.15', '0.2', '0.25', '0.3']],
    ['mode=long,both', ['long', 'both']],
    ['strict=true,false', [true, false]],
  ])('a grid reads %s', (text, values) => {
    expect(parseGrid([text], SPECS)[0]?.values).toEqual(values);
  });

  it.each([
    ['fats=1..3', /--grid fats: no such parameter, the nearest is fast/],
    ['fast=0..10:5', /--grid fast=0..10:5: expected a whole number from 1 to 100 \(bars\), got 0/],
    ['fast=1..3:0.5', /expected a whole number from 1 to 100 \(bars\), got 1.5/],
    ['fast=10..5:1', /expected from below to, got 10..5/],
    ['fast=1..9:0', /expected a step above 0/],
    ['width=1..3', /expected decimals in from..to:step/],
    ['width=a..b:c', /expected decimals in from..to:step/],
    ['mode=long,flat', /expected one of long, both, got flat/],
    ['fast=1,2,1', /expected each value once, got 1 twice/],
    ['fast=', /expected name=from..to:step or name=a,b,c/],
    ['=1', /expected name=from..to:step or name=a,b,c/],
    ['slow=2..2000000:1', /expected at most 100000 values/],
  ])('a grid is rejected: %s', (text, message) => {
    expect(() => parseGrid([text], SPECS)).toThrow(message);
  });

  it('a grid is rejected if it is empty, has a parameter twice or has too many sets', () => {
    expect(() => parseGrid([], SPECS)).toThrow(/at least one parameter/);
    expect(() => parseGrid(['fast=1,2', 'fast=3,4'], SPECS)).toThrow(/--grid fast: expected each parameter once, got it twice/);
    const large = parseGrid(['fast=1..100', 'slow=2..2001'], SPECS);
    expect(() => setsOf(large, null, 1)).toThrow(/at most 100000 sets, got 200000/);
    expect(setsOf(large, 50, 1)).toHaveLength(50);
  });

  it('a grid has exactly the values of its range, as exact decimals', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -500, max: 500 }),
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 3 }),
        (from, step, span, digits) => {
          const text = (units: number) => new Decimal(units).div(10 ** digits).toFixed();
          const [axis] = parseGrid([`amount=${text(from)}..${text(from + span)}:${text(step)}`], SPECS);
          const expected = Array.from({ length: Math.floor(span / step) + 1 }, (_, i) => text(from + i * step));
          expect(axis?.values).toEqual(expected);
        },
      ),
    );
  });

  it('a grid draws different sets, and the same ones for the same seed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer(),
        (fastCount, slowCount, drawCount, seed) => {
          const axes = parseGrid([`fast=1..${fastCount}`, `slow=2..${slowCount + 1}`], SPECS);
          const allSets = setsOf(axes, null, seed).map((set) => JSON.stringify(set));
          const drawnSets = setsOf(axes, drawCount, seed).map((set) => JSON.stringify(set));
          expect(allSets).toHaveLength(gridSize(axes));
          expect(new Set(allSets).size).toBe(allSets.length);
          expect(drawnSets).toHaveLength(Math.min(drawCount, allSets.length));
          expect(drawnSets).toEqual(allSets.filter((set) => drawnSets.includes(set)));
          expect(setsOf(axes, drawCount, seed).map((set) => JSON.stringify(set))).toEqual(drawnSets);
        },
      ),
    );
  });

  it('a grid draws other sets for another seed, also from a grid too large to list', () => {
    const axes = parseGrid(['fast=1..100', 'slow=2..99999', 'width=0.1..9.9:0.001'], SPECS);
    expect(gridSize(axes)).toBeGreaterThan(9e10);
    const firstDraw = setsOf(axes, 200, 1);
    const otherDraw = setsOf(axes, 200, 2);
    expect(new Set(firstDraw.map((set) => JSON.stringify(set))).size).toBe(200);
    expect(firstDraw).not.toEqual(otherDraw);
  });
});
