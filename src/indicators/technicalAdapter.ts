// Adapts indicators of the technicalindicators package: passes bars one by one, aligns results to rows, and passes no NaN to the package.

import { listOf } from '../base/memory/listOf.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import {
  checkPositive,
  checkWhole,
  groupSpec,
  operand,
  seriesSpec,
  type IndicatorSpec,
  type Kernel,
  type Source,
  type Wiring,
} from './graph/spec.ts';
import type { TechnicalLibrary } from './graph/technicalLibrary.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// Some indicators of the package are not used, and most have a kernel of this project instead. The package rounds RSI, MFI, StochasticRSI
// and ADL. TRIX and the signal line of KST treat a value of exactly 0 as missing. CCI has a running sum whose rounding noise becomes a
// divisor when the price is constant.

const NO_BARS = { open: [], high: [], low: [], close: [], volume: [] };

/** Returns Williams %R, -100 to 0. NaN when the range of the window is empty. */
export function williamsR(feed: FeedSeries, bars = 14): IndicatorSpec<Series> {
  checkWhole('williamsR', 'bars', bars, 1);
  return specOfBars('williamsR', feed, [bars], bars, (library) => new library.WilliamsR({ ...NO_BARS, period: bars }));
}

/** Returns the on-balance volume, counted from the first bar of the data. */
export function obv(feed: FeedSeries): IndicatorSpec<Series> {
  return specOfBars('obv', feed, [], 2, (library) => new library.OBV(NO_BARS));
}

/** Returns the parabolic stop and reverse. The first trend is assumed to be upward. J. W. Wilder (1978). */
export function psar(feed: FeedSeries, step = 0.02, max = 0.2): IndicatorSpec<Series> {
  checkPositive('psar', 'step', step);
  checkPositive('psar', 'max', max);
  return specOfBars('psar', feed, [step, max], 1, (library) => new library.PSAR({ ...NO_BARS, step, max }));
}

/**
 * Returns the awesome oscillator: the simple average of the middle prices over `fastBars` minus that over `slowBars`. B. Williams (1998).
 */
export function awesomeOscillator(feed: FeedSeries, fastBars = 5, slowBars = 34): IndicatorSpec<Series> {
  checkWhole('awesomeOscillator', 'fastBars', fastBars, 1);
  checkWhole('awesomeOscillator', 'slowBars', slowBars, fastBars + 1);
  const make = (library: TechnicalLibrary) => new library.AwesomeOscillator({ ...NO_BARS, fastPeriod: fastBars, slowPeriod: slowBars });
  return specOfBars('awesomeOscillator', feed, [fastBars, slowBars], slowBars, make);
}

/** Returns the force index: the change of the close x volume, smoothed exponentially. A. Elder (1993). */
export function forceIndex(feed: FeedSeries, bars = 13): IndicatorSpec<Series> {
  checkWhole('forceIndex', 'bars', bars, 1);
  return specOfBars('forceIndex', feed, [bars], bars + 1, (library) => new library.ForceIndex({ ...NO_BARS, period: bars }));
}

/** Returns Wilder's moving average: an exponential average with weight 1 / bars. */
export function wilder(source: Source, bars = 14): IndicatorSpec<Series> {
  checkWhole('wilder', 'bars', bars, 1);
  return specOfValues('wilder', source, [bars], bars, (library) => new library.WEMA({ values: [], period: bars }));
}

/** The outputs of Keltner channels. */
export interface KeltnerChannels {
  readonly upper: Series;
  readonly middle: Series;
  readonly lower: Series;
}

/** Returns Keltner channels: the exponential average of the close, and `widths` average true ranges above and below it. */
export function keltner(feed: FeedSeries, bars = 20, atrBars = 10, widths = 2): IndicatorSpec<KeltnerChannels> {
  checkWhole('keltner', 'bars', bars, 1);
  checkWhole('keltner', 'atrBars', atrBars, 1);
  checkPositive('keltner', 'widths', widths);
  const ready = Math.max(bars, atrBars + 1);
  const make = (library: TechnicalLibrary) =>
    new library.KeltnerChannels({ ...NO_BARS, maPeriod: bars, atrPeriod: atrBars, useSMA: false, multiplier: widths });
  return groupSpec(
    recipeOfBars('keltner', feed, [bars, atrBars, widths], { '.upper': ready, '.middle': ready, '.lower': ready }, make),
    (outputs) => ({ upper: outputs.series(0), middle: outputs.series(1), lower: outputs.series(2) }),
  );
}

/** The stops of the chandelier exit, for long and for short positions. */
export interface ChandelierExit {
  readonly exitLong: Series;
  readonly exitShort: Series;
}

/** Returns the chandelier exit: `widths` average true ranges below the highest high and above the lowest low. C. Le Beau. */
export function chandelierExit(feed: FeedSeries, bars = 22, widths = 3): IndicatorSpec<ChandelierExit> {
  checkWhole('chandelierExit', 'bars', bars, 1);
  checkPositive('chandelierExit', 'widths', widths);
  const make = (library: TechnicalLibrary) => new library.ChandelierExit({ ...NO_BARS, period: bars, multiplier: widths });
  return groupSpec(
    recipeOfBars('chandelierExit', feed, [bars, widths], { '.exitLong': bars + 1, '.exitShort': bars + 1 }, make),
    (outputs) => ({
      exitLong: outputs.series(0),
      exitShort: outputs.series(1),
    }),
  );
}

/** The outputs of the Ichimoku cloud. */
export interface Ichimoku {
  readonly conversion: Series;
  readonly base: Series;
  /** The two spans (`spanA`, `spanB`) of this bar. Charts draw them `baseBars` bars later. */
  readonly spanA: Series;
  readonly spanB: Series;
}

/** Returns the Ichimoku cloud: midpoints of the ranges of the last bars. G. Hosoda (1969). */
export function ichimoku(feed: FeedSeries, conversionBars = 9, baseBars = 26, spanBars = 52): IndicatorSpec<Ichimoku> {
  checkWhole('ichimoku', 'conversionBars', conversionBars, 1);
  checkWhole('ichimoku', 'baseBars', baseBars, 1);
  checkWhole('ichimoku', 'spanBars', spanBars, 1);
  const ready = Math.max(conversionBars, baseBars, spanBars);
  // The package does not displace the spans. A larger `displacement` would only make the warm-up longer.
  const make = (library: TechnicalLibrary) =>
    new library.IchimokuCloud({
      ...NO_BARS,
      conversionPeriod: conversionBars,
      basePeriod: baseBars,
      spanPeriod: spanBars,
      displacement: 1,
    });
  return groupSpec(
    recipeOfBars(
      'ichimoku',
      feed,
      [conversionBars, baseBars, spanBars],
      { '.conversion': ready, '.base': ready, '.spanA': ready, '.spanB': ready },
      make,
    ),
    (outputs) => ({ conversion: outputs.series(0), base: outputs.series(1), spanA: outputs.series(2), spanB: outputs.series(3) }),
  );
}

/** An indicator of the package. Its type declarations do not match its real inputs, so both types are `unknown`. */
interface Stepper {
  nextValue(input: unknown): unknown;
}
type Make = (library: TechnicalLibrary) => Stepper;
type InputOfRow = (row: number) => unknown;

/** Returns the spec of a series that the package computes from whole bars. */
function specOfBars(name: string, feed: FeedSeries, parameters: readonly number[], neededBars: number, make: Make): IndicatorSpec<Series> {
  return seriesSpec(recipeOfBars(name, feed, parameters, { '': neededBars }, make));
}

/** Returns the spec of a series that the package computes from single values. */
function specOfValues(name: string, source: Source, parameters: readonly number[], neededBars: number, make: Make): IndicatorSpec<Series> {
  return seriesSpec(recipeOfValues(name, source, parameters, { '': neededBars }, make));
}

/** Returns the recipe of a node that passes whole bars to the package. `needs`: the bars that each output needs, by suffix. */
function recipeOfBars(name: string, feed: FeedSeries, parameters: readonly number[], needs: Readonly<Record<string, number>>, make: Make) {
  const sources = [feed.open, feed.high, feed.low, feed.close, feed.volume].map(operand);
  return {
    name,
    sources,
    parameters,
    needs,
    usesTechnical: true,
    makeKernel: (wiring: Wiring) => new AdapterKernel(make(wiring.technical), barsOf(wiring), Object.keys(needs), wiring),
  };
}

/**
 * Returns the recipe of a node that passes the values of one source to the package. `needs`: the bars that each output needs, by suffix.
 */
function recipeOfValues(name: string, source: Source, parameters: readonly number[], needs: Readonly<Record<string, number>>, make: Make) {
  return {
    name,
    sources: [operand(source)],
    parameters,
    needs,
    usesTechnical: true,
    makeKernel: (wiring: Wiring) => new AdapterKernel(make(wiring.technical), valuesOf(wiring), Object.keys(needs), wiring),
  };
}

/**
 * Returns a function that makes the input of a row: its bar. Each row has a new object, because several indicators of the package store
 * the last one.
 */
function barsOf(wiring: Wiring): InputOfRow {
  const columns: readonly IndicatorColumn<Float64Array>[] = listOf([0, 1, 2, 3, 4], (source) => wiring.numbers(source));
  const valueAt = (columnIndex: number, row: number) => columns[columnIndex]!.values[row - columns[columnIndex]!.base]!;
  return (row) => ({ open: valueAt(0, row), high: valueAt(1, row), low: valueAt(2, row), close: valueAt(3, row), volume: valueAt(4, row) });
}

/**
 * Returns a function that makes the input of a row: its value. The input is null for a value that is not ready, because a NaN would stay
 * in the running sums of the package permanently.
 */
function valuesOf(wiring: Wiring): InputOfRow {
  const column = wiring.numbers(0);
  return (row) => {
    const value = column.values[row - column.base]!;
    return value === value ? value : null;
  };
}

/** The kernel that runs an indicator of the package. */
class AdapterKernel implements Kernel {
  readonly #stepper: Stepper;
  readonly #inputOfRow: InputOfRow;
  /** For each output, the field of the package's result. '' if the result is a plain number. */
  readonly #fields: readonly string[];
  readonly #windows: readonly NumberWindow[];

  constructor(stepper: Stepper, feed: InputOfRow, suffixes: readonly string[], wiring: Wiring) {
    this.#stepper = stepper;
    this.#inputOfRow = feed;
    this.#fields = suffixes.map((suffix) => suffix.slice(1));
    this.#windows = listOf(suffixes, (_, output) => wiring.out(output));
  }

  fill(fromRow: number, toRow: number): void {
    for (let row = fromRow; row < toRow; row++) {
      const input = this.#inputOfRow(row);
      const result = input === null ? undefined : this.#stepper.nextValue(input);
      for (const [index, window] of this.#windows.entries()) window.values[row - window.base] = numberIn(result, this.#fields[index]!);
    }
  }
}

/** Returns the number in a result of the package. NaN during the warm-up, when the package returns no result. */
function numberIn(result: unknown, field: string): number {
  if (typeof result === 'number') return Number.isFinite(result) ? result : NAN;
  if (typeof result !== 'object' || result === null) return NAN;
  const value: unknown = Reflect.get(result, field);
  return typeof value === 'number' ? value : NAN;
}
