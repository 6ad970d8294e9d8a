// The deepest falls of a series below its highest value so far, taken piece by piece in one pass.

/** Falls of at most this fraction of the peak count as none: they are rounding. */
const NO_FALL = 1e-12;

/** A fall of nothing at all, and all that may be below it: where the search for a deeper one begins. */
export class DeepestFall {
  /** Fraction of the peak, 0 or below. */
  fraction = 0;
  /** Largest peak less value, in the units of the series; it may belong to another fall than `fraction`. */
  units = 0;
  #peak: number;

  /** `start`: the first peak, above 0. */
  constructor(start: number) {
    this.#peak = start;
  }

  /** Starts again from a first peak, with nothing taken. */
  begin(start: number): void {
    this.#peak = start;
    this.fraction = 0;
    this.units = 0;
  }

  /** Takes the values [0, length), later than all before. */
  take(values: Float64Array, length: number): void {
    let peak = this.#peak;
    let limit = this.#limit(peak);
    for (let at = 0; at < length; at++) {
      const value = values[at]!;
      if (value > peak) {
        peak = value;
        limit = this.#limit(peak);
      } else if (value < limit) {
        this.#deepen(peak, value);
        limit = this.#limit(peak);
      }
    }
    this.#peak = peak;
  }

  /** No value at or above it is a deeper fall than those found. It lies a rounding higher than the exact limit. */
  #limit(peak: number): number {
    return Math.max(peak * (1 + this.fraction + NO_FALL), peak - this.units);
  }

  #deepen(peak: number, value: number): void {
    const fraction = value / peak - 1;
    if (fraction >= -NO_FALL) return;
    if (fraction < this.fraction) this.fraction = fraction;
    if (peak - value > this.units) this.units = peak - value;
  }
}
