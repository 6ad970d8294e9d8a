// Tests mark prices and funding of a run: their alignment and prices against slow and simple computations.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { closesOf } from '../../adapters/catalog/files/columns.ts';
import { parseMarkInterval, type MarkInterval } from '../../adapters/catalog/files/markInterval.ts';
import { Decimal } from '../../base/number/decimal.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import { fundingOf } from './funding.ts';
import { alignMarks, markKlines } from './marks.ts';

const MINUTE = 60_000;
const START_MS = Date.UTC(2024, 0, 1);

type Prices = readonly [open: number, high: number, low: number, close: number];
/** Returns bars of 15 minutes from START_MS. Prices are in tenths; null is a missing bar. */
function barsOfQuarters(rows: readonly (Prices | null)[]): BarColumns {
  const present = rows.flatMap((row, barIndex) => (row === null ? [] : [[START_MS + barIndex * 15 * MINUTE, ...row]]));
  const column = (columnIndex: number, scale = 10) => Float64Array.from(present, (row) => row[columnIndex]! / scale);
  const openMs = column(0, 1);
  return {
    instrument: linearContract(),
    interval: '15m',
    length: present.length,
    openMs,
    closeMs: closesOf(openMs, '15m'),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(1),
  };
}
/** Returns a series of the catalog. */
const series = (timeMs: readonly number[], figures: readonly (readonly number[])[], digits: number) => ({
  length: timeMs.length,
  timeMs: Float64Array.from(timeMs),
  figures: figures.map((column) => Float64Array.from(column)),
  digits,
});

/** Returns mark klines. Each row has its minute, then open, high, low and close. */
function klinesOf(interval: MarkInterval, rows: readonly (readonly [minute: number, ...Prices])[], digits = 1) {
  const column = (columnIndex: number) => rows.map((row) => row[columnIndex]!);
  return markKlines(
    series(
      column(0).map((minute) => START_MS + minute * MINUTE),
      [column(1), column(2), column(3), column(4)],
      digits,
    ),
    interval,
    1,
  );
}
const pricesOf = ({ marks }: ReturnType<typeof alignMarks>) =>
  Array.from(marks.open, (_, row) => [marks.open[row], marks.high[row], marks.low[row], marks.close[row]]);

describe('marks of bars', () => {
  it('the marks of a bar combine its finer mark klines, and a bar without mark klines uses its own prices', () => {
    const bars = barsOfQuarters([[1000, 1010, 990, 1000], [1000, 1010, 990, 1005], [1005, 1010, 1000, 1001]]); // prettier-ignore
    const klines = klinesOf('5m', [[0, 100, 100.5, 99.5, 100.1], [5, 100.1, 102, 100, 101], [10, 101, 101.5, 98, 100.2], [30, 100.5, 100.6, 100.4, 100.5], ...[35, 40].map((minute) => [minute, 100.5, 100.5, 100.5, 100.5] as const)]); // prettier-ignore
    const aligned = alignMarks(bars, klines, 0);
    expect(pricesOf(aligned)).toEqual([[1000, 1020, 980, 1002], [1000, 1010, 990, 1005], [1005, 1006, 1004, 1005]]); // prettier-ignore
    expect(aligned).toMatchObject({ uncovered: 1, marks: { source: 'mark klines 5m' } });
  });

  it.each<[string, readonly number[], Prices]>([
    ['the last', [0, 5], [1001, 1030, 960, 970]],
    ['the first', [5, 10], [1000, 1030, 960, 1002]],
    ['one in the middle', [0, 10], [1001, 1030, 960, 1002]],
    ['none', [0, 5, 10], [1001, 1020, 980, 1002]],
  ])('a bar with missing mark klines uses the worse of its own and the mark prices: missing is %s', (_, minutes, expected) => {
    const klineRows = [[0, 100.1, 101, 99, 100], [5, 100, 102, 98, 99], [10, 99, 101, 98.5, 100.2]] as const; // prettier-ignore
    const klines = klinesOf('5m', klineRows.filter(([minute]) => minutes.includes(minute)));
    const aligned = alignMarks(barsOfQuarters([[1000, 1030, 960, 970]]), klines, 0);
    expect([pricesOf(aligned), aligned.uncovered]).toEqual([[expected], minutes.length === 3 ? 0 : 1]);
  }); // prettier-ignore

  it('a bar inside a longer mark kline uses its own prices within the kline, and the open and close of the kline', () => {
    const bars = barsOfQuarters([[1000, 1030, 990, 1020], [1020, 1050, 1010, 1040], null, [1040, 1045, 900, 950], [950, 960, 940, 955]]); // prettier-ignore
    const klines = klinesOf('1h', [[0, 100.1, 102.5, 96, 97]]);
    expect(pricesOf(alignMarks(bars, klines, 0))).toEqual([
      [1001, 1025, 990, 1020],
      [1020, 1025, 1010, 1025],
      [1025, 1025, 960, 970],
      [950, 960, 940, 955],
    ]);
    expect(alignMarks(bars, klines, 0)).toMatchObject({ uncovered: 1, marks: { source: 'bars within mark klines 1h' } });
    expect(alignMarks(bars, klines, 4).uncovered).toBe(0);
  });

  it('marks of bars inside a longer kline stay within its range, and end at its close', () => {
    const price = fc.integer({ min: 900, max: 1100 });
    const ohlc = fc.tuple(price, price, price, price).map(([a, b, c, d]): Prices => [a, Math.max(a, b, c, d), Math.min(a, b, c, d), d]);
    fc.assert(
      fc.property(
        fc.array(fc.option(ohlc, { nil: null, freq: 5 }), { minLength: 8, maxLength: 8 }),
        ohlc,
        ohlc,
        (rows, firstHour, secondHour) => {
          fc.pre(rows.some((prices) => prices !== null));
          const bars = barsOfQuarters(rows);
          const hours = [firstHour, secondHour].map(
            ([open, high, low, close], hour) => [hour * 60, open / 10, high / 10, low / 10, close / 10] as const,
          );
          const { marks, uncovered } = alignMarks(bars, klinesOf('1h', hours), 0);
          expect(uncovered).toBe(0);
          for (let row = 0; row < bars.length; row++) {
            const quarter = (bars.openMs[row]! - START_MS) / (15 * MINUTE);
            const [open, high, low, close] = quarter < 4 ? firstHour : secondHour;
            const markOpen = marks.open[row]!;
            const markHigh = marks.high[row]!;
            const markLow = marks.low[row]!;
            const markClose = marks.close[row]!;
            expect(
              low <= markLow && markLow <= Math.min(markOpen, markClose) && Math.max(markOpen, markClose) <= markHigh && markHigh <= high,
            ).toBe(true);
            if (quarter % 4 === 0) expect(markOpen).toBe(open);
            if (quarter % 4 === 3) expect(markClose).toBe(close);
          }
        },
      ),
    );
  });

  it('marks of bars with any number of digits are rounded half up to the tick', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 0, max: 8 }), (scaledPrice, digits) => {
        const price = scaledPrice / 10 ** digits;
        const { close } = markKlines(series([START_MS], [[price], [price], [price], [price]], digits), '1h', 1);
        expect(close[0]).toBe(
          new Decimal(scaledPrice).div(Decimal.pow(10, digits)).times(10).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber(),
        );
      }),
    );
  });
});

describe('funding', () => {
  const bars = barsOfQuarters(
    Array.from({ length: 40 }, (_, quarter): Prices => [1000 + quarter, 1000 + quarter, 1000 + quarter, 1000 + quarter]),
  );
  const ownPrices = {
    openMs: bars.openMs,
    closeMs: bars.closeMs,
    open: bars.open.map((price) => price * 10),
    close: bars.close.map((price) => price * 10),
  };
  const marks = klinesOf('1h', [[0, 99, 101, 99, 100], [60, 90, 95, 85, 91], [180, 80, 85, 75, 81]]); // prettier-ignore
  const minutesAfterStart = (minutes: number, ms = 0) => START_MS + minutes * MINUTE + ms;
  const plan = (times: readonly number[], rows = [marks, ownPrices]) =>
    fundingOf(series(times, [times.map(() => 0.00012345)], 8), rows, bars, { fromMs: START_MS, toMs: minutesAfterStart(600) });

  it.each([
    ['on time', minutesAfterStart(60), 900, minutesAfterStart(60)],
    ['late', minutesAfterStart(60, 9), 900, minutesAfterStart(60)],
    ['early', minutesAfterStart(59, 59_990), 900, minutesAfterStart(60)],
    ['between: the close of the kline under way', minutesAfterStart(100), 910, minutesAfterStart(105)],
    ['where the klines are missing: the open of the bar', minutesAfterStart(135), 1009, minutesAfterStart(135)],
    ['there between: the close of the bar under way', minutesAfterStart(140), 1009, minutesAfterStart(150)],
  ])('funding uses the first mark at or after its time, and is booked at the close of a bar: %s', (_, timeMs, markTicks, bookedMs) => {
    expect(plan([timeMs])).toEqual({ funding: [{ timeMs: bookedMs, rate: 123_450_000, markTicks }], distant: [], unpriced: [] });
  });

  it('funding times without a price nearby are listed', () => {
    expect(plan([minutesAfterStart(100)], [klinesOf('1h', [[180, 80, 85, 75, 81]])])).toMatchObject({
      funding: [{ markTicks: 800 }],
      distant: [minutesAfterStart(100)],
    });
    expect(plan([minutesAfterStart(300)], [marks])).toEqual({ funding: [], distant: [], unpriced: [minutesAfterStart(300)] });
  });

  it('funding between bars is booked at its own time, at the price of the next open', () => {
    const keptRows = Array.from(bars.openMs.keys()).filter((row) => row < 4 || row > 7);
    const select = (values: ArrayLike<number>) => Float64Array.from(keptRows, (row) => values[row]!);
    const gapped = {
      openMs: select(bars.openMs),
      closeMs: select(bars.closeMs),
      open: select(ownPrices.open),
      close: select(ownPrices.close),
    };
    const booked = (times: readonly number[]) =>
      fundingOf(series(times, [times.map(() => 0.0001)], 8), [gapped], gapped, { fromMs: START_MS, toMs: minutesAfterStart(600) }).funding;
    // Bars end at 60 with a close of 1003, and continue at 120 with an open of 1008.
    expect(booked([minutesAfterStart(60, 20), minutesAfterStart(90), minutesAfterStart(119, 59_990)])).toMatchObject([
      { timeMs: minutesAfterStart(60), markTicks: 1003 },
      { timeMs: minutesAfterStart(90), markTicks: 1008 },
      { timeMs: minutesAfterStart(119, 59_990), markTicks: 1008 },
    ]);
  });

  it('funding outside the run is left out', () => {
    expect(plan([minutesAfterStart(-60), minutesAfterStart(480), minutesAfterStart(600, 4), minutesAfterStart(700)]).funding).toEqual([
      { timeMs: minutesAfterStart(480), rate: 123_450_000, markTicks: 1032 },
      { timeMs: minutesAfterStart(600), rate: 123_450_000, markTicks: 1039 },
    ]);
  });
});

it('mark klines may have intervals that bars do not have', () => {
  expect(['8h', '60min', '1d', '1w', 'x'].map(parseMarkInterval)).toEqual(['8h', '1h', '1d', null, null]);
});
