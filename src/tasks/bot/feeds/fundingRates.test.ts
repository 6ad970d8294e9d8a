// Tests the funding rates that a starting bot loads: from journal and catalog, none of the future, and missing ones as NaN.

import { describe, expect, test } from 'vitest';
import { spot } from '../../../../test/simulation/plans.ts';
import { gridTimes, joinRates, missingRates, rateFrom, rateText } from './fundingRates.ts';

const HOUR_MS = 3_600_000;
/** Time between two fundings. */
const PERIOD_MS = 8 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 5);
const hoursAfterStart = (hours: number): number => START_MS + hours * HOUR_MS;
const ratesOf = (...rows: readonly (readonly [number, number])[]) => ({
  length: rows.length,
  timeMs: Float64Array.from(rows, ([timeMs]) => timeMs),
  rate: Float64Array.from(rows, ([, rate]) => rate),
});

/** Returns the joined rates as pairs of hours after the start and rate. */
const joinedRows = (journal: readonly (readonly [number, string | null])[], catalog: ReturnType<typeof ratesOf> | null, atMs: number) => {
  const { times, rates } = joinRates(new Map(journal), catalog, { atMs, periodMs: PERIOD_MS });
  return times.map((timeMs, row) => [(timeMs - START_MS) / HOUR_MS, rates[row]]);
};

describe('the funding rates that a starting bot loads', () => {
  const catalog = ratesOf(
    [hoursAfterStart(0) + 5, 0.0001],
    [hoursAfterStart(8), 0.0002],
    [hoursAfterStart(16) + 9, 0.0003],
    [hoursAfterStart(24), 0.0004],
  );

  test('the funding rates that a starting bot loads are those of the catalog up to now, at their own times', () => {
    expect(joinedRows([], catalog, hoursAfterStart(20))).toEqual([
      [5 / HOUR_MS, 0.0001],
      [8, 0.0002],
      [16 + 9 / HOUR_MS, 0.0003],
    ]);
    expect(joinedRows([], null, hoursAfterStart(20))).toEqual([]);
  });

  const journal = [
    [hoursAfterStart(16), '0.0009'],
    [hoursAfterStart(24), null],
    [hoursAfterStart(32), '0.0005'],
    [hoursAfterStart(48), '0.0007'],
  ] as const;

  test('rates of the journal replace those of the catalog, and a missing rate is NaN', () => {
    const shortCatalog = ratesOf([hoursAfterStart(8), 0.0002], [hoursAfterStart(16) + 9, 0.0003]);
    expect(joinedRows(journal, shortCatalog, hoursAfterStart(47))).toEqual([
      [8, 0.0002],
      [16, 0.0009],
      [24, NaN],
      [32, 0.0005],
      [40, NaN],
      [48, 0.0007],
    ]);
  });

  test('a rate that the journal lacks is taken from the catalog', () => {
    expect(joinedRows(journal, catalog, hoursAfterStart(25))).toContainEqual([24, 0.0004]);
  });

  test('a starting bot loads only the newest 1,000 funding rates', () => {
    const longCatalog = ratesOf(...Array.from({ length: 1500 }, (_, row) => [hoursAfterStart(8 * row), row / 1e6] as const));
    const rows = joinedRows([], longCatalog, hoursAfterStart(8 * 1499));
    expect(rows).toHaveLength(1000);
    expect(rows.at(-1)).toEqual([8 * 1499, 1499 / 1e6]);
  });
});

test('the warning about missing funding rates names their times', () => {
  const message = (times: readonly number[], rates: readonly number[]) =>
    missingRates(spot('BTCUSDT'), { times, rates }, hoursAfterStart(24));
  expect(message([], [])).toBe('no funding rate of BTCUSDT is known; the first will be the rate of 2026-01-06 00:00 UTC');
  expect(message([hoursAfterStart(0)], [NaN])).toContain('no funding rate of BTCUSDT is known');
  expect(message([hoursAfterStart(0), hoursAfterStart(8)], [0, 0])).toBeNull();
  expect(message([hoursAfterStart(0), hoursAfterStart(8)], [0, NaN])).toBe(
    '1 funding rate of BTCUSDT is missing, the rate of 2026-01-05 08:00 UTC',
  );
  expect(message([hoursAfterStart(0), hoursAfterStart(8), hoursAfterStart(16)], [0, NaN, NaN])).toBe(
    '2 funding rates of BTCUSDT are missing, from 2026-01-05 08:00 UTC to 2026-01-05 16:00 UTC',
  );
});

test('the next grid times are the same if the last rate is up to 12 ms off the grid', () => {
  for (const afterMs of [hoursAfterStart(8), hoursAfterStart(8) + 12, hoursAfterStart(8) - 12])
    expect(gridTimes(afterMs, hoursAfterStart(24), PERIOD_MS)).toEqual([hoursAfterStart(16), hoursAfterStart(24)]);
  expect(gridTimes(hoursAfterStart(8), hoursAfterStart(15), PERIOD_MS)).toEqual([]);
});

test('a rate of up to twelve digits is unchanged when it is written to the journal and read back', () => {
  for (const rate of [0, 0.0001, -0.00037409, 1e-12, 0.00012345, -0.75]) expect(rateFrom(rateText(rate))).toBe(rate);
  expect([rateText(NaN), rateFrom(null)]).toEqual([null, NaN]);
});
