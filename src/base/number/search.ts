// Searches ascending times, and the whole numbers for which a monotonic test is true, in about fifty steps at most.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Returns the first row in [from, to) whose time is above `timeMs`, or `to` if no row is. */
export function firstAfter(times: Float64Array, from: number, to: number, timeMs: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first of the ascending times that is at or after `timeMs`; `length` if there is no such time. */
export function firstFrom(times: ArrayLike<number>, length: number, timeMs: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the highest whole number in [1, max] for which `test` is true; 0 if it is never true. If `test` is true for a number, it must be
 * true for all lower ones. `near`: where to begin. A good guess saves most of the steps. The first loop moves away from it in growing steps
 * until it has a bound on both sides, and the second one bisects.
 */
export function highestTrue(test: (value: number) => boolean, near: number, max: number): number {
  let low = 0;
  let high = max;
  for (let probe = Math.max(1, near), step = 1; low < probe && probe <= high; step *= 8) {
    if (test(probe)) {
      low = probe;
      probe = low + step;
    } else {
      high = probe - 1;
      probe = high - step;
    }
    if (low > 0 && high < max) break;
  }
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (test(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns the lowest whole number in [1, max] for which `test` is true; Infinity if it is never true. If `test` is true for a number, it
 * must be true for all higher ones.
 */
export function lowestTrue(test: (value: number) => boolean, near: number, max: number): number {
  let low = 1;
  let high = max;
  if (!test(high)) return INFINITY;
  for (let probe = near, step = 1; low <= probe && probe < high; step *= 8) {
    if (test(probe)) {
      high = probe;
      probe = high - step;
    } else {
      low = probe + 1;
      probe = low + step;
    }
    if (low > 1 && high < max) break;
  }
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
