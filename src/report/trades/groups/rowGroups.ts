// Groups the rows of the table of trades by a key, and sorts columns so that the rows of each group follow each other.

/** The rows with one key. */
export interface RowGroup {
  readonly key: number;
  /** Its rows are [from, to) of the sorted columns, in the order of the table. */
  readonly from: number;
  readonly to: number;
}

/** The rows of a table, grouped by a key. */
export interface Grouping {
  /** In ascending order of the keys. Groups without a row are left out. */
  readonly groups: readonly RowGroup[];
  /** The place of each row in the sorted columns. Null if the rows are in that order already. */
  readonly places: Uint32Array | null;
}

/** Groups rows by their keys, which are whole numbers. */
export function groupRows(keys: Int32Array): Grouping {
  const lowest = minOf(keys);
  const begins = new Uint32Array(keys.length === 0 ? 1 : maxOf(keys) - lowest + 2);
  countKeys(keys, lowest, begins);
  const groups: RowGroup[] = [];
  for (let index = 0; index + 1 < begins.length; index++) {
    const [from, to] = [begins[index]!, begins[index + 1]!];
    if (to > from) groups.push({ key: lowest + index, from, to });
  }
  const places = new Uint32Array(keys.length);
  placeRows(keys, lowest, begins, places);
  return { groups, places: isInOrder(places) ? null : places };
}

/** Returns true when all numbers are equal, and for an empty list. */
export function areEqual(numbers: ArrayLike<number>): boolean {
  for (let index = 1; index < numbers.length; index++) if (numbers[index] !== numbers[0]) return false;
  return true;
}

/** Writes the value of each row to its place in `out`. Rows are read in sequence, because that finds more of them in the cache. */
export function sortInto(column: Float64Array, places: Uint32Array, out: Float64Array): void {
  for (let row = 0; row < places.length; row++) out[places[row]!] = column[row]!;
}

/** Returns the smallest key. */
function minOf(keys: Int32Array): number {
  let min = keys[0] ?? 0;
  for (let row = 0; row < keys.length; row++) if (keys[row]! < min) min = keys[row]!;
  return min;
}

/** Returns the largest key. */
function maxOf(keys: Int32Array): number {
  let max = keys[0] ?? 0;
  for (let row = 0; row < keys.length; row++) if (keys[row]! > max) max = keys[row]!;
  return max;
}

/** Writes to `begins` how many rows have a smaller key than `lowest` plus the index. */
function countKeys(keys: Int32Array, lowest: number, begins: Uint32Array): void {
  for (let row = 0; row < keys.length; row++) begins[keys[row]! - lowest + 1]!++;
  for (let index = 1; index < begins.length; index++) begins[index]! += begins[index - 1]!;
}

/** Writes the place of each row. `next` has the place of the next row of each key, and is used up. */
function placeRows(keys: Int32Array, lowest: number, next: Uint32Array, places: Uint32Array): void {
  for (let row = 0; row < keys.length; row++) places[row] = next[keys[row]! - lowest]!++;
}

/** Returns true when each row is at its own place. */
function isInOrder(places: Uint32Array): boolean {
  for (let row = 0; row < places.length; row++) if (places[row] !== row) return false;
  return true;
}
