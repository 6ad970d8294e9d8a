// Adapts indicators of the technicalindicators package: passes bars one by one, aligns results to rows, and keeps NaN out of the package.

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

/** Williams %R, -100 to 0. NaN when the range of the window is empty. */
export function williamsR(feed: FeedSeries, bars = 14): IndicatorSpec<Series> {
  checkWhole('williamsR', 'bars', bars, 1);
  return ofBars('williamsR', feed, [bars], bars, (lib) => new lib.WilliamsR({ ...NO_BARS, period: bars }));
}

/** On-balance volume, counted from the first bar of the data. */
export function obv(feed: FeedSeries): IndicatorSpec<Series> {
  return ofBars('obv', feed, [], 2, (lib) => new lib.OBV(NO_BARS));
}

/** Parabolic stop and reverse. J. W. Wilder (1978). The first trend is assumed to be upward. */
export function psar(feed: FeedSeries, step = 0.02, max = 0.2): IndicatorSpec<Series> {
  checkPositive('psar', 'step', step);
  checkPositive('psar', 'max', max);
  return ofBars('psar', feed, [step, max], 1, (lib) => new lib.PSAR({ ...NO_BARS, step, max }));
}

/** Awesome oscillator: the simple average of the middle prices over `fastBars` minus that over `slowBars`. B. Williams (1998). */
export function awesomeOscillator(feed: FeedSeries, fastBars = 5, slowBars = 34): IndicatorSpec<Series> {
  checkWhole('awesomeOscillator', 'fastBars', fastBars, 1);
  checkWhole('awesomeOscillator', 'slowBars', slowBars, fastBars + 1);
  const make = (lib: TechnicalLibrary) => new lib.AwesomeOscillator({ ...NO_BARS, fastPeriod: fastBars, slowPeriod: slowBars });
  return ofBars('awesomeOscillator', feed, [fastBars, slowBars], slowBars, make);
}

/** Force index: change of the close x volume, smoothed exponentially. A. Elder (1993). */
export function forceIndex(feed: FeedSeries, bars = 13): IndicatorSpec<Series> {
  checkWhole('forceIndex', 'bars', bars, 1);
  return ofBars('forceIndex', feed, [bars], bars + 1, (lib) => new lib.ForceIndex({ ...NO_BARS, period: bars }));
}

/** Wilder's moving average: exponential with weight 1 / bars. */
export function wilder(source: Source, bars = 14): IndicatorSpec<Series> {
  checkWhole('wilder', 'bars', bars, 1);
  return ofValues('wilder', source, [bars], bars, (lib) => new lib.WEMA({ values: [], period: bars }));
}

export interface KeltnerChannels {
  readonly upper: Series;
  readonly middle: Series;
  readonly lower: Series;
}

/** Keltner channels: the exponential average of the close, and `widths` average true ranges above and below it. */
export function keltner(feed: FeedSeries, bars = 20, atrBars = 10, widths = 2): IndicatorSpec<KeltnerChannels> {
  checkWhole('keltner', 'bars', bars, 1);
  checkWhole('keltner', 'atrBars', atrBars, 1);
  checkPositive('keltner', 'widths', widths);
  const ready = Math.max(bars, atrBars + 1);
  const make = (lib: TechnicalLibrary) =>
    new lib.KeltnerChannels({ ...NO_BARS, maPeriod: bars, atrPeriod: atrBars, useSMA: false, multiplier: widths });
  return groupSpec(
    recipeOfBars('keltner', feed, [bars, atrBars, widths], { '.upper': ready, '.middle': ready, '.lower': ready }, make),
    (outputs) => ({ upper: outputs.series(0), middle: outputs.series(1), lower: outputs.series(2) }),
  );
}

export interface ChandelierExit {
  readonly exitLong: Series;
  readonly exitShort: Series;
}

/** Chandelier exit: `widths` average true ranges below the highest high and above the lowest low. C. Le Beau. */
export function chandelierExit(feed: FeedSeries, bars = 22, widths = 3): IndicatorSpec<ChandelierExit> {
  checkWhole('chandelierExit', 'bars', bars, 1);
  checkPositive('chandelierExit', 'widths', widths);
  const make = (lib: TechnicalLibrary) => new lib.ChandelierExit({ ...NO_BARS, period: bars, multiplier: widths });
  return groupSpec(
    recipeOfBars('chandelierExit', feed, [bars, widths], { '.exitLong': bars + 1, '.exitShort': bars + 1 }, make),
    (outputs) => ({
      exitLong: outputs.series(0),
      exitShort: outputs.series(1),
    }),
  );
}

export interface Ichimoku {
  readonly conversion: Series;
  readonly base: Series;
  /** Both spans as computed at this bar. Charts draw them `baseBars` further right. */
  readonly spanA: Series;
  readonly spanB: Series;
}

/** Ichimoku cloud: midpoints of the ranges of the last bars. G. Hosoda (1969). */
export function ichimoku(feed: FeedSeries, conversionBars = 9, baseBars = 26, spanBars = 52): IndicatorSpec<Ichimoku> {
  checkWhole('ichimoku', 'conversionBars', conversionBars, 1);
  checkWhole('ichimoku', 'baseBars', baseBars, 1);
  checkWhole('ichimoku', 'spanBars', spanBars, 1);
  const ready = Math.max(conversionBars, baseBars, spanBars);
  // The package does not displace the spans. Its `displacement` would only lengthen the warm-up.
  const make = (lib: TechnicalLibrary) =>
    new lib.IchimokuCloud({ ...NO_BARS, conversionPeriod: conversionBars, basePeriod: baseBars, spanPeriod: spanBars, displacement: 1 });
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
type Make = (lib: TechnicalLibrary) => Stepper;
type Feeder = (row: number) => unknown;

const NO_BARS = { open: [], high: [], low: [], close: [], volume: [] };

function ofBars(name: string, feed: FeedSeries, parameters: readonly number[], needed: number, make: Make): IndicatorSpec<Series> {
  return seriesSpec(recipeOfBars(name, feed, parameters, { '': needed }, make));
}

function ofValues(name: string, source: Source, parameters: readonly number[], needed: number, make: Make): IndicatorSpec<Series> {
  return seriesSpec(recipeOfValues(name, source, parameters, { '': needed }, make));
}

function recipeOfBars(name: string, feed: FeedSeries, parameters: readonly number[], needs: Readonly<Record<string, number>>, make: Make) {
  const sources = [feed.open, feed.high, feed.low, feed.close, feed.volume].map(operand);
  return {
    name,
    sources,
    parameters,
    needs,
    technical: true,
    make: (wiring: Wiring) => new Adapted(make(wiring.technical), barsOf(wiring), Object.keys(needs), wiring),
  };
}

function recipeOfValues(name: string, source: Source, parameters: readonly number[], needs: Readonly<Record<string, number>>, make: Make) {
  return {
    name,
    sources: [operand(source)],
    parameters,
    needs,
    technical: true,
    make: (wiring: Wiring) => new Adapted(make(wiring.technical), valuesOf(wiring), Object.keys(needs), wiring),
  };
}

/** Returns a new object for each row, because several indicators of the package keep the last one. */
function barsOf(wiring: Wiring): Feeder {
  const columns: readonly IndicatorColumn<Float64Array>[] = listOf([0, 1, 2, 3, 4], (source) => wiring.numbers(source));
  const at = (column: number, row: number) => columns[column]!.values[row - columns[column]!.base]!;
  return (row) => ({ open: at(0, row), high: at(1, row), low: at(2, row), close: at(3, row), volume: at(4, row) });
}

/** Returns null for a value that is not ready. A NaN would stay in the running sums of the package permanently. */
function valuesOf(wiring: Wiring): Feeder {
  const column = wiring.numbers(0);
  return (row) => {
    const x = column.values[row - column.base]!;
    return x === x ? x : null;
  };
}

class Adapted implements Kernel {
  readonly #stepper: Stepper;
  readonly #feed: Feeder;
  /** The field of the package's result for each output. '' for a plain number. */
  readonly #fields: readonly string[];
  readonly #windows: readonly NumberWindow[];

  constructor(stepper: Stepper, feed: Feeder, suffixes: readonly string[], wiring: Wiring) {
    this.#stepper = stepper;
    this.#feed = feed;
    this.#fields = suffixes.map((suffix) => suffix.slice(1));
    this.#windows = listOf(suffixes, (_, output) => wiring.out(output));
  }

  fill(fromRow: number, toRow: number): void {
    for (let row = fromRow; row < toRow; row++) {
      const input = this.#feed(row);
      const result = input === null ? undefined : this.#stepper.nextValue(input);
      for (const [index, window] of this.#windows.entries()) window.values[row - window.base] = numberIn(result, this.#fields[index]!);
    }
  }
}

/** Returns the number in a result of the package. NaN during its warm-up, when it returns nothing. */
function numberIn(result: unknown, field: string): number {
  if (typeof result === 'number') return Number.isFinite(result) ? result : NAN;
  if (typeof result !== 'object' || result === null) return NAN;
  const value: unknown = Reflect.get(result, field);
  return typeof value === 'number' ? value : NAN;
}
