// Running averages and windows, for indicators that are computed row by row.

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** An exponential average. Its first value is the simple average of the first `bars` values. NaN until then. */
export class RunningMean {
  readonly #bars: number;
  readonly #weight: number;
  #mean = 0;
  #count = 0;

  /** `weight`: the weight of a new value, 2 / (bars + 1) by default. Wilder's weight is 1 / bars. */
  constructor(bars: number, weight = 2 / (bars + 1)) {
    this.#bars = bars;
    this.#weight = weight;
  }

  /** Adds a value and returns the average. Ignores NaN and returns NaN for it. */
  next(x: number): number {
    if (x !== x) return NAN;
    if (this.#count < this.#bars) {
      this.#mean += x;
      if (++this.#count < this.#bars) return NAN;
      this.#mean /= this.#bars;
    } else this.#mean += this.#weight * (x - this.#mean);
    return this.#mean;
  }
}

/** A ring of the last `length` values. */
export class RecentValues {
  readonly #values: Float64Array;
  #count = 0;
  #nextIndex = 0;

  constructor(length: number) {
    this.#values = new Float64Array(length);
  }

  /** Adds a value. If the ring is full, the value replaces the oldest. */
  push(x: number): void {
    this.#values[this.#nextIndex] = x;
    this.#nextIndex = this.#nextIndex + 1 === this.#values.length ? 0 : this.#nextIndex + 1;
    if (this.#count < this.#values.length) this.#count++;
  }

  /** True once as many values were pushed as the ring holds. */
  get isFull(): boolean {
    return this.#count === this.#values.length;
  }

  /** Returns the value `bars` pushes ago. 0 is the newest. NaN if the ring does not have that value. */
  ago(bars: number): number {
    const { length } = this.#values;
    return bars < this.#count ? this.#values[(this.#nextIndex - 1 - bars + length) % length]! : NAN;
  }

  /** Returns the sum of the values, added from the oldest to the newest. */
  sum(): number {
    let sum = 0;
    for (let i = this.#count - 1; i >= 0; i--) sum += this.ago(i);
    return sum;
  }
}
