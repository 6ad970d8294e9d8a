// Tests the arithmetic of the page without a browser: coarser bars, mean positions, curves, axis marks, and numbers as text.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../../base/number/rng.ts';
import { openOf } from '../../../../model/interval.ts';
import { pointsBetween, type EquityRows } from './equityRows.ts';
import { meanPosition } from './exposure.ts';
import {
  amountText,
  briefNumber,
  daysText,
  exactText,
  fixed,
  MINUS,
  percent,
  signed,
  signedAmount,
  spanText,
  THIN,
  tone,
} from '../../../../base/text/format.ts';
import { volumeOf, writeVolumeCodes } from '../../../page/volumeCode.ts';
import { INTERVALS } from '../../../../model/interval.ts';
import { coarsen, ladder, rowNumbers, type ChartLevel } from './levels.ts';
import { edgesOf, sliceOf } from './market.ts';
import { digitsOf, logTicks, niceTicks, numberTexts, timeTexts } from '../../../page/browser/ticks.ts';

const MINUTE = 60_000;
const START_MS = Date.UTC(2024, 0, 31, 22);

/** Returns random bars with gaps between some of them. */
function randomLevel(length: number, seed: number): ChartLevel {
  const rng = seededRng(seed);
  const column = () => new Int32Array(length);
  const level = {
    interval: '1m' as const,
    length,
    openMs: new Float64Array(length),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: new Float64Array(length),
    lastRow: rowNumbers(length),
  };
  let ms = START_MS;
  for (let row = 0; row < length; row++, ms += rng.next() < 0.02 ? 40 * MINUTE : MINUTE) {
    const open = Math.floor(rng.next() * 1000);
    const close = Math.floor(rng.next() * 1000);
    level.openMs[row] = ms;
    level.open[row] = open;
    level.close[row] = close;
    level.high[row] = Math.max(open, close) + 3;
    level.low[row] = Math.min(open, close) - 3;
    level.volume[row] = Math.floor(rng.next() * 100);
  }
  return level;
}

describe('coarser bars', () => {
  test.each(['5m', '1h', '1d', '1M'] as const)('coarser bars of %s equal those of a naive grouping, also over gaps', (interval) => {
    const fine = randomLevel(4000, 5);
    const coarse = coarsen(fine, interval);
    const groups = new Map<number, number[]>();
    for (let row = 0; row < fine.length; row++) {
      const open = openOf(interval, fine.openMs[row]!);
      groups.set(open, [...(groups.get(open) ?? []), row]);
    }
    expect([...coarse.openMs]).toEqual([...groups.keys()]);
    [...groups.values()].forEach((rows, group) => {
      expect(coarse.open[group]).toBe(fine.open[rows[0]!]);
      expect(coarse.close[group]).toBe(fine.close[rows.at(-1)!]);
      expect(coarse.high[group]).toBe(Math.max(...rows.map((row) => fine.high[row]!)));
      expect(coarse.low[group]).toBe(Math.min(...rows.map((row) => fine.low[row]!)));
      expect(coarse.volume[group]).toBe(rows.reduce((sum, row) => sum + fine.volume[row]!, 0));
      expect(coarse.lastRow[group]).toBe(rows.at(-1));
    });
  });

  test('a week that ends after the data is shown whole at the widest zoom, and cut by a smaller window', () => {
    const week = 7 * 24 * 60 * MINUTE;
    const monday = Date.UTC(2024, 0, 1);
    const openMs = Float64Array.of(monday, monday + week, monday + 2 * week);
    const level: ChartLevel = { ...randomLevel(3, 6), interval: '1w', openMs };
    const firstMs = monday + 2 * 24 * 60 * MINUTE;
    const lastMs = monday + 2 * week + 24 * 60 * MINUTE;
    const slice = sliceOf(level, monday, lastMs);
    expect(edgesOf(slice, { fromMs: firstMs, toMs: lastMs, runStartMs: firstMs, runEndMs: lastMs })).toEqual([-0.5, 2.5]);
    const [leftEdge, rightEdge] = edgesOf(slice, { fromMs: firstMs + 1, toMs: lastMs - 1, runStartMs: firstMs, runEndMs: lastMs });
    expect([leftEdge, rightEdge].map((edge) => edge.toFixed(3))).toEqual(['-0.214', '1.643']);
    const wholeMs = monday + 3 * week;
    expect(edgesOf(slice, { fromMs: monday, toMs: wholeMs, runStartMs: monday, runEndMs: wholeMs })).toEqual([-0.5, 2.5]);
  });

  test('the ladder of intervals does not build months from weeks', () => {
    expect(ladder('4h')).toEqual(['4h', '1d', '1w', '1M']);
    expect(ladder('1w')).toEqual(['1w']);
    for (const drawnByMinute of ['5s', '500ticks', '0.5range'] as const) expect(ladder(drawnByMinute)).toEqual([...INTERVALS]);
  });
});

test('mean positions of spans add up to the whole, for any spans', () => {
  const changes = { length: 4, ms: [100, 250, 250, 900], change: [2, -1, -1, -3] };
  // 2 from 100 to 250, 0 to 900, 3 (short) to 1000.
  expect([...meanPosition([0, 1000], changes)]).toEqual([(150 * 2 + 100 * 3) / 1000]);
  const fine = meanPosition(
    Array.from({ length: 101 }, (_, index) => index * 10),
    changes,
  );
  expect(fine.reduce((sum, mean) => sum + mean * 10, 0)).toBeCloseTo(600, 9);
  expect(fine[10]).toBe(2);
});

test('points of a curve keep its extremes and its last value', () => {
  const rng = seededRng(9);
  const equity = Array.from({ length: 5000 }, () => 1000 + rng.next() * 100);
  const rows: EquityRows = {
    length: 5000,
    ms: equity.map((_, row) => row * MINUTE),
    equity,
    hold: null,
    drawdown: equity.map((value) => value / 1100 - 1),
  };
  const points = pointsBetween(rows, 0, 5000 * MINUTE, 100);
  expect(points.ms.length).toBeLessThanOrEqual(201);
  expect(Math.max(...points.equity)).toBe(Math.max(...equity));
  expect(Math.min(...points.equity)).toBe(Math.min(...equity));
  expect(points.equity.at(-1)).toBe(equity.at(-1));
  expect(Math.min(...points.depth)).toBe(Math.min(...equity) / 1100 - 1);
  expect(points.ms).toEqual(points.ms.toSorted((a, b) => a - b));
});

test('axis marks are round values with the digits that distinguish them', () => {
  expect(niceTicks(9940, 10_035, 5)).toEqual([9940, 9960, 9980, 10_000, 10_020]);
  expect(logTicks(1, 5000, 6)).toEqual([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]);
  expect([digitsOf(2.5), digitsOf(0.05), digitsOf(20), digitsOf(0.1)]).toEqual([1, 2, 0, 1]);
  expect(numberTexts([1002.5, 1005])).toEqual([`1${THIN}002.5`, `1${THIN}005.0`]);
  const day = 86_400_000;
  expect(timeTexts([START_MS, START_MS + 2 * day], 2 * day)).toEqual(['2024-01-31', '02-02']);
  expect(timeTexts([START_MS, START_MS + 6 * 3_600_000, START_MS + 12 * 3_600_000], 6 * 3_600_000)).toEqual(['01-31', '02-01', '10:00']);
});

test('numbers of the page are written with thin spaces, a minus sign, and a dash in place of NaN', () => {
  expect(fixed(-1_234_567.891, 2)).toBe(`${MINUS}1${THIN}234${THIN}567.89`);
  expect(fixed(-0.001, 2)).toBe('0.00');
  expect(signed(0.001, 2)).toBe('0.00');
  expect([fixed(Number.NaN, 2), percent(Infinity), exactText(Number.NaN, 2)]).toEqual(['–', '–', '–']);
  expect(exactText(-123_400_000, 8, 2)).toBe(`${MINUS}1.234`);
  expect(exactText(500_000_000, 8, 2)).toBe('5.00');
  expect(spanText(41 * 86_400_000 + 6 * 3_600_000)).toBe(`41${THIN}d 6${THIN}h`);
  expect([0.3, 0.5, 41.2].map((days) => daysText(days * 86_400_000))).toEqual([`7${THIN}h 12${THIN}min`, '1 day', '41 days']);
  expect([0, 1234, 0.045_61, 12.345, 999_999, 1.5e9, NaN].map(briefNumber)).toEqual(
    ['0', `1.23${THIN}k`, '0.0456', '12.3', `1${THIN}M`, `1.50${THIN}G`, '–'], // prettier-ignore
  );
  expect([amountText(1.005, 'USDT'), signedAmount(0.012_345_678, 'BTC'), amountText(1234.5, 'JPY')]).toEqual([
    '1.00',
    '+0.01234568',
    `1${THIN}235`,
  ]);
  const volumes = Float64Array.of(0, 1e-8, 0.37, 12_345.678, 9.9e14);
  const codes = new Int32Array(volumes.length);
  writeVolumeCodes(volumes, 0, volumes.length, codes);
  codes.forEach((code, index) => expect(Math.abs(volumeOf(code) - volumes[index]!)).toBeLessThanOrEqual(volumes[index]! * 0.004));
  expect([-0.1, 0, 0.1].map(tone)).toEqual(['loss', '', 'gain']);
});
