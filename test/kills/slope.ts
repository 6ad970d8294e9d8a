// Computes the median, and a slope that single outliers do not change.

/** Returns the median of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((first, second) => first - second);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the Theil-Sen slope: the median slope of all pairs of points, in units of y per unit of x. */
export function theilSen(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes: number[] = [];
  points.forEach(([firstX, firstY], index) => {
    for (const [secondX, secondY] of points.slice(index + 1)) if (secondX !== firstX) slopes.push((secondY - firstY) / (secondX - firstX));
  });
  return median(slopes);
}
