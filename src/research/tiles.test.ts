// Tasks of a sweep: each set in exactly one, none too large, and neighbours together so that they share indicators.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { int } from '../strategy/params.ts';
import { parseGrid, setsOf } from './grid.ts';
import { taskSize, tasksOf, tilesOf } from './tiles.ts';

const SPECS = { fast: int(1), slow: int(1), stop: int(1) };
const axesOf = (...sizes: readonly number[]) =>
  parseGrid(
    ['fast', 'slow', 'stop'].slice(0, sizes.length).map((name, at) => `${name}=1..${sizes[at]}`),
    SPECS,
  );

it('puts every set into exactly one task of at most the wanted size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (sizes, random, size) => {
        const axes = axesOf(...sizes);
        const sets = setsOf(axes, random, 7);
        const tiles = tilesOf(axes, sets, size);
        expect(tiles.flat().toSorted((a, b) => a - b)).toEqual(sets.map((_, at) => at));
        expect(Math.max(...tiles.map(({ length }) => length))).toBeLessThanOrEqual(size);
        expect(tiles.length).toBeLessThanOrEqual(2 * Math.ceil(sets.length / size));
      },
    ),
  );
});

it('makes compact blocks: 200 sets of 20 by 10 in tasks of 25 need few windows each', () => {
  const axes = axesOf(20, 10);
  const sets = setsOf(axes, null, 1);
  for (const tile of tilesOf(axes, sets, 25)) {
    const windows = new Set(tile.flatMap((at) => [`fast ${sets[at]?.['fast']}`, `slow ${sets[at]?.['slow']}`]));
    expect(windows.size).toBeLessThanOrEqual(11);
  }
});

it('plans tasks of at least 5 ms and at most some seconds', () => {
  expect(taskSize(200, 1_000_000, 2)).toBe(25);
  expect(taskSize(10_000, 10_000, 2)).toBe(256);
  expect(taskSize(200, 50_000_000, 2)).toBe(2);
  expect(taskSize(10, 100, 8)).toBeGreaterThanOrEqual(10);
});

it('hands out smaller tasks at the end, each set still once', () => {
  const axes = axesOf(20, 10);
  const sets = setsOf(axes, null, 1);
  const tasks = tasksOf(axes, sets, 1_000_000, 2);
  const sizes = tasks.map(({ length }) => length);
  expect(tasks.flat().toSorted((a, b) => a - b)).toEqual(sets.map((_, at) => at));
  expect(sizes.slice(0, 4)).toEqual([25, 25, 25, 25]);
  expect(Math.max(...sizes.slice(-8))).toBeLessThanOrEqual(7);
  expect(Math.max(...sizes.slice(4, -8))).toBeLessThanOrEqual(13);
  // One thread waits for nobody.
  expect(tasksOf(axes, sets, 1_000_000, 1).map(({ length }) => length)).toEqual([50, 50, 50, 50]);
  // What is over at once is not parted.
  expect(tasksOf(axes, sets, 100, 8)).toHaveLength(1);
});
