// Tests the kernels against decimal.js over the largest real file: relative error at sampled rows, exact sums, and ties of averages.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Decimal as AnyDecimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { sharedFile } from '../../test/fixtures/sharedData.ts';
import { emptyBars } from '../../test/fixtures/syntheticBars.ts';
import { ticksOf, type BarColumns } from '../model/bars/bars.ts';
import { ema, sma, vwap, wma } from './averages.ts';
import { bollinger, highest, lowest } from './channels.ts';
import { IndicatorSet } from './graph/indicatorSet.ts';
import { cci, roc } from './momentum.ts';
import { macd, mfi, rsi, stochastic } from './oscillators.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import { crossedUp } from './signals.ts';
import type { IndicatorSpec } from './graph/spec.ts';
import { adx, atr } from './trend.ts';

type Decimal = AnyDecimal;

const Decimal = AnyDecimal.clone({ precision: 40 });
const ZERO = new Decimal(0);
/** The file has prices of up to eight decimals. */
const DIGITS = 8;
const SCALE = 10 ** DIGITS;
const SAMPLES = 1000;
/** Number of rows after which the seed of a smoothing over 14 or 26 bars has less than e^-42 of its first weight. This is far below 1e-9. */
const SETTLED_ROWS = 600;
/** Rows in a run. Recursive indicators are sampled in runs of neighbours, so that the oracle settles once for each run. */
const RUN_ROWS = 20;

const path = sharedFile('klines', 'bitfinex-spot', 'BTCUSD-1m.csv.gz');

/** Reads a file of real bars. */
function load(file: string): BarColumns {
  const lines = gunzipSync(readFileSync(file)).toString('latin1').trimEnd().split('\n');
  const bars = emptyBars(lines.length - 1, DIGITS);
  for (let row = 0; row < bars.length; row++) {
    const fields = lines[row + 1]!.split(',');
    [bars.open, bars.high, bars.low, bars.close, bars.volume].forEach((column, i) => (column[row] = Number(fields[i + 1])));
  }
  return bars;
}

function expectClose(value: number, expected: Decimal, row: number): void {
  const error = expected.isZero() ? Math.abs(value) : expected.minus(value).div(expected).abs().toNumber();
  if (!(error <= 1e-9)) expect.fail(`row ${row}: ${value} where decimal.js has ${expected.toString()}, relative error ${error}`);
}
/** Returns `compute` with a memory: many windows and indicators need the same row, and its value is computed once. */
function once(compute: (row: number) => Decimal): (row: number) => Decimal {
  const valueByRow = new Map<number, Decimal>();
  return (row) => {
    const value = valueByRow.get(row) ?? compute(row);
    valueByRow.set(row, value);
    return value;
  };
}
const window = (row: number, length: number, valueAt: (row: number) => Decimal) =>
  Array.from({ length }, (_, i) => valueAt(row - length + 1 + i));
const sum = (valueAt: readonly Decimal[]) => valueAt.reduce((total, value) => total.plus(value), ZERO);
const mean = (valueAt: readonly Decimal[]) => sum(valueAt).div(valueAt.length);
const wilder = (old: Decimal, value: Decimal, bars: number) => old.plus(value.minus(old).div(bars));
/** Returns the next value of an exponential average over `bars` bars. */
const smooth = (old: Decimal, value: Decimal, bars: number) =>
  old.plus(
    value
      .minus(old)
      .times(2)
      .div(bars + 1),
  );

describe.skipIf(path === null)('indicators over 1,025,708 real minutes', () => {
  const bars = path === null ? emptyBars(0, DIGITS) : load(path);
  const sampledRows = Array.from(
    { length: SAMPLES },
    (_, i) => SETTLED_ROWS + Math.floor((i * (bars.length - SETTLED_ROWS - 1)) / (SAMPLES - 1)),
  );
  const runStarts = Array.from({ length: SAMPLES / RUN_ROWS }, (_, i) =>
    Math.floor((i * (bars.length - SETTLED_ROWS - RUN_ROWS)) / (SAMPLES / RUN_ROWS - 1)),
  );
  const tickColumns = { high: ticksOf(bars, 'high'), low: ticksOf(bars, 'low'), close: ticksOf(bars, 'close') };
  const high = once((row) => new Decimal(tickColumns.high[row]!).div(SCALE));
  const low = once((row) => new Decimal(tickColumns.low[row]!).div(SCALE));
  const close = once((row) => new Decimal(tickColumns.close[row]!).div(SCALE));
  const volume = once((row) => new Decimal(bars.volume[row]!));
  const typical = once((row) => high(row).plus(low(row)).plus(close(row)).div(3));

  const highestHigh = (row: number, length: number) => Decimal.max(...window(row, length, high));
  const lowestLow = (row: number, length: number) => Decimal.min(...window(row, length, low));
  const positionAt = once((row) => {
    const min = lowestLow(row, 14);
    const range = highestHigh(row, 14).minus(min);
    return range.isZero() ? new Decimal(50) : close(row).minus(min).times(100).div(range);
  });
  const middleOf = once((row) => mean(window(row, 20, close)));
  const deviation = once((row) => mean(window(row, 20, close).map((value) => value.minus(middleOf(row)).pow(2))).sqrt());
  const trueRange = once((row) => Decimal.max(high(row), close(row - 1)).minus(Decimal.min(low(row), close(row - 1))));

  function values<Out>(makeSpec: (feed: FeedSeries) => IndicatorSpec<Out>, ...pick: ((out: Out) => Series)[]): Float64Array[] {
    const set = new IndicatorSet(bars, { row: -1 }, 512);
    const out = set.use(makeSpec(set.series));
    set.seal();
    return pick.map((outputOf) => set.traceValues(outputOf(out)));
  }
  const valuesOfOne = (makeSpec: (feed: FeedSeries) => IndicatorSpec<Series>) => values(makeSpec, (series) => series)[0]!;

  function expectAtSamples(column: Float64Array, expected: (row: number) => Decimal | null): void {
    for (const row of sampledRows) {
      const exact = expected(row);
      if (exact === null) expect(column[row]).toBeNaN();
      else expectClose(column[row]!, exact, row);
    }
  }

  /** Steps a recursive oracle through each run, from any seed. Compares its outputs after the oracle has settled. */
  function expectInRuns(columns: readonly Float64Array[], start: (firstRow: number) => (row: number) => readonly Decimal[]): void {
    for (const firstRow of runStarts) {
      const step = start(firstRow);
      for (let row = firstRow + 1; row < firstRow + SETTLED_ROWS + RUN_ROWS; row++) {
        const expected = step(row);
        if (row >= firstRow + SETTLED_ROWS) columns.forEach((column, i) => expectClose(column[row]!, expected[i]!, row));
      }
    }
  }
  it('sma has exact sums in every row and correctly rounded quotients', () => {
    const bars30 = valuesOfOne((feed) => sma(feed.close, 30));
    let total = 0n;
    for (let row = 0; row < bars.length; row++) {
      total += BigInt(tickColumns.close[row]!) - (row >= 30 ? BigInt(tickColumns.close[row - 30]!) : 0n);
      if (row >= 29 && bars30[row] !== Number(total) / (30 * SCALE)) expect.fail(`row ${row}`);
    }
    expectAtSamples(bars30, (row) => mean(window(row, 30, close)));
  });

  it('crossings of two averages equal those in exact arithmetic, also at ties', () => {
    const set = new IndicatorSet(bars, { row: -1 }, 4096);
    const fast = set.use(sma(set.series.close, 10));
    const slow = set.use(sma(set.series.close, 30));
    const crossings = set.use(crossedUp(fast, slow));
    set.seal();
    const listedRows = new Int32Array(4096);
    const crossedRows: number[] = [];
    for (let from = 0; from < bars.length; from += 4096) {
      const endRow = Math.min(from + 4096, bars.length);
      for (const kernel of set.kernels) kernel.fill(from, endRow);
      crossedRows.push(...listedRows.subarray(0, set.listRows(crossings, from, endRow, listedRows)));
    }
    const fastValues = set.traceValues(fast);
    const slowValues = set.traceValues(slow);
    let sum10 = 0n;
    let sum30 = 0n;
    let wasAbove = true;
    let ties = 0;
    const expected: number[] = [];
    for (let row = 0; row < bars.length; row++) {
      const tick = (back: number) => (row >= back ? BigInt(tickColumns.close[row - back]!) : 0n);
      sum10 += tick(0) - tick(10);
      sum30 += tick(0) - tick(30);
      if (row < 29) continue;
      if (3n * sum10 === sum30) {
        ties++;
        if (fastValues[row] !== slowValues[row]) expect.fail(`row ${row}: expected a tie`);
      }
      const isAbove = 3n * sum10 > sum30;
      if (row > 29 && isAbove && !wasAbove) expected.push(row);
      wasAbove = isAbove;
    }
    expect(ties).toBeGreaterThan(200);
    expect(crossedRows).toEqual(expected);
  });

  it('wma, the sma of the volume, and vwap equal those of decimal.js at sampled rows', () => {
    const weights = Array.from({ length: 20 }, (_, i) => i + 1);
    expectAtSamples(
      valuesOfOne((feed) => wma(feed.close, 20)),
      (row) => sum(window(row, 20, close).map((value, i) => value.times(weights[i]!))).div(210),
    );
    expectAtSamples(
      valuesOfOne((feed) => sma(feed.volume, 20)),
      (row) => mean(window(row, 20, volume)),
    );
    expectAtSamples(
      valuesOfOne((feed) => vwap(feed, 20)),
      (row) => {
        const traded = sum(window(row, 20, volume));
        return traded.isZero() ? null : sum(window(row, 20, (barRow) => typical(barRow).times(volume(barRow)))).div(traded);
      },
    );
  });

  it('highest, lowest, stochastic and roc equal those of decimal.js at sampled rows', () => {
    expectAtSamples(
      valuesOfOne((feed) => highest(feed.high, 55)),
      (row) => highestHigh(row, 55),
    );
    expectAtSamples(
      valuesOfOne((feed) => lowest(feed.low, 55)),
      (row) => lowestLow(row, 55),
    );
    const [k, d] = values(
      (feed) => stochastic(feed, 14, 1, 3),
      (out) => out.k,
      (out) => out.d,
    );
    expectAtSamples(k!, positionAt);
    expectAtSamples(d!, (row) => mean(window(row, 3, positionAt)));
    expectAtSamples(
      valuesOfOne((feed) => roc(feed.close, 12)),
      (row) =>
        close(row)
          .div(close(row - 12))
          .minus(1)
          .times(100),
    );
  });

  it('bollinger and cci equal those of decimal.js at sampled rows', () => {
    const [upper, lower] = values(
      (feed) => bollinger(feed.close, 20, 2),
      (out) => out.upper,
      (out) => out.lower,
    );
    expectAtSamples(upper!, (row) => middleOf(row).plus(deviation(row).times(2)));
    expectAtSamples(lower!, (row) => middleOf(row).minus(deviation(row).times(2)));
    expectAtSamples(
      valuesOfOne((feed) => cci(feed, 20)),
      (row) => {
        const prices = window(row, 20, (barRow) => high(barRow).plus(low(barRow)).plus(close(barRow)));
        const middle = mean(prices);
        const spread = mean(prices.map((value) => value.minus(middle).abs()));
        return spread.isZero() ? null : prices.at(-1)!.minus(middle).div(spread.times('0.015'));
      },
    );
  });

  it('mfi equals that of decimal.js at sampled rows', () => {
    expectAtSamples(
      valuesOfOne((feed) => mfi(feed, 14)),
      (row) => {
        let gains = ZERO;
        let total = ZERO;
        for (let barRow = row - 13; barRow <= row; barRow++) {
          const change = typical(barRow).comparedTo(typical(barRow - 1));
          const flow = typical(barRow).times(volume(barRow));
          if (change > 0) gains = gains.plus(flow);
          if (change !== 0) total = total.plus(flow);
        }
        return total.isZero() ? new Decimal(50) : gains.times(100).div(total);
      },
    );
  });

  it('ema and macd equal those of decimal.js at sampled rows', () => {
    expectInRuns([valuesOfOne((feed) => ema(feed.close, 20))], (firstRow) => {
      let average = close(firstRow);
      return (row) => [(average = smooth(average, close(row), 20))];
    });
    expectInRuns(
      values(
        (feed) => macd(feed.close),
        (out) => out.macd,
        (out) => out.signal,
        (out) => out.histogram,
      ),
      (firstRow) => {
        let fast = close(firstRow);
        let slow = close(firstRow);
        let signal = ZERO;
        return (row) => {
          fast = smooth(fast, close(row), 12);
          slow = smooth(slow, close(row), 26);
          const line = fast.minus(slow);
          signal = smooth(signal, line, 9);
          return [line, signal, line.minus(signal)];
        };
      },
    );
  });

  it('rsi, atr and adx equal those of decimal.js at sampled rows', () => {
    expectInRuns([valuesOfOne((feed) => rsi(feed.close, 14))], () => {
      let gain = ZERO;
      let loss = ZERO;
      return (row) => {
        const change = close(row).minus(close(row - 1));
        gain = wilder(gain, Decimal.max(change, ZERO), 14);
        loss = wilder(loss, Decimal.max(change.neg(), ZERO), 14);
        return [gain.plus(loss).isZero() ? new Decimal(50) : gain.times(100).div(gain.plus(loss))];
      };
    });
    const [index, plusDi, minusDi] = values(
      (feed) => adx(feed, 14),
      (out) => out.adx,
      (out) => out.plusDi,
      (out) => out.minusDi,
    );
    expectInRuns([valuesOfOne((feed) => atr(feed, 14)), index!, plusDi!, minusDi!], () => {
      let range = ZERO;
      let up = ZERO;
      let down = ZERO;
      let average = ZERO;
      return (row) => {
        const above = high(row).minus(high(row - 1));
        const fall = low(row - 1).minus(low(row));
        range = wilder(range, trueRange(row), 14);
        up = wilder(up, above.gt(fall) && above.gt(0) ? above : ZERO, 14);
        down = wilder(down, fall.gt(above) && fall.gt(0) ? fall : ZERO, 14);
        const share = (dividend: Decimal, divisor: Decimal) => (divisor.isZero() ? ZERO : dividend.times(100).div(divisor));
        average = wilder(average, share(up.minus(down).abs(), up.plus(down)), 14);
        return [range, average, share(up, range), share(down, range)];
      };
    });
  });
});
