// Finds the rows of a table that have a code, such as the fills of an instrument.

const NO_ROWS = new Uint32Array(0);

/** The rows of a table, sorted by a column of codes below `many`. Rows of one code keep their order. */
export class RowsByCode {
  readonly #rows: Uint32Array;
  /** Where the rows of each code begin, and the end of all. */
  readonly #begins: Uint32Array;

  constructor(codes: ArrayLike<number>, length: number, many: number) {
    const begins = new Uint32Array(many + 1);
    for (let row = 0; row < length; row++) begins[codes[row]! + 1]!++;
    for (let code = 0; code < many; code++) begins[code + 1]! += begins[code]!;
    const next = begins.slice();
    const rows = new Uint32Array(length);
    for (let row = 0; row < length; row++) rows[next[codes[row]!]!++] = row;
    this.#rows = rows;
    this.#begins = begins;
  }

  of(code: number): Uint32Array {
    return code < 0 ? NO_ROWS : this.#rows.subarray(this.#begins[code], this.#begins[code + 1]);
  }
}
