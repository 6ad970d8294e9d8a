// Computes means, deviations, shapes and quantiles like pandas, numpy and compiled loops, including their NaN and infinities.

import { pairwiseSum, rangeOf } from './orderedArithmetic.ts';

/** How values are added: `pairwiseSum` for numpy and pandas, `sequentialSum` for compiled loops. */
export type AddValues = (values: Float64Array) => number;

/** Returns the mean. NaN for an empty column. */
export function meanBy(add: AddValues, values: Float64Array): number {
  return values.length === 0 ? NaN : add(values) / values.length;
}

/**
 * Returns the standard deviation in two passes. The divisor is the number of values minus `ddof` (degrees of freedom, numpy's name): 1 for a
 * sample, 0 for a population. NaN when the divisor is at most 0.
 */
export function deviationBy(add: AddValues, values: Float64Array, ddof: number): number {
  const count = values.length;
  if (count - ddof <= 0) return NaN;
  const mean = meanBy(add, values);
  const squares = values.map((value) => {
    const distance = value - mean;
    return distance * distance;
  });
  return Math.sqrt(add(squares) / (count - ddof));
}

/** Returns the mean as pandas rounds it. NaN for an empty column. */
export function pandasMean(values: Float64Array): number {
  return meanBy(pairwiseSum, values);
}

/** Returns the sample deviation, or that of a population with `ddof` 0. */
export function pandasDeviation(values: Float64Array, ddof = 1): number {
  return deviationBy(pairwiseSum, values, ddof);
}

/** Returns the bias-corrected skew. NaN below three values, and for equal values. */
export function pandasSkew(values: Float64Array): number {
  const count = values.length;
  if (count < 3 || isOneValue(values)) return NaN;
  const squareSum = powerSum(values, 2);
  const cubeSum = powerSum(values, 3);
  return ((count * Math.sqrt(count - 1)) / (count - 2)) * (cubeSum / squareSum ** 1.5);
}

/** Returns the bias-corrected excess kurtosis. NaN below four values, and for equal values. */
export function pandasKurtosis(values: Float64Array): number {
  const count = values.length;
  if (count < 4 || isOneValue(values)) return NaN;
  const squareSum = powerSum(values, 2);
  const fourthPowerSum = powerSum(values, 4);
  const normalKurtosis = (3 * (count - 1) ** 2) / ((count - 2) * (count - 3));
  return (count * (count + 1) * (count - 1) * fourthPowerSum) / ((count - 2) * (count - 3) * squareSum ** 2) - normalKurtosis;
}

/** Returns the skew of a population. NaN for equal values. */
export function scipySkew(values: Float64Array): number {
  const count = values.length;
  if (isScipyConstant(values)) return NaN;
  return powerSum(values, 3) / count / (powerSum(values, 2) / count) ** 1.5;
}

/** Returns the excess kurtosis of a population. NaN for equal values. */
export function scipyKurtosis(values: Float64Array): number {
  const count = values.length;
  if (isScipyConstant(values)) return NaN;
  return powerSum(values, 4) / count / (powerSum(values, 2) / count) ** 2 - 3;
}

/** Returns the sum of the powers of the distances from the mean, with the factors in the order of scipy and pandas. */
function powerSum(values: Float64Array, power: 2 | 3 | 4): number {
  const mean = pandasMean(values);
  return pairwiseSum(
    values.map((value) => {
      const distance = value - mean;
      const square = distance * distance;
      if (power === 3) return square * distance;
      return power === 2 ? square : square * square;
    }),
  );
}

/** True when scipy regards the values as constant: their variance is lost in the rounding of the mean. */
function isScipyConstant(values: Float64Array): boolean {
  const variance = powerSum(values, 2) / values.length;
  return variance <= (Number.EPSILON * pandasMean(values)) ** 2;
}

/** True when all values are equal, and for an empty column. */
export function isOneValue(values: Float64Array): boolean {
  const { min, max } = rangeOf(values);
  return !(min < max);
}

/** Returns the `share`-quantile (0 to 1) by linear interpolation, as numpy rounds it. NaN for an empty column. */
export function numpyQuantile(values: Float64Array, share: number): number {
  const sorted = values.toSorted();
  const position = (sorted.length - 1) * share;
  const lowIndex = Math.floor(position);
  const weight = position - lowIndex;
  const low = sorted[lowIndex] ?? NaN;
  const high = sorted[lowIndex + 1] ?? low;
  return weight >= 0.5 ? high - (high - low) * (1 - weight) : low + (high - low) * weight;
}

/** Returns the mean of the `int((n - 1) cutoff) + 1` lowest values. NaN for an empty column. */
export function meanOfLowest(add: AddValues, values: Float64Array, cutoff: number): number {
  return meanBy(add, values.toSorted().subarray(0, Math.floor((values.length - 1) * cutoff) + 1));
}

/** Returns the values that `accepts` accepts. */
export function valuesWhere(values: Float64Array, accepts: (value: number) => boolean): Float64Array {
  return values.filter(accepts);
}

/** Returns the number of values that `accepts` accepts. */
export function countWhere(values: Float64Array, accepts: (value: number) => boolean): number {
  let count = 0;
  for (const value of values) if (accepts(value)) count++;
  return count;
}

/** Returns the length of the longest run of values that `accepts` accepts. */
export function longestRun(values: Float64Array, accepts: (value: number) => boolean): number {
  let maxLength = 0;
  let currentLength = 0;
  for (const value of values) {
    currentLength = accepts(value) ? currentLength + 1 : 0;
    if (currentLength > maxLength) maxLength = currentLength;
  }
  return maxLength;
}

/** Returns the value rounded to a whole number, halves to the even one, as Python and numpy round. */
export function roundHalfEven(value: number): number {
  const low = Math.floor(value);
  const fraction = value - low;
  if (fraction !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}
