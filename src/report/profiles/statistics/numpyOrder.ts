// Sorts times like numpy's default sort, which does not keep the order of rows with equal times.

/** numpy sorts a part by insertion if its last index is at most this far from its first one. */
const MAX_INSERTION_DISTANCE = 15;

/** A part of the order: its indexes from `first` to `last`, both included. */
interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the rows in ascending order of their values. Rows with equal values have the order of `numpy.argsort`. */
export function numpyOrder(values: Float64Array): Int32Array {
  const order = Int32Array.from(values.keys());
  const pending: RowRange[] = [{ first: 0, last: values.length - 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    let { first, last } = next;
    while (last - first > MAX_INSERTION_DISTANCE) {
      const middle = partition(values, order, first, last);
      const before: RowRange = { first, last: middle - 1 };
      const after: RowRange = { first: middle + 1, last };
      // The longer part waits, so that few parts wait at once.
      const isBeforeShorter = middle - first < last - middle;
      pending.push(isBeforeShorter ? after : before);
      ({ first, last } = isBeforeShorter ? before : after);
    }
    insertionSort(values, order, first, last);
  }
  return order;
}

/** Moves the median of the first, middle and last row to its place, with smaller values before it. Returns that place. */
function partition(values: Float64Array, order: Int32Array, first: number, last: number): number {
  const isLess = (a: number, b: number) => values[order[a]!]! < values[order[b]!]!;
  const swap = (a: number, b: number) => {
    const row = order[a]!;
    order[a] = order[b]!;
    order[b] = row;
  };
  const middle = first + ((last - first) >> 1);
  if (isLess(middle, first)) swap(middle, first);
  if (isLess(last, middle)) swap(last, middle);
  if (isLess(middle, first)) swap(middle, first);
  const pivot = values[order[middle]!]!;
  let low = first;
  let high = last - 1;
  swap(middle, high);
  for (;;) {
    do low++;
    while (values[order[low]!]! < pivot);
    do high--;
    while (pivot < values[order[high]!]!);
    if (low >= high) break;
    swap(low, high);
  }
  swap(low, last - 1);
  return low;
}

/** Sorts a short part by insertion. */
function insertionSort(values: Float64Array, order: Int32Array, first: number, last: number): void {
  for (let index = first + 1; index <= last; index++) {
    const row = order[index]!;
    let target = index;
    while (target > first && values[row]! < values[order[target - 1]!]!) {
      order[target] = order[target - 1]!;
      target--;
    }
    order[target] = row;
  }
}
