// Sums, deviations, quantiles and moments: compensated, in a fixed order, hence the same bits everywhere.

/** Spreads and depths at or below this count as zero: the figure of docs/metrics.md. */
export const ZERO = 1e-12;

/** Neumaier's compensated sum of `term(0) .. term(n - 1)`, in that order. */
export function sumOf(n: number, term: (index: number) => number): number {
  let total = 0;
  let lost = 0;
  for (let i = 0; i < n; i++) {
    const x = term(i);
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total;
    total = next;
  }
  return total + lost;
}

export function sum(values: Float64Array): number {
  return sumOf(values.length, (i) => values[i]!);
}

/** NaN for an empty column. */
export function mean(values: Float64Array): number {
  return sum(values) / values.length;
}

/** Sample standard deviation (ddof 1), two-pass; NaN below two values. */
export function deviation(values: Float64Array): number {
  return values.length < 2 ? NaN : Math.sqrt(coDeviation(values, values) / (values.length - 1));
}

/** Sum of products of the deviations of two columns of one length, two-pass. */
export function coDeviation(a: Float64Array, b: Float64Array): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  return sumOf(a.length, (i) => (a[i]! - meanA) * (b[i]! - meanB));
}

/** Pearson's correlation; null when one of the columns is constant. */
export function correlation(a: Float64Array, b: Float64Array): number | null {
  if (isConstant(a) || isConstant(b)) return null;
  return coDeviation(a, b) / Math.sqrt(coDeviation(a, a) * coDeviation(b, b));
}

/** True when the values spread over at most 1e-12 (also when there are none). */
export function isConstant(values: Float64Array): boolean {
  return !(maxOf(values) - minOf(values) > ZERO);
}

export function maxOf(values: Float64Array): number {
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) if (values[i]! > max) max = values[i]!;
  return max;
}

export function minOf(values: Float64Array): number {
  let min = Infinity;
  for (let i = 0; i < values.length; i++) if (values[i]! < min) min = values[i]!;
  return min;
}

/** `q`-quantile (0 to 1) of ascending values: linear interpolation at position q(n - 1); NaN when there are none. */
export function quantile(ascending: Float64Array, q: number): number {
  const position = q * (ascending.length - 1);
  const below = Math.floor(position);
  const low = ascending[below] ?? NaN;
  const part = position - below;
  return part === 0 ? low : low + (ascending[below + 1]! - low) * part;
}

/** The middle value, of an even number the mean of the two in the middle; NaN for none. Selects instead of sorting: linear time. */
export function median(values: Float64Array): number {
  const { length } = values;
  if (length === 0) return NaN;
  const work = values.slice();
  const upper = length >> 1;
  select(work, upper);
  return length % 2 === 1 ? work[upper]! : (maxOf(work.subarray(0, upper)) + work[upper]!) / 2;
}

/** Reorders `work` so that the value of rank `rank` stands at it, none greater before it and none smaller after it (Hoare's selection). */
function select(work: Float64Array, rank: number): void {
  let low = 0;
  let high = work.length - 1;
  while (low < high) {
    const pivot = work[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (work[i]! < pivot) i++;
      while (work[j]! > pivot) j--;
      if (i > j) break;
      const held = work[i]!;
      work[i++] = work[j]!;
      work[j--] = held;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
}

/** Bias-corrected skew and excess kurtosis; NaN below three and four values. The values must not be constant. */
export function shape(values: Float64Array): { readonly skew: number; readonly excessKurtosis: number } {
  const n = values.length;
  const middle = mean(values);
  const off = values.map((value) => value - middle);
  // Products, not powers: a product rounds the same everywhere.
  const m2 = sumOf(n, (i) => off[i]! * off[i]!) / n;
  const m3 = sumOf(n, (i) => off[i]! * off[i]! * off[i]!) / n;
  const m4 = sumOf(n, (i) => off[i]! * off[i]! * (off[i]! * off[i]!)) / n;
  const skew = n < 3 ? NaN : (Math.sqrt(n * (n - 1)) / (n - 2)) * (m3 / (m2 * Math.sqrt(m2)));
  const excessKurtosis = n < 4 ? NaN : ((n - 1) / ((n - 2) * (n - 3))) * ((n + 1) * (m4 / (m2 * m2) - 3) + 6);
  return { skew, excessKurtosis };
}
