// Statistics of the last values of a series: spread, position in the window, and shape of the distribution.

import type { Series } from '../graph/series.ts';
import { checkPositive, checkWhole, type IndicatorSpec, type Source } from '../graph/spec.ts';
import { windowedSeries } from '../graph/stepped.ts';
import type { IndicatorColumn } from '../graph/window.ts';
import { sortedStatistic } from './sorted.ts';
import { MAX_BARS, deviationStatistic } from './spread.ts';
import { ConfigError } from '../../base/errors.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

type Column = IndicatorColumn<Float64Array>;

/** Returns the mean of the `bars` values up to `row`. */
function meanOf({ values, base }: Column, row: number, bars: number): number {
  let sum = 0;
  for (let i = row - bars + 1 - base; i <= row - base; i++) sum += values[i]!;
  return sum / bars;
}

/** Returns the sum of the `power`-th powers of the distances from `mean`. */
function powerSum({ values, base }: Column, row: number, { bars, mean, power }: { bars: number; mean: number; power: 2 | 3 | 4 }): number {
  let sum = 0;
  for (let i = row - bars + 1 - base; i <= row - base; i++) {
    const distance = values[i]! - mean;
    const square = distance * distance;
    // Multiplied in this order, so that the roundings stay those of the recorded results.
    if (power === 2) sum += square;
    else if (power === 3) sum += square * distance;
    else sum += square * distance * distance;
  }
  return sum;
}

/** Returns the spec of a statistic that `statisticOf` computes from the last `bars` values. Throws ConfigError if `bars` is below `min`. */
function windowStatistic(
  name: string,
  x: Source,
  { bars, min = 1, parameters = [bars] }: { readonly bars: number; readonly min?: number; readonly parameters?: readonly number[] },
  statisticOf: (column: Column, row: number) => number,
): IndicatorSpec<Series> {
  checkWhole(name, 'bars', bars, min, MAX_BARS);
  return windowedSeries({ name, sources: [x], bars, parameters, compute: ([column], row) => statisticOf(column!, row) });
}

/** Returns the sum of the last `bars` values. */
export function rollingSum(x: Source, bars: number): IndicatorSpec<Series> {
  // The mean times the count, and not the sum itself: the recorded results have these roundings.
  return windowStatistic('rollingSum', x, { bars }, (column, row) => meanOf(column, row, bars) * bars);
}

/** Returns the variance of the last `bars` values: their mean squared distance from their mean (population). */
export function variance(x: Source, bars: number): IndicatorSpec<Series> {
  return deviationStatistic('variance', x, { bars, minBars: 1 });
}

/** Returns the standard deviation of the last `bars` values (population). */
export function stdDev(x: Source, bars: number): IndicatorSpec<Series> {
  return deviationStatistic('stdDev', x, { bars, minBars: 1 });
}

/**
 * Returns the distance of the newest value from the mean of the last `bars` values, in standard deviations (population). NaN if all values
 * are equal.
 */
export function zscore(x: Source, bars: number): IndicatorSpec<Series> {
  return deviationStatistic('zscore', x, { bars, minBars: 2 });
}

/** Returns the mean distance of the last `bars` values from their mean. */
export function meanDeviation(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('meanDeviation', x, { bars }, (column, row) => {
    const mean = meanOf(column, row, bars);
    let sum = 0;
    for (let i = row - bars + 1 - column.base; i <= row - column.base; i++) sum += Math.abs(column.values[i]! - mean);
    return sum / bars;
  });
}

/** Returns the skewness of the last `bars` values (from 3), corrected for the size of the sample. NaN if all values are equal. */
export function skewness(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('skewness', x, { bars, min: 3 }, (column, row) => {
    const mean = meanOf(column, row, bars);
    const secondMoment = powerSum(column, row, { bars, mean, power: 2 }) / bars;
    const thirdMoment = powerSum(column, row, { bars, mean, power: 3 }) / bars;
    return ((Math.sqrt(bars * (bars - 1)) / (bars - 2)) * thirdMoment) / secondMoment ** 1.5;
  });
}

/** Returns the excess kurtosis of the last `bars` values (from 4), corrected for the size of the sample. NaN if all values are equal. */
export function kurtosis(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('kurtosis', x, { bars, min: 4 }, (column, row) => {
    const mean = meanOf(column, row, bars);
    const squares = powerSum(column, row, { bars, mean, power: 2 });
    const fourths = powerSum(column, row, { bars, mean, power: 4 });
    const sampleVariance = squares / (bars - 1);
    const scale = (bars * (bars + 1)) / ((bars - 1) * (bars - 2) * (bars - 3));
    return (scale * fourths) / (sampleVariance * sampleVariance) - (3 * (bars - 1) ** 2) / ((bars - 2) * (bars - 3));
  });
}

/**
 * Returns a percentile of the last `bars` values, interpolated between neighbours. `percent`: 0 (the lowest value) to 100 (the highest).
 * 50 is the median.
 */
export function percentile(x: Source, bars: number, percent = 50): IndicatorSpec<Series> {
  if (!(percent >= 0 && percent <= 100))
    throw new ConfigError(`percentile: percent: expected a number from 0 to 100, got ${percent}`, 'correct the percent of percentile');
  const position = (percent / 100) * (bars - 1);
  const lowerIndex = Math.floor(position);
  return sortedStatistic('percentile', x, { bars, parameters: [bars, percent] }, (sorted) => {
    const [low, high] = [sorted[lowerIndex]!, sorted[Math.min(bars - 1, lowerIndex + 1)]!];
    return low + (high - low) * (position - lowerIndex);
  });
}

/** Returns the median of the last `bars` values. For an even `bars`, it is the mean of the two middle values. */
export function median(x: Source, bars: number): IndicatorSpec<Series> {
  const lowerIndex = Math.floor((bars - 1) / 2);
  const upperIndex = Math.floor(bars / 2);
  return sortedStatistic('median', x, { bars, parameters: [bars] }, (sorted) => (sorted[lowerIndex]! + sorted[upperIndex]!) / 2);
}

/** Returns the percentage of the `bars` values before the newest that are below the newest value. */
export function percentRank(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('percentRank', x, { bars: bars + 1, min: 2, parameters: [bars] }, ({ values, base }, row) => {
    const newest = values[row - base]!;
    let countBelow = 0;
    for (let i = row - bars - base; i < row - base; i++) if (values[i]! < newest) countBelow++;
    return (100 * countBelow) / bars;
  });
}

/** Returns the newest value relative to the highest of the last `bars` values: 0 at the highest, -0.2 when 20 % below it. */
export function drawdown(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('drawdown', x, { bars }, ({ values, base }, row) => {
    let high = -INFINITY;
    for (let i = row - bars + 1 - base; i <= row - base; i++) high = Math.max(high, values[i]!);
    return values[row - base]! / high - 1;
  });
}

/**
 * Returns the number of bars since the highest of the last `bars` values: 0 when the newest is the highest. Of equal values, the newest
 * counts.
 */
export function barsSinceHighest(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('barsSinceHighest', x, { bars }, (column, row) => barsSince(column, row, bars, 1));
}

/**
 * Returns the number of bars since the lowest of the last `bars` values: 0 when the newest is the lowest. Of equal values, the newest
 * counts.
 */
export function barsSinceLowest(x: Source, bars: number): IndicatorSpec<Series> {
  return windowStatistic('barsSinceLowest', x, { bars }, (column, row) => barsSince(column, row, bars, -1));
}

/** Returns the number of bars since the highest value (`sign` 1) or the lowest value (`sign` -1) of a window. */
export function barsSince({ values, base }: Column, row: number, bars: number, sign: 1 | -1): number {
  let best = row - base;
  for (let i = row - 1 - base; i > row - bars - base; i--) if (sign * (values[i]! - values[best]!) > 0) best = i;
  return row - base - best;
}

/**
 * Returns the realised volatility: the standard deviation (sample) of the last `bars` log returns, times the square root of `perYear`.
 * `perYear` is the number of returns in a year.
 */
export function realisedVolatility(x: Source, bars: number, perYear = 1): IndicatorSpec<Series> {
  checkPositive('realisedVolatility', 'perYear', perYear);
  return windowStatistic('realisedVolatility', x, { bars: bars + 1, min: 3, parameters: [bars, perYear] }, ({ values, base }, row) => {
    const first = row - bars - base;
    const mean = Math.log(values[row - base]! / values[first]!) / bars;
    let sum = 0;
    for (let i = first + 1; i <= row - base; i++) sum += (Math.log(values[i]! / values[i - 1]!) - mean) ** 2;
    return Math.sqrt((sum / (bars - 1)) * perYear);
  });
}
