// Adds and multiplies in the order of other tools, because a figure of nearly constant returns depends on the last bit of its sums.

/** numpy splits longer runs of values into two halves. */
const MAX_BLOCK_LENGTH = 128;

/** Returns the sum as numpy adds contiguous values: pairwise, in blocks of at most 128 with eight accumulators. */
export function pairwiseSum(values: Float64Array): number {
  // Adding 0 turns a sum of -0 into 0.
  return pairwise(values, 0, values.length) + 0;
}

/** Returns the pairwise sum of `count` values from row `from` on. */
function pairwise(values: Float64Array, from: number, count: number): number {
  if (count < 8) {
    let total = 0;
    for (let i = 0; i < count; i++) total += values[from + i]!;
    return total;
  }
  if (count > MAX_BLOCK_LENGTH) {
    const half = Math.floor(count / 2);
    const firstCount = half - (half % 8);
    return pairwise(values, from, firstCount) + pairwise(values, from + firstCount, count - firstCount);
  }
  const sums = values.slice(from, from + 8);
  const countInEights = count - (count % 8);
  for (let i = 8; i < countInEights; i += 8) for (let slot = 0; slot < 8; slot++) sums[slot]! += values[from + i + slot]!;
  const [a, b, c, d, e, f, g, h] = sums as unknown as readonly number[];
  let total = a! + b! + (c! + d!) + (e! + f! + (g! + h!));
  for (let i = countInEights; i < count; i++) total += values[from + i]!;
  return total;
}

/** Returns the sum from the first value to the last, as compiled loops add. */
export function sequentialSum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Returns the product of `1 + value`, from the first value to the last. */
export function productOfGrowth(returns: Float64Array): number {
  let growth = 1;
  for (const value of returns) growth *= value + 1;
  return growth;
}

/** Returns the running products of `1 + value`. */
export function cumulativeGrowth(returns: Float64Array): Float64Array {
  let growth = 1;
  return returns.map((value) => (growth *= value + 1));
}

/** Returns the highest value up to each row, `first` included. A NaN stays once it is met. */
export function runningMax(values: Float64Array, first = -Infinity): Float64Array {
  let highest = first;
  return values.map((value) => (highest = Math.max(highest, value)));
}

/** Returns the lowest and the highest value. Infinity and -Infinity for an empty column. */
export function rangeOf(values: Float64Array): { readonly min: number; readonly max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
