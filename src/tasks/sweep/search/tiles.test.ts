// Tests the tasks of a sweep: each set in exactly one, none too large, and neighbours together so that they share indicators.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { int } from '../../../strategy/params.ts';
import { parseGrid, setsOf } from '../../trials/paramGrid.ts';
import { tasksOf, tilesOf } from './tiles.ts';

const SPECS = { fast: int(1), slow: int(1), stop: int(1) };
const axesOf = (...sizes: readonly number[]) =>
  parseGrid(
    ['fast', 'slow', 'stop'].slice(0, sizes.length).map((name, axisIndex) => `${name}=1..${sizes[axisIndex]}`),
    SPECS,
  );

it('every set of a sweep is in exactly one task of at most the given size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (sizes, drawCount, size) => {
        const axes = axesOf(...sizes);
        const sets = setsOf(axes, drawCount, 7);
        const tiles = tilesOf(axes, sets, size);
        expect(tiles.flat().toSorted((a, b) => a - b)).toEqual(sets.map((_, setIndex) => setIndex));
        expect(Math.max(...tiles.map(({ length }) => length))).toBeLessThanOrEqual(size);
        expect(tiles.length).toBeLessThanOrEqual(2 * Math.ceil(sets.length / size));
      },
    ),
  );
});

it('a task of 25 sets of a 20 by 10 grid needs at most 11 different windows', () => {
  const axes = axesOf(20, 10);
  const sets = setsOf(axes, null, 1);
  for (const tile of tilesOf(axes, sets, 25)) {
    const windows = new Set(tile.flatMap((setIndex) => [`fast ${sets[setIndex]?.['fast']}`, `slow ${sets[setIndex]?.['slow']}`]));
    expect(windows.size).toBeLessThanOrEqual(11);
  }
});

const sizesOf = (tasks: readonly (readonly number[])[]) => tasks.map(({ length }) => length);

it('tasks become smaller towards the end of a sweep, and each set is in one task', () => {
  const axes = axesOf(20, 10);
  const sets = setsOf(axes, null, 1);
  const tasks = tasksOf(axes, sets, 1_000_000, 2);
  expect(tasks.flat().toSorted((a, b) => a - b)).toEqual(sets.map((_, setIndex) => setIndex));
  const sizes = sizesOf(tasks);
  expect(sizes.slice(0, 6)).toEqual([25, 25, 25, 25, 25, 25]);
  expect(Math.max(...sizes.slice(6))).toBeLessThanOrEqual(17);
  expect(Math.max(...sizes.slice(-2))).toBeLessThanOrEqual(3);
  const windows = tasks.flatMap((task) => [
    ...new Set(task.flatMap((setIndex) => [`fast ${sets[setIndex]?.['fast']}`, `slow ${sets[setIndex]?.['slow']}`])),
  ]);
  expect(windows.length).toBeLessThanOrEqual(94);
  // With one thread no other waits at the end, so all tasks keep their size.
  expect(sizesOf(tasksOf(axes, sets, 1_000_000, 1))).toEqual(Array.from({ length: 8 }, () => 25));
});

it('tasks take at least 5 ms, have at most 256 sets, and have fewer sets over more rows', () => {
  const axes = axesOf(20, 10);
  const sets = setsOf(axes, null, 1);
  // A task that ends at once is not split.
  expect(tasksOf(axes, sets, 100, 8)).toHaveLength(1);
  expect(Math.max(...sizesOf(tasksOf(axes, sets, 50_000_000, 2)))).toBe(2);
  const largeAxes = axesOf(100, 100);
  const sizes = sizesOf(tasksOf(largeAxes, setsOf(largeAxes, null, 1), 1000, 2));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256);
  expect(Math.min(...sizes.slice(0, 30))).toBeGreaterThanOrEqual(200);
  // Over 10,000 rows, 34 sets take 5 ms. Over a million rows, one set takes longer, and a task holds as many sets as stay in a cache.
  expect(Math.max(...sizesOf(tasksOf(largeAxes, setsOf(largeAxes, null, 1), 10_000, 2)))).toBe(34);
  expect(Math.max(...sizesOf(tasksOf(largeAxes, setsOf(largeAxes, null, 1), 1_000_000, 2)))).toBe(28);
});

it('every worker gets a task if there are enough sets, and no set is in two tasks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 16 }),
      (fastCount, slowCount, workers) => {
        const axes = axesOf(fastCount, slowCount);
        const sets = setsOf(axes, null, 1);
        const tasks = tasksOf(axes, sets, 1_000_000, workers);
        expect(tasks.flat().toSorted((x, y) => x - y)).toEqual(sets.map((_, setIndex) => setIndex));
        expect(tasks.length).toBeGreaterThanOrEqual(Math.min(workers, Math.ceil(sets.length / 2)));
        expect(Math.max(...sizesOf(tasks))).toBeLessThanOrEqual(Math.ceil(sets.length / workers));
      },
    ),
  );
});
