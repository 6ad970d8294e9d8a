// Finds the maximum drawdown of a series, its deepest fall below its running peak, in one pass over parts of the series.

/** Drawdowns of at most this fraction of the peak are rounding errors and do not count. */
const MIN_DRAWDOWN = 1e-12;

/** The maximum drawdown of all values taken until now, both as a fraction of its peak and in units. */
export class MaxDrawdown {
  /** Fraction of the peak, 0 or below. */
  fraction = 0;
  /** Largest peak minus value, in the units of the series. It may belong to another drawdown than `fraction`. */
  units = 0;
  private peak: number;
  /** Only a value below this is a deeper drawdown. */
  private floor: number;

  /** `start`: the first peak, above 0. */
  constructor(start: number) {
    this.peak = start;
    this.floor = this.limit(start);
  }

  /** Starts again from a first peak, without values. */
  begin(start: number): void {
    this.peak = start;
    this.fraction = 0;
    this.units = 0;
    this.floor = this.limit(start);
  }

  /** True when values between these two would be neither a new peak nor a deeper drawdown. False for NaN. */
  isUnchangedBy(first: number, other: number): boolean {
    return first <= this.peak && other <= this.peak && first >= this.floor && other >= this.floor;
  }

  /** Takes the values [0, length), which follow all earlier ones. */
  take(values: Float64Array, length: number): void {
    let peak = this.peak;
    let limit = this.floor;
    for (let index = 0; index < length; index++) {
      const value = values[index]!;
      if (value > peak) {
        peak = value;
        limit = this.limit(peak);
      } else if (value < limit) {
        this.deepen(peak, value);
        limit = this.limit(peak);
      }
    }
    this.peak = peak;
    this.floor = limit;
  }

  /** Returns the value below which a fall from `peak` is a deeper drawdown. It is above the exact limit by a rounding error at most. */
  private limit(peak: number): number {
    return Math.max(peak * (1 + this.fraction + MIN_DRAWDOWN), peak - this.units);
  }

  /** Notes a drawdown if it is deeper. */
  private deepen(peak: number, value: number): void {
    const fraction = value / peak - 1;
    if (fraction >= -MIN_DRAWDOWN) return;
    if (fraction < this.fraction) this.fraction = fraction;
    if (peak - value > this.units) this.units = peak - value;
  }
}
