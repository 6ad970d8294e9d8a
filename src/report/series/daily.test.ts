// Tests the sampling of a run at UTC midnights, its benchmark, its exposure, and the metrics of a whole record.

import { afterEach, expect, test } from 'vitest';
import { DAY_MS } from '../../base/calendar.ts';
import { MINUTE, runRecord, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { dailyEquity } from './daily.ts';
import { exposureFigures, type HoldingPeriods } from '../metrics/exposure.ts';
import { metricsOf } from '../metrics/metrics.ts';
import { moneyText } from './money.ts';

const bars = testBars(testInstrument(), 4 * 1440, 7);

/** Returns a record with the given equity. A point is [minute of a bar close, units]. */
function equityAt(points: readonly (readonly [number, number])[], overrides: Partial<RunRecord> = {}): RunRecord {
  const record = runRecord({ bars: [bars], script: [], start: 1000 });
  return {
    ...record,
    equity: {
      length: points.length,
      timeMs: Float64Array.from(points, ([minute]) => START_MS + minute * MINUTE),
      units: Float64Array.from(points, ([, units]) => units),
    },
    ...overrides,
  };
}

/** Returns holding periods from pairs of the first and the last instant. */
function periods(...intervals: readonly (readonly [number, number])[]): HoldingPeriods {
  return { fromMs: Float64Array.from(intervals, ([fromMs]) => fromMs), toMs: Float64Array.from(intervals, ([, toMs]) => toMs) };
}

afterEach(() => {
  delete process.env['TZ'];
});

test('the daily samples are the last known equity at the start, at each midnight and at the end', () => {
  const record = equityAt(
    [
      [1, 1001],
      [1440, 1100],
      [1441, 1200],
      [4000, 1300],
      [5000, 900],
    ],
    { toMs: START_MS + 5001 * MINUTE },
  );
  const { timeMs, equity } = dailyEquity(record);
  expect([...timeMs].map((ms) => (ms - START_MS) / MINUTE)).toEqual([0, 1440, 2880, 4320, 5001]);
  // The value of midnight itself counts; a day without rows repeats the last value.
  expect([...equity]).toEqual([1000, 1100, 1200, 1300, 900]);
});

test('the drawdown is measured at every bar, and the daily drawdown at midnights only', () => {
  // The peak of 1500 and the trough of 700 lie inside two days; at midnights equity is 1000, 1200, 1100, 1150.
  const record = equityAt(
    [
      [600, 1500],
      [1440, 1200],
      [2000, 700],
      [2880, 1100],
      [4320, 1150],
    ],
    { toMs: START_MS + 4320 * MINUTE },
  );
  const { maxDrawdown, maxDrawdownAbs, maxDrawdownDaily, calmar, calmarDaily, recoveryFactor, cagr, ulcer } = metricsOf(record, periods());
  expect(maxDrawdown).toBeCloseTo(700 / 1500 - 1, 12);
  expect(Number(maxDrawdownAbs) / Number(moneyText(1, record.reportingDigits))).toBeCloseTo(800, 9);
  expect(maxDrawdownDaily).toBeCloseTo(1100 / 1200 - 1, 12);
  expect(calmar! / (cagr! / (800 / 1500))).toBeCloseTo(1, 12);
  expect(calmarDaily! / (cagr! / (100 / 1200))).toBeCloseTo(1, 12);
  expect(recoveryFactor).toBeCloseTo(150 / 800, 12);
  // Daily: the drawdowns at midnight are 0, 100 / 1200 and 50 / 1200.
  expect(ulcer).toBeCloseTo(Math.sqrt(((100 / 1200) ** 2 + (50 / 1200) ** 2) / 2), 12);
});

test('a run from noon to noon has two partial days, each flagged and with one return', () => {
  const record = equityAt(
    [
      [800, 1010],
      [1500, 1020],
    ],
    { fromMs: START_MS + 720 * MINUTE, toMs: START_MS + 2160 * MINUTE },
  );
  expect([...dailyEquity(record).equity]).toEqual([1000, 1010, 1020]);
  const metrics = metricsOf(record, periods());
  expect(metrics.flags['dailyReturns']).toEqual(['partialFirstDay', 'partialLastDay']);
  expect(metrics.flags['cagr']).toEqual(['extrapolated']);
  expect(metrics.dailyReturns).toHaveLength(2);
});

test('monthly returns follow the UTC calendar, also over 29 February and in another host time zone', () => {
  const fromMs = Date.UTC(2024, 1, 27);
  const points = Array.from({ length: 5 }, (_, day): [number, number] => [
    (fromMs - START_MS) / MINUTE + (day + 1) * 1440,
    1000 * 1.1 ** (day + 1),
  ]);
  const record = equityAt(points, { fromMs, toMs: fromMs + 5 * DAY_MS });
  const utcMetrics = metricsOf(record, periods());
  expect(utcMetrics.monthly.map(({ year, month, return: growth }) => [year, month, growth.toFixed(9)])).toEqual([
    [2024, 2, (1.1 ** 3 - 1).toFixed(9)],
    [2024, 3, (1.1 ** 2 - 1).toFixed(9)],
  ]);
  expect(utcMetrics.yearly).toHaveLength(1);
  process.env['TZ'] = 'America/New_York';
  expect(metricsOf(record, periods())).toEqual(utcMetrics);
});

test('the benchmark holds each executed instrument from its first open, in equal parts', () => {
  const otherBars = testBars(testInstrument({ wireName: 'XYZUSD' }), 4 * 1440, 8);
  const record = runRecord({ bars: [bars, otherBars], script: [], firstRow: 10 });
  const { benchmark, timeMs } = dailyEquity(record);
  const growthTo = (columns: typeof bars, row: number) => columns.close[row]! / columns.open[10]!;
  expect(benchmark![0]).toBe(1);
  expect(benchmark![1]).toBeCloseTo((growthTo(bars, 1439) + growthTo(otherBars, 1439)) / 2, 12);
  expect(benchmark![timeMs.length - 1]).toBeCloseTo((growthTo(bars, 5759) + growthTo(otherBars, 5759)) / 2, 12);
});

test('the benchmark of a run that starts inside a bar buys at the next open, as nothing trades at one before the start', () => {
  // Minute 9 is half over. Its open of before the start is far away.
  const open = bars.open.slice();
  open[9] = 1;
  const record = runRecord({ bars: [{ ...bars, open }], script: [], firstRow: 9, fromMs: START_MS + 9.5 * MINUTE });
  const { benchmark } = dailyEquity(record);
  expect(benchmark![0]).toBe(1);
  expect(benchmark![1]).toBeCloseTo(bars.close[1439]! / bars.open[10]!, 12);
});

test('the benchmark of a run without an open inside it buys nothing', () => {
  const record = runRecord({ bars: [bars], script: [], firstRow: bars.length - 1, fromMs: START_MS + (bars.length - 0.5) * MINUTE });
  expect([...dailyEquity(record).benchmark!]).toEqual([1, 1]);
});

test('exposure is weighted by time at the last close, and counts overlapping periods once', () => {
  // Buys 1 of 100.00 at the open of row 100 and sells at the open of row 1540: one of four days.
  const flat = {
    ...bars,
    open: bars.open.map(() => 100),
    close: bars.close.map(() => 100),
    high: bars.high.map(() => 100),
    low: bars.low.map(() => 100),
  };
  const free = { ...flat, instrument: testInstrument({ makerFeePpm: 0, takerFeePpm: 0 }) };
  const record = runRecord({
    bars: [free],
    start: 400 * 1e8,
    script: [
      { row: 100, isBuy: true, lots: 10_000 },
      { row: 1540, isBuy: false, lots: 10_000 },
    ],
  });
  const fromMs = record.fills.timeMs[0]!;
  const toMs = record.fills.timeMs[1]!;
  const figures = exposureFigures(record, periods([fromMs, toMs]), dailyEquity(record).equity);
  expect(figures).toMatchObject({ exposureTime: 0.25, grossExposureMax: 0.25, netExposureMax: 0.25 });
  expect(figures.grossExposure).toBeCloseTo(0.25 * 0.25, 9);
  expect(figures.turnover).toBeCloseTo(200 / 400 / (4 / 365), 9);
  // What an instrument fills inside its bar is booked before what another one fills at the open of the same bar.
  const secondFeed = { ...free, instrument: testInstrument({ wireName: 'XYZUSD', makerFeePpm: 0, takerFeePpm: 0 }) };
  const twoInstruments = runRecord({
    bars: [free, secondFeed],
    start: 400 * 1e8,
    script: [
      { row: 100, isBuy: true, lots: 10_000, inside: true },
      { row: 100, isBuy: true, lots: 10_000, instrument: 1 },
      { row: 101, isBuy: false, lots: 10_000 },
      { row: 102, isBuy: false, lots: 10_000, instrument: 1 },
    ],
  });
  // The other one is held for two minutes, at 100 / 400; the first for none.
  const exposureOfTwo = exposureFigures(twoInstruments, periods(), dailyEquity(twoInstruments).equity);
  expect(exposureOfTwo.grossExposureMax).toBe(0.25);
  expect(exposureOfTwo.grossExposure).toBeCloseTo((2 * 0.25) / (4 * 1440), 12);
  // Overlapping episodes count once.
  const overlapping = periods([fromMs, toMs], [toMs - 1000, toMs + DAY_MS], [fromMs, toMs]);
  expect(exposureFigures(record, overlapping, dailyEquity(record).equity).exposureTime).toBeCloseTo(0.5, 12);
});

test('a run without rows has a return of 0, and a run of zero length has none', () => {
  const empty = metricsOf(equityAt([]), periods());
  expect([empty.totalReturn, empty.netProfit, empty.sharpe, empty.reasons.sharpe]).toEqual([0, '0', null, 'zero-variance']);
  const zeroLength = metricsOf(equityAt([], { toMs: START_MS }), periods());
  expect([zeroLength.totalReturn, zeroLength.netProfit, zeroLength.exposureTime]).toEqual([null, null, null]);
  expect(zeroLength.reasons).toMatchObject({
    totalReturn: 'too-few-returns',
    exposureTime: 'too-short',
    dsr: 'no-trials',
    pbo: 'no-trials',
  });
});
