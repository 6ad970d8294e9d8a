// Adds and multiplies in the order of other tools, because a figure of nearly constant returns depends on the last bit of its sums.

/** numpy splits longer runs of values into two halves. */
const MAX_BLOCK_LENGTH = 128;
/** Number of sums that numpy keeps side by side in a block. Shorter runs are added one by one. */
const SLOTS = 8;

/** Returns the sum as numpy adds contiguous values: pairwise, in blocks of at most 128 with eight accumulators. */
export function pairwiseSum(values: Float64Array): number {
  // Adding 0 turns a sum of -0 into 0.
  return pairwise(values, 0, values.length) + 0;
}

/** Returns the pairwise sum of `count` values from row `from` on. */
function pairwise(values: Float64Array, from: number, count: number): number {
  const end = from + count;
  if (count < SLOTS) return addRows(0, values, from, end);
  if (count > MAX_BLOCK_LENGTH) {
    const half = Math.floor(count / 2);
    const firstCount = half - (half % SLOTS);
    return pairwise(values, from, firstCount) + pairwise(values, from + firstCount, count - firstCount);
  }
  const sums = values.slice(from, from + SLOTS);
  const endOfSlots = end - (count % SLOTS);
  for (let row = from + SLOTS; row < endOfSlots; row += SLOTS) {
    for (let slot = 0; slot < SLOTS; slot++) sums[slot]! += values[row + slot]!;
  }
  // numpy adds the eight sums in pairs, then the pairs of pairs.
  const firstFour = sums[0]! + sums[1]! + (sums[2]! + sums[3]!);
  const lastFour = sums[4]! + sums[5]! + (sums[6]! + sums[7]!);
  return addRows(firstFour + lastFour, values, endOfSlots, end);
}

/** Returns `start` plus the values of the rows [from, end), added one by one. */
function addRows(start: number, values: Float64Array, from: number, end: number): number {
  let total = start;
  for (let row = from; row < end; row++) total += values[row]!;
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
