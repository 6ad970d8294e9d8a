// The smallest and the largest of a list of any length. A list that is spread into a call of `Math.min` may be longer than the stack has room for.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Returns the smallest of `values`; Infinity for an empty list. NaN if one of them is NaN. */
export function smallestOf(values: Iterable<number>): number {
  let smallest = INFINITY;
  for (const value of values) smallest = Math.min(smallest, value);
  return smallest;
}

/** Returns the largest of `values`; -Infinity for an empty list. NaN if one of them is NaN. */
export function largestOf(values: Iterable<number>): number {
  let largest = -INFINITY;
  for (const value of values) largest = Math.max(largest, value);
  return largest;
}
