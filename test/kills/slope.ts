// Computes the median, and a slope that single outliers do not change.

/** Returns the median of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the Theil-Sen slope: the median slope of all pairs of points, in units of y per unit of x. */
export function theilSen(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes: number[] = [];
  points.forEach(([x1, y1], index) => {
    for (const [x2, y2] of points.slice(index + 1)) if (x2 !== x1) slopes.push((y2 - y1) / (x2 - x1));
  });
  return median(slopes);
}
