// Finds all rows of a table with a given code, such as the fills of one instrument.

const NO_ROWS = new Uint32Array(0);

/** The rows of a table, grouped by a column of codes. Rows with the same code keep their order. */
export class RowsByCode {
  readonly #rows: Uint32Array;
  /** For each code, the index in `#rows` at which its rows begin. The last element is the end of all rows. */
  readonly #begins: Uint32Array;

  /** `codes` has one code for each of the `length` rows, each a whole number from 0 to `codeCount` - 1. */
  constructor(codes: ArrayLike<number>, length: number, codeCount: number) {
    const begins = new Uint32Array(codeCount + 1);
    for (let row = 0; row < length; row++) begins[codes[row]! + 1]!++;
    for (let code = 0; code < codeCount; code++) begins[code + 1]! += begins[code]!;
    // By code, the place of its next row.
    const nextPlace = begins.slice();
    const rows = new Uint32Array(length);
    for (let row = 0; row < length; row++) rows[nextPlace[codes[row]!]!++] = row;
    this.#rows = rows;
    this.#begins = begins;
  }

  /** Returns the rows with this code, ascending. Empty for a code below 0. */
  of(code: number): Uint32Array {
    return code < 0 ? NO_ROWS : this.#rows.subarray(this.#begins[code], this.#begins[code + 1]);
  }
}
