// Tests that lists of the lows and highs of the run's bars are found in a strategy's file, and that other lists of times are not.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { emptyBars } from '../../../../test/fixtures/syntheticBars.ts';
import { listedTurns } from './listedTurns.ts';

const ROWS = 6000;
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2023, 0, 1);
const rng = seededRng(31);
const close = new Float64Array(ROWS);
for (let row = 0; row < ROWS; row++) close[row] = (row === 0 ? 20_000 : close[row - 1]!) * (1 + 0.02 * (rng.next() - 0.5));
const openMs = Float64Array.from({ length: ROWS }, (_, row) => FIRST_MS + row * HOUR_MS);
const bars = {
  ...emptyBars(ROWS),
  instrument: { wireName: 'BTCUSDT' },
  interval: '1h',
  openMs,
  closeMs: openMs.map((ms) => ms + HOUR_MS),
  open: close,
  high: close.map((price) => price * (1 + 0.003 * rng.next())),
  low: close.map((price) => price * (1 - 0.003 * rng.next())),
  close,
};
const plan = { feeds: [{ bars }] } as unknown as RunPlan;
const folder = mkdtempSync(join(tmpdir(), 'isobar-turns-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

// Every 150th bar is one after news: its range covers the bars on both sides.
const newsRows = Array.from({ length: 39 }, (_, event) => 150 * (event + 1));
const newsBars = { ...bars, high: bars.high.slice(), low: bars.low.slice() };
for (const row of newsRows) {
  newsBars.high[row]! *= 1.1;
  newsBars.low[row]! *= 0.9;
}

/** Returns the first turn of a list in a file with this text; null without a list of turns. */
function foundIn(text: string, ofPlan = plan): string | null {
  const file = join(folder, 'strategy.ts');
  writeFileSync(file, text);
  return listedTurns(ofPlan, [file])?.first?.time ?? null;
}

/** Returns the rows whose value is the highest (`sign` 1) or lowest (-1) of `wing` rows on both sides. */
function turnsOf(values: Float64Array, sign: 1 | -1, wing: number): number[] {
  return Array.from({ length: values.length - 2 * wing }, (_, index) => index + wing).filter((row) => {
    const window = values.subarray(row - wing, row + wing + 1).map((value) => sign * value);
    return Math.max(...window) === sign * values[row]!;
  });
}

const iso = (ms: number, length: number): string => `'${new Date(ms).toISOString().slice(0, length)}'`;
const openOf = (row: number): number => FIRST_MS + row * HOUR_MS;
const closeLows = turnsOf(close, -1, 12).slice(0, 40);
const highs = turnsOf(bars.high, 1, 6).slice(0, 60);
const zigzag = [...turnsOf(close, -1, 10), ...turnsOf(close, 1, 10)].toSorted((one, next) => one - next).slice(0, 60);

describe('listedTurns', () => {
  test.each([
    ['opens of bars with the lowest close', `[${closeLows.map((row) => iso(openOf(row), 13)).join(', ')}]`],
    ['closes of bars with the highest high', `[${highs.map((row) => iso(openOf(row + 1), 16)).join(', ')}]`],
    [
      'times of entries and exits in turn',
      `[${zigzag.map((row, index) => `{ at: ${iso(openOf(row), 24)}, side: '${index % 2 === 0 ? 'buy' : 'sell'}' }`).join(', ')}]`,
    ],
    [
      'lows among two bars on each side',
      `[${turnsOf(bars.low, -1, 2)
        .slice(0, 30)
        .map((row) => iso(openOf(row), 16))
        .join()}]`,
    ],
    ['Unix times in ms', `new Set([${closeLows.map((row) => openOf(row)).join(', ')}])`],
    ['Unix times in s', closeLows.map((row) => String(openOf(row) / 1000)).join('\n')],
    [
      'a few times that are no turns among them',
      `[${[...closeLows, 3, 500]
        .toSorted((a, b) => a - b)
        .map((row) => iso(openOf(row), 13))
        .join()}]`,
    ],
  ])('listedTurns finds %s', (_, text) => {
    expect(foundIn(text)).toMatch(/^2023-01-/);
  });

  test('listedTurns finds dates of the days with the lowest close', () => {
    const days = Float64Array.from({ length: ROWS / 24 }, (_, day) => close[24 * day + 23]!);
    const lows = [...turnsOf(days, -1, 3), ...turnsOf(days, 1, 3)].toSorted((one, next) => one - next);
    expect(lows.length).toBeGreaterThan(30);
    expect(foundIn(`[${lows.map((day) => iso(openOf(24 * day), 10)).join(', ')}]`)).toMatch(/^2023-01-/);
  });

  test.each([
    ['random times', () => Array.from({ length: 300 }, () => Math.floor(ROWS * rng.next())).toSorted((one, next) => one - next)],
    ['the same hour of each day', () => Array.from({ length: 200 }, (_, day) => 24 * day + 14)],
    ['every row', () => Array.from({ length: 600 }, (_, row) => row)],
    ['rows after a rise', () => Array.from({ length: 600 }, (_, row) => row + 1).filter((row) => close[row]! > close[row - 1]!)],
    ['too few turns', () => closeLows.slice(0, 20)],
  ])('listedTurns does not take %s for turns', (_, rows) => {
    expect(
      foundIn(
        `[${rows()
          .map((row) => iso(openOf(row), 16))
          .join(', ')}]`,
      ),
    ).toBeNull();
  });

  test('listedTurns does not take bars after news for turns, although their range makes each of them a low or a high', () => {
    const newsPlan = { feeds: [{ bars: newsBars }] } as unknown as RunPlan;
    expect(foundIn(`[${newsRows.map((row) => iso(openOf(row), 16)).join(', ')}]`, newsPlan)).toBeNull();
    expect(foundIn(`[${closeLows.map((row) => iso(openOf(row), 16)).join(', ')}]`, newsPlan)).toMatch(/^2023-01-/);
  });

  test('listedTurns groups the bars of a feed into days only once for several files, and reports each list and feed', () => {
    const file = join(folder, 'days.ts');
    writeFileSync(file, `[${Array.from({ length: 40 }, (_, day) => iso(FIRST_MS + 5 * day * 24 * HOUR_MS, 10)).join(', ')}]`);
    let reads = 0;
    const countedTimes = new Proxy(openMs, {
      get: (times, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
        return Reflect.get(times, key) as unknown;
      },
    });
    const countedPlan = { feeds: [{ bars: { ...bars, openMs: countedTimes } }] } as unknown as RunPlan;
    const countsFor = (files: readonly string[]): { readonly reads: number; readonly progress: number } => {
      reads = 0;
      let progress = 0;
      listedTurns(countedPlan, files, undefined, () => progress++);
      return { reads, progress };
    };
    const ofOneFile = countsFor([file]);
    expect(ofOneFile.progress).toBe(1);
    expect(countsFor([file, file, file])).toEqual({ reads: ofOneFile.reads, progress: 3 });
  });

  test('listedTurns does not take dates of each Friday for turns', () => {
    expect(
      foundIn(`[${Array.from({ length: 35 }, (_, week) => iso(FIRST_MS + (5 + 7 * week) * 24 * HOUR_MS, 10)).join(', ')}]`),
    ).toBeNull();
  });
});
