// The funding rates with which a bot begins: its own before those of the catalog, none of the future, and missing ones as NaN.

import { describe, expect, test } from 'vitest';
import { spot } from '../../../../test/simulation/plans.ts';
import { gridTimes, joinRates, missingRates, rateFrom, rateText } from './fundingRates.ts';

const HOUR = 3_600_000;
const PERIOD = 8 * HOUR;
const DAY = Date.UTC(2026, 0, 5);
const at = (hours: number): number => DAY + hours * HOUR;
const ratesOf = (...rows: readonly (readonly [number, number])[]) => ({
  length: rows.length,
  timeMs: Float64Array.from(rows, ([timeMs]) => timeMs),
  rate: Float64Array.from(rows, ([, rate]) => rate),
});
const join = (journal: readonly (readonly [number, string | null])[], catalog: ReturnType<typeof ratesOf> | null, atMs: number) => {
  const { times, rates } = joinRates(new Map(journal), catalog, { atMs, periodMs: PERIOD });
  return times.map((timeMs, row) => [(timeMs - DAY) / HOUR, rates[row]]);
};

describe('rates of a start', () => {
  const catalog = ratesOf([at(0) + 5, 0.0001], [at(8), 0.0002], [at(16) + 9, 0.0003], [at(24), 0.0004]);

  test('rates of a start are those of the catalog up to now, at their own times', () => {
    expect(join([], catalog, at(20))).toEqual([[5 / HOUR, 0.0001], [8, 0.0002], [16 + 9 / HOUR, 0.0003]]); // prettier-ignore
    expect(join([], null, at(20))).toEqual([]);
  });

  test('the rates of a start are those of the journal; its missing rates stay missing', () => {
    const journal = [[at(16), '0.0009'], [at(24), null], [at(32), '0.0005'], [at(48), '0.0007']] as const; // prettier-ignore
    expect(join(journal, ratesOf([at(8), 0.0002], [at(16) + 9, 0.0003]), at(47))).toEqual([
      [8, 0.0002], [16, 0.0009], [24, NaN], [32, 0.0005], [40, NaN], [48, 0.0007],
    ]); // prettier-ignore
    expect(join(journal, catalog, at(25))).toContainEqual([24, 0.0004]);
  });

  test('rates of a start are at most a thousand, the newest', () => {
    const many = ratesOf(...Array.from({ length: 1500 }, (_, row) => [at(8 * row), row / 1e6] as const));
    const rows = join([], many, at(8 * 1499));
    expect(rows).toHaveLength(1000);
    expect(rows.at(-1)).toEqual([8 * 1499, 1499 / 1e6]);
  });
});

test('missing rates are named by their times', () => {
  const message = (times: readonly number[], rates: readonly number[]) => missingRates(spot('BTCUSDT'), { times, rates }, at(24));
  expect(message([], [])).toBe('no funding rate of BTCUSDT is known; the first will be the rate of 2026-01-06 00:00 UTC');
  expect(message([at(0)], [NaN])).toContain('no funding rate of BTCUSDT is known');
  expect(message([at(0), at(8)], [0, 0])).toBeNull();
  expect(message([at(0), at(8)], [0, NaN])).toBe('1 funding rate of BTCUSDT is missing, the rate of 2026-01-05 08:00 UTC');
  expect(message([at(0), at(8), at(16)], [0, NaN, NaN])).toBe(
    '2 funding rates of BTCUSDT are missing, from 2026-01-05 08:00 UTC to 2026-01-05 16:00 UTC',
  );
});

test('the grid continues from a time that is some ms beside it', () => {
  for (const afterMs of [at(8), at(8) + 12, at(8) - 12]) expect(gridTimes(afterMs, at(24), PERIOD)).toEqual([at(16), at(24)]);
  expect(gridTimes(at(8), at(15), PERIOD)).toEqual([]);
});

test('a rate is the same after the journal, to twelve digits', () => {
  for (const rate of [0, 0.0001, -0.00037409, 1e-12, 0.00012345, -0.75]) expect(rateFrom(rateText(rate))).toBe(rate);
  expect([rateText(NaN), rateFrom(null)]).toEqual([null, NaN]);
});
