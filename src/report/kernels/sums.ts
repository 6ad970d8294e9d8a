// Sums, deviations, quantiles and moments. Sums are compensated and in a fixed order, so the bits are the same on every machine.

/** Spreads and depths of at most this count as zero, as in docs/metrics.md. */
export const ZERO = 1e-12;

/** Returns Neumaier's compensated sum of `term(0) .. term(count - 1)`, in that order. */
export function sumOf(count: number, term: (index: number) => number): number {
  let total = 0;
  let roundingLoss = 0;
  for (let index = 0; index < count; index++) {
    const addend = term(index);
    const next = total + addend;
    roundingLoss += Math.abs(total) >= Math.abs(addend) ? total - next + addend : addend - next + total;
    total = next;
  }
  return total + roundingLoss;
}

/** Maximum number of rows that one call of a loop adds. Hot: docs/performance.md#loops-in-parts. */
const PART_ROWS = 1024;

/** A compensated sum in progress: the total, and the rounding loss of its additions. */
const running = new Float64Array(2);

/** Returns the compensated sum of a column, like `sumOf`. */
export function columnSum(values: Float64Array): number {
  running.fill(0);
  for (let from = 0; from < values.length; from += PART_ROWS) addRows(values, from, Math.min(from + PART_ROWS, values.length));
  return running[0]! + running[1]!;
}

/** Adds the rows [from, to) to `running`. Hot: docs/performance.md#index-loops. */
function addRows(values: Float64Array, from: number, to: number): void {
  let total = running[0]!;
  let roundingLoss = running[1]!;
  for (let row = from; row < to; row++) {
    const addend = values[row]!;
    const next = total + addend;
    roundingLoss += Math.abs(total) >= Math.abs(addend) ? total - next + addend : addend - next + total;
    total = next;
  }
  running[0] = total;
  running[1] = roundingLoss;
}

/** The sum of the values with a positive sign, and the sum of the values with a negative sign. */
export interface SignedSums {
  readonly above: number;
  readonly below: number;
  /** Number of values in each sum. */
  readonly countAbove: number;
  readonly countBelow: number;
}

/** Two compensated sums in progress: total, rounding loss and count for the signs above 0, then the same three for those below. */
const signedRunning = new Float64Array(6);

/**
 * Returns the compensated sums of `values`, split by the sign of the number in the same row of `signs`. A sign of 0 counts for neither sum.
 */
export function signedSums(values: Float64Array, signs: Float64Array): SignedSums {
  signedRunning.fill(0);
  for (let from = 0; from < values.length; from += PART_ROWS) addSigned(values, signs, from, Math.min(from + PART_ROWS, values.length));
  return {
    above: signedRunning[0]! + signedRunning[1]!,
    below: signedRunning[3]! + signedRunning[4]!,
    countAbove: signedRunning[2]!,
    countBelow: signedRunning[5]!,
  };
}

/** Adds the rows [from, to) to `signedRunning`. Hot: docs/performance.md#index-loops. */
function addSigned(values: Float64Array, signs: Float64Array, from: number, to: number): void {
  let above = signedRunning[0]!;
  let roundingLossAbove = signedRunning[1]!;
  let countAbove = signedRunning[2]!;
  let below = signedRunning[3]!;
  let roundingLossBelow = signedRunning[4]!;
  let countBelow = signedRunning[5]!;
  for (let row = from; row < to; row++) {
    const sign = signs[row]!;
    const addend = values[row]!;
    if (sign > 0) {
      const next = above + addend;
      roundingLossAbove += Math.abs(above) >= Math.abs(addend) ? above - next + addend : addend - next + above;
      above = next;
      countAbove++;
    } else if (sign < 0) {
      const next = below + addend;
      roundingLossBelow += Math.abs(below) >= Math.abs(addend) ? below - next + addend : addend - next + below;
      below = next;
      countBelow++;
    }
  }
  signedRunning[0] = above;
  signedRunning[1] = roundingLossAbove;
  signedRunning[2] = countAbove;
  signedRunning[3] = below;
  signedRunning[4] = roundingLossBelow;
  signedRunning[5] = countBelow;
}

/** Returns the mean. NaN for an empty column. */
export function mean(values: Float64Array): number {
  return columnSum(values) / values.length;
}

/** Returns the sample standard deviation (ddof 1), in two passes. NaN below two values. `middle` is the mean of the values. */
export function deviation(values: Float64Array, middle = mean(values)): number {
  return values.length < 2 ? NaN : Math.sqrt(squaredDeviation(values, middle) / (values.length - 1));
}

/** Returns the sum of the squared deviations from `middle`. */
function squaredDeviation(values: Float64Array, middle: number): number {
  running.fill(0);
  for (let from = 0; from < values.length; from += PART_ROWS) addSquares(values, middle, from, Math.min(from + PART_ROWS, values.length));
  return running[0]! + running[1]!;
}

/** Adds the squared deviations of the rows [from, to) to `running`. Hot: docs/performance.md#index-loops. */
function addSquares(values: Float64Array, middle: number, from: number, to: number): void {
  let total = running[0]!;
  let roundingLoss = running[1]!;
  for (let row = from; row < to; row++) {
    const distance = values[row]! - middle;
    const addend = distance * distance;
    const next = total + addend;
    roundingLoss += Math.abs(total) >= Math.abs(addend) ? total - next + addend : addend - next + total;
    total = next;
  }
  running[0] = total;
  running[1] = roundingLoss;
}

/** Returns the sum of the products of the deviations of two columns of equal length, in two passes. */
export function coDeviation(a: Float64Array, b: Float64Array): number {
  const meanA = mean(a);
  const meanB = mean(b);
  return sumOf(a.length, (row) => (a[row]! - meanA) * (b[row]! - meanB));
}

/** Returns Pearson's correlation. Null when one of the columns is constant. */
export function correlation(a: Float64Array, b: Float64Array): number | null {
  if (isConstant(a) || isConstant(b)) return null;
  return coDeviation(a, b) / Math.sqrt(coDeviation(a, a) * coDeviation(b, b));
}

/** Returns true when the values spread over at most 1e-12, and for an empty column. */
export function isConstant(values: Float64Array): boolean {
  return !(columnMax(values) - columnMin(values) > ZERO);
}

/** Returns the largest value. -Infinity for an empty column. */
export function columnMax(values: Float64Array): number {
  let max = -Infinity;
  for (let row = 0; row < values.length; row++) if (values[row]! > max) max = values[row]!;
  return max;
}

/** Returns the smallest value. Infinity for an empty column. */
export function columnMin(values: Float64Array): number {
  let min = Infinity;
  for (let row = 0; row < values.length; row++) if (values[row]! < min) min = values[row]!;
  return min;
}

/** Returns the `fraction`-quantile (0 to 1) of ascending values, by linear interpolation. NaN for an empty column. */
export function quantile(ascending: Float64Array, fraction: number): number {
  const position = fraction * (ascending.length - 1);
  const below = Math.floor(position);
  const low = ascending[below] ?? NaN;
  const weight = position - below;
  return weight === 0 ? low : low + (ascending[below + 1]! - low) * weight;
}

/**
 * Returns the median, the mean of the two middle values for an even count. NaN for an empty column. Selection takes linear time, sorting
 * does not.
 */
export function columnMedian(values: Float64Array): number {
  const { length } = values;
  if (length === 0) return NaN;
  const reordered = values.slice();
  const upper = length >> 1;
  selectRank(reordered, upper);
  if (length % 2 === 1) return reordered[upper]!;
  // After the selection, the lower middle value is the largest one before the upper middle value.
  return (columnMax(reordered.subarray(0, upper)) + reordered[upper]!) / 2;
}

/**
 * Reorders `values` so that the value of rank `rank` (from 0, ascending) is at that index. No value before it is greater, and none after it is
 * smaller (Hoare's selection).
 */
function selectRank(values: Float64Array, rank: number): void {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const swapped = values[left]!;
      values[left++] = values[right]!;
      values[right--] = swapped;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else return;
  }
}

/** Returns bias-corrected skew and excess kurtosis. NaN below three and four values. The values must not be constant. */
export function shape(values: Float64Array): { readonly skew: number; readonly excessKurtosis: number } {
  const count = values.length;
  const middle = mean(values);
  const deviations = values.map((value) => value - middle);
  // Products instead of powers: a product rounds the same on every machine.
  const secondMoment = sumOf(count, (row) => deviations[row]! * deviations[row]!) / count;
  const thirdMoment = sumOf(count, (row) => deviations[row]! * deviations[row]! * deviations[row]!) / count;
  const fourthMoment = sumOf(count, (row) => deviations[row]! * deviations[row]! * (deviations[row]! * deviations[row]!)) / count;
  const biasedSkew = thirdMoment / (secondMoment * Math.sqrt(secondMoment));
  const biasedKurtosis = fourthMoment / (secondMoment * secondMoment) - 3;
  const skew = count < 3 ? NaN : (Math.sqrt(count * (count - 1)) / (count - 2)) * biasedSkew;
  const kurtosisFactor = (count - 1) / ((count - 2) * (count - 3));
  const excessKurtosis = count < 4 ? NaN : kurtosisFactor * ((count + 1) * biasedKurtosis + 6);
  return { skew, excessKurtosis };
}
