// Tests that a table in a strategy's file is found if it follows the moves of the price (from bar to bar, or by day), and not otherwise.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { emptyBars } from '../../../../test/fixtures/syntheticBars.ts';
import { embeddedMoves } from './embeddedMoves.ts';

const ROWS = 8000;
const HOUR_MS = 3_600_000;
const rng = seededRng(29);
const close = new Float64Array(ROWS);
for (let row = 0; row < ROWS; row++) close[row] = (row === 0 ? 20_000 : close[row - 1]!) * (1 + 0.02 * (rng.next() - 0.5));
const open = Float64Array.from(close, (price, row) => (row === 0 ? price : close[row - 1]!));
const openMs = Float64Array.from({ length: ROWS }, (_, row) => Date.UTC(2023, 0, 1) + row * HOUR_MS);
const empty = emptyBars(ROWS);
const bars = {
  ...empty,
  instrument: { wireName: 'BTCUSDT' },
  interval: '1h',
  openMs,
  closeMs: openMs.map((ms) => ms + HOUR_MS),
  open,
  high: open.map((price, row) => Math.max(price, close[row]!)),
  low: open.map((price, row) => Math.min(price, close[row]!)),
  close,
  volume: Float64Array.from({ length: ROWS }, () => Math.round(1000 * rng.next())),
};
// The search reads only the feeds of a plan.
const plan = { feeds: [{ bars }] } as unknown as RunPlan;
const folder = mkdtempSync(join(tmpdir(), 'isobar-moves-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Returns the time of the first row of a table in a file with this text; null without a table. */
function firstTimeIn(text: string): string | null {
  const file = join(folder, 'strategy.ts');
  writeFileSync(file, text);
  return embeddedMoves(plan, [file])?.first?.time ?? null;
}

/** True when the price rises from the close of `row` to the close `distance` bars later. */
const isUp = (row: number, distance: number): boolean => close[row + distance]! > close[row]!;

const randomWeights = (count: number): number[] => Array.from({ length: count }, () => rng.next() - 0.5);

function runningSums(numbers: readonly number[]): number[] {
  let sum = 0;
  return numbers.map((number) => (sum += number));
}

function isPrime(number: number): boolean {
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) return false;
  return true;
}

describe('embeddedMoves', () => {
  test('embeddedMoves finds the days that rose among all rows, where a sample of the rows has too few days', () => {
    const sample = { feeds: [{ bars: { ...bars, length: 1021 } }] } as unknown as RunPlan;
    const days = Array.from({ length: 200 }, (_, day) => day).filter((day) => close[24 * day + 23]! > open[24 * day]!);
    const file = join(folder, 'days.ts');
    writeFileSync(file, `new Set([${days.map((day) => `'${new Date(openMs[24 * day]!).toISOString().slice(0, 10)}'`).join(', ')}])`);
    expect(embeddedMoves(sample, [file])).toBeNull();
    expect(embeddedMoves(sample, [file], undefined, plan)?.first?.time).toMatch(/^2023-01-/);
  });

  test('embeddedMoves computes the moves and days of a feed only once for several files, and reports each file and feed', () => {
    const file = join(folder, 'weights.ts');
    writeFileSync(file, `[${randomWeights(200).join(', ')}]`);
    let reads = 0;
    const countedTimes = new Proxy(openMs, {
      get: (times, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(times, key) as unknown;
      },
    });
    const countedPlan = (): RunPlan => ({ feeds: [{ bars: { ...bars, openMs: countedTimes } }] }) as unknown as RunPlan;
    const countsFor = (files: readonly string[]): { readonly reads: number; readonly progress: number } => {
      reads = 0;
      let progress = 0;
      embeddedMoves(countedPlan(), files, undefined, countedPlan(), () => progress++);
      return { reads, progress };
    };
    const ofOneFile = countsFor([file]);
    expect(ofOneFile.progress).toBe(2);
    expect(countsFor([file, file, file])).toEqual({ reads: ofOneFile.reads, progress: 6 });
  });

  test.each([2, 5, 24, 96])('embeddedMoves finds a sign for each bar that says whether the price rises over %i bars', (distance) => {
    const bits = Array.from({ length: 3000 }, (_, row) => (isUp(row, distance) ? '1' : '0')).join('');
    expect(firstTimeIn(`export default '${bits}';`)).not.toBeNull();
  });

  test('embeddedMoves finds logarithms of moves over three bars in another unit', () => {
    const moves = Array.from({ length: 3000 }, (_, row) => Math.round(Math.log(close[row + 3]! / close[row]!) * 1e6));
    expect(firstTimeIn(`[${moves.join(',')}]`)).toBe('2023-01-01T01:00:00.000Z');
  });

  test.each<[string, (row: number) => number]>([
    ['midpoints of high and low', (row) => (bars.high[row]! + bars.low[row]!) / 2],
    ['typical prices', (row) => (bars.high[row]! + bars.low[row]! + close[row]!) / 3],
    ['volumes', (row) => bars.volume[row]!],
  ])('embeddedMoves finds a table of %s', (_, valueAt) => {
    const values = Array.from({ length: 2000 }, (_value, row) => valueAt(row));
    expect(firstTimeIn(`[${values.join(', ')}]`)).not.toBeNull();
  });

  test('embeddedMoves finds a list of the days that rise', () => {
    const days = Array.from({ length: 300 }, (_, day) => day).filter((day) => close[day * 24 + 23]! > open[day * 24]!);
    expect(firstTimeIn(`new Set([${days.join(', ')}])`)).not.toBeNull();
  });

  test.each([
    ['a rising line', Array.from({ length: 400 }, (_, index) => index - 200)],
    ['a square wave', Array.from({ length: 2000 }, (_, index) => (index % 24 < 12 ? 1 : -1))],
    ['a slow wave', Array.from({ length: 4000 }, (_, index) => Math.sin(index / 40))],
    ['waves', Array.from({ length: 4000 }, (_, index) => Math.sin(index / 3) + Math.sin(index / 11.3))],
    ['random weights', randomWeights(4000)],
    ['sums of random weights', runningSums(randomWeights(4000))],
    ['numbers of work days', Array.from({ length: 700 }, (_, day) => day).filter((day) => day % 7 < 5)],
    ['primes', Array.from({ length: 3000 }, (_, index) => index + 2).filter(isPrime)],
  ])('embeddedMoves finds no moves in %s', (_, numbers) => {
    expect(firstTimeIn(`[${numbers.join(', ')}]`)).toBeNull();
  });
});
