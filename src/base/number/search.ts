// Bounded searches over whole numbers: at most about fifty steps for any size.

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** The first row in [from, to) whose time is above `ms`, or `to` when no row is. */
export function firstAfter(times: Float64Array, from: number, to: number, ms: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the highest whole number in [1, top] for which `test` holds; 0 if it never does. If `test` holds at a number, it must hold at all
 * lower ones. `near`: where to begin; a good guess saves most of the steps.
 */
export function highestTrue(test: (at: number) => boolean, near: number, top: number): number {
  let low = 0;
  let high = top;
  for (let at = Math.max(1, near), step = 1; low < at && at <= high; step *= 8) {
    if (test(at)) at = (low = at) + step;
    else at = (high = at - 1) - step;
    if (low > 0 && high < top) break;
  }
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (test(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns the lowest one in [1, top] for which `test` holds; Infinity if it never does. If it holds at a number, it must hold at all higher
 * ones.
 */
export function lowestTrue(test: (at: number) => boolean, near: number, top: number): number {
  let low = 1;
  let high = top;
  if (!test(high)) return INFINITY;
  for (let at = near, step = 1; low <= at && at < high; step *= 8) {
    if (test(at)) at = (high = at) - step;
    else at = (low = at + 1) + step;
    if (low > 1 && high < top) break;
  }
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
