// Tests the adapter and kernels against a second library: equal within rounding after the warm-ups have faded.

import * as signals from 'trading-signals';
import { beforeAll, expect, it } from 'vitest';
import { syntheticBars } from '../../test/fixtures/syntheticBars.ts';
import { ema, wma } from './averages.ts';
import { bollinger } from './channels.ts';
import { IndicatorSet } from './graph/indicatorSet.ts';
import { cci, roc, trix } from './momentum.ts';
import { macd, mfi, rsi, stochastic } from './oscillators.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import type { IndicatorSpec } from './graph/spec.ts';
import { awesomeOscillator, forceIndex, obv, psar, wilder, williamsR } from './technicalAdapter.ts';
import { loadTechnicalLibrary, type TechnicalLibrary } from './graph/technicalLibrary.ts';
import { adx, atr } from './trend.ts';

/** A bar in the form of the other library. */
interface Bar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

// Without flat stretches, because libraries differ by convention on indicators of a constant price.
const bars = syntheticBars(1500, 21, 2, 0);
const rows: readonly Bar[] = Array.from({ length: bars.length }, (_, i) => ({
  open: bars.open[i]!,
  high: bars.high[i]!,
  low: bars.low[i]!,
  close: bars.close[i]!,
  volume: bars.volume[i]!,
}));
/** From this row on, the seed of a smoothing makes no visible difference. */
const SETTLED = 1000;

let library: TechnicalLibrary;
beforeAll(async () => {
  library = await loadTechnicalLibrary();
});

/** Returns the results of an indicator of the other library after each row. */
const resultsOf = <T>(indicator: { add(input: T): unknown; getResult(): number | null }, input: (bar: Bar) => T) =>
  rows.map((row) => (indicator.add(input(row)), indicator.getResult()));
const close = (bar: Bar) => bar.close;
const wholeBar = (bar: Bar) => bar;

/** Returns a function that computes all values of an indicator. */
const valuesOf =
  <Out>(makeSpec: (feed: FeedSeries) => IndicatorSpec<Out>, pick: (out: Out) => Series) =>
  () => {
    const set = new IndicatorSet(bars, { row: -1 }, 64);
    const series = pick(set.use(makeSpec(set.series)));
    set.seal(library);
    return set.traceValues(series);
  };
const single = (makeSpec: (feed: FeedSeries) => IndicatorSpec<Series>) => valuesOf(makeSpec, (series) => series);
/** Returns one number of each record of the other library. */
const numbersOf = <R>(results: readonly (R | null)[], pick: (result: R) => number) =>
  results.map((result) => (result === null ? null : pick(result)));
const recordsOf = <T, R>(indicator: { add(input: T): R | null }, input: (bar: Bar) => T) => rows.map((row) => indicator.add(input(row)));
const macdOf = () => recordsOf(new signals.MACD(new signals.EMA(12), new signals.EMA(26), new signals.EMA(9)), close);
const stochasticOf = () => recordsOf(new signals.StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 }), wholeBar);
const bandsOf = () => recordsOf(new signals.BollingerBands(20, 2), close);

/** Returns the on-balance volume by its definition. The second library counts over a window. */
function obvByDefinition(): number[] {
  let sum = 0;
  return rows.map((row, i) => (sum += i === 0 ? 0 : row.volume * Math.sign(row.close - rows[i - 1]!.close)));
}

/** Returns the parabolic stop and reverse of Wilder's book. The second library differs from the book at a reversal. */
function psarByDefinition(step: number, max: number): number[] {
  let isLong = true;
  let pace = step;
  let extreme = rows[0]!.high;
  let stop = rows[0]!.low;
  return rows.map((row, i) => {
    if (i === 0) return stop;
    const last = rows[i - 1]!;
    const before = rows[Math.max(0, i - 2)]!;
    stop += pace * (extreme - stop);
    stop = isLong ? Math.min(stop, last.low, before.low) : Math.max(stop, last.high, before.high);
    if (isLong ? row.high > extreme : row.low < extreme) {
      extreme = isLong ? row.high : row.low;
      pace = Math.min(pace + step, max);
    }
    if (isLong ? row.low < stop : row.high > stop) {
      stop = extreme;
      extreme = isLong ? row.low : row.high;
      pace = step;
      isLong = !isLong;
    }
    return stop;
  });
}

const CASES: readonly [string, () => Float64Array, () => readonly (number | null)[]][] = [
  ['ema', single((feed) => ema(feed.close, 10)), () => resultsOf(new signals.EMA(10), close)],
  ['wma', single((feed) => wma(feed.close, 10)), () => resultsOf(new signals.WMA(10), close)],
  ['rsi', single((feed) => rsi(feed.close, 14)), () => resultsOf(new signals.RSI(14), close)],
  ['atr', single((feed) => atr(feed, 14)), () => resultsOf(new signals.ATR(14), wholeBar)],
  [
    'adx',
    valuesOf(
      (feed) => adx(feed, 14),
      (out) => out.adx,
    ),
    () => resultsOf(new signals.ADX(14), wholeBar),
  ],
  ['mfi', single((feed) => mfi(feed, 14)), () => resultsOf(new signals.MFI(14), wholeBar)],
  [
    'macd',
    valuesOf(
      (feed) => macd(feed.close),
      (out) => out.macd,
    ),
    () => numbersOf(macdOf(), (result) => result.macd),
  ],
  [
    'macd signal',
    valuesOf(
      (feed) => macd(feed.close),
      (out) => out.signal,
    ),
    () => numbersOf(macdOf(), (result) => result.signal),
  ],
  [
    'stochastic k',
    valuesOf(
      (feed) => stochastic(feed, 14, 3, 3),
      (out) => out.k,
    ),
    () => numbersOf(stochasticOf(), (result) => result.stochK),
  ],
  [
    'stochastic d',
    valuesOf(
      (feed) => stochastic(feed, 14, 3, 3),
      (out) => out.d,
    ),
    () => numbersOf(stochasticOf(), (result) => result.stochD),
  ],
  [
    'upper band',
    valuesOf(
      (feed) => bollinger(feed.close, 20, 2),
      (out) => out.upper,
    ),
    () => numbersOf(bandsOf(), (result) => result.upper),
  ],
  [
    'lower band',
    valuesOf(
      (feed) => bollinger(feed.close, 20, 2),
      (out) => out.lower,
    ),
    () => numbersOf(bandsOf(), (result) => result.lower),
  ],
  ['cci', single((feed) => cci(feed, 20)), () => resultsOf(new signals.CCI(20), wholeBar)],
  ['williamsR', single((feed) => williamsR(feed, 14)), () => resultsOf(new signals.WilliamsR(14), wholeBar)],
  ['awesomeOscillator', single((feed) => awesomeOscillator(feed)), () => resultsOf(new signals.AO(5, 34), wholeBar)],
  ['psar', single((feed) => psar(feed)), () => psarByDefinition(0.02, 0.2)],
  ['obv', single((feed) => obv(feed)), obvByDefinition],
  ['roc', single((feed) => roc(feed.close, 12)), () => numbersOf(resultsOf(new signals.ROC(12), close), (x) => 100 * x)],
  // The other library divides the change by the newer value. The definition divides it by the older value.
  ['trix', single((feed) => trix(feed.close, 9)), () => numbersOf(resultsOf(new signals.TRIX(9), close), (x) => x / (1 - x / 100))],
  ['forceIndex', single((feed) => forceIndex(feed, 13)), () => resultsOf(new signals.ForceIndex(13), wholeBar)],
  ['wilder', single((feed) => wilder(feed.close, 14)), () => resultsOf(new signals.WSMA(14), close)],
];

it.each(CASES)('the indicator %s equals that of the second library', (_name, ourValues, theirValues) => {
  const actual = ourValues();
  const reference = theirValues();
  for (let row = SETTLED; row < bars.length; row++) {
    const expected = reference[row] ?? NaN;
    // The error is relative to at least 1, because small differences of large values lose digits in both libraries.
    expect(Math.abs(actual[row]! - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)));
  }
});
