// A column of numbers that grows at its end.

/** A Float64Array that doubles when full. `values` may be longer than `length`; `view()` is the part in use. */
export class GrowingColumn {
  /** The memory of the column. It is replaced when the column grows, so do not keep it. */
  values: Float64Array;
  /** Number of values in use. */
  length = 0;
  constructor(capacity = 1024) {
    this.values = new Float64Array(capacity);
  }
  /** Appends a value and returns its row. */
  push(value: number): number {
    if (this.length === this.values.length) this.grow();
    this.values[this.length] = value;
    return this.length++;
  }
  /** Returns the values in use, without a copy. The view is valid until the next value is added. */
  view(): Float64Array {
    return this.values.subarray(0, this.length);
  }
  private grow(): void {
    const wider = new Float64Array(this.values.length * 2);
    wider.set(this.values);
    this.values = wider;
  }
}
