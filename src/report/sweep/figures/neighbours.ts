// Means over neighbouring parameter sets. A good set among good sets is more credible than a single best set, which is mostly luck.

import { sumOf } from '../../kernels/sums.ts';
import type { SweepRecord } from './record.ts';

/** A block of one step in every direction has 3^n sets. With more axes than this, only steps along one axis count. */
const MAX_BLOCK_AXES = 6;
/** The smallest share of a neighbourhood that must have the figure for a mean to exist. */
const MIN_SHARE = 0.5;

export interface Neighbourhoods {
  /** Mean of the figure over each set and its neighbours. NaN when too few of them have it. */
  readonly mean: Float64Array;
  /** Number of sets in each mean. */
  readonly count: Int32Array;
  /** Number of sets in a full neighbourhood, including the set itself. 1 when no axis is ordered. */
  readonly whole: number;
}

/**
 * Returns the means of `values` over neighbourhoods: sets that differ by at most one step on every ordered axis and not on the others.
 * A mean requires a value for the set and for at least half its neighbourhood. At a corner of a grid with two or more axes it is undefined.
 */
export function neighbourhoods(record: Pick<SweepRecord, 'axes' | 'places' | 'sets'>, values: Float64Array): Neighbourhoods {
  const { places, sets } = record;
  const sizes = record.axes.map((axis) => axis.values.length);
  const strides = sizes.map((_, axis) => sizes.slice(axis + 1).reduce((product, size) => product * size, 1));
  const cellOf = (set: number) => strides.reduce((cell, stride, axis) => cell + stride * (places[axis]?.[set] ?? 0), 0);
  const setAt = new Map(Array.from({ length: sets }, (_, set) => [cellOf(set), set]));
  const steps = stepsOf(record.axes.map(({ isOrdered, values: all }) => isOrdered && all.length > 1));
  const mean = new Float64Array(sets).fill(NaN);
  const count = new Int32Array(sets);
  for (let set = 0; set < sets; set++) {
    const near = steps.flatMap((step) => {
      if (step.some((by, axis) => !isWithin((places[axis]?.[set] ?? 0) + by, sizes[axis] ?? 0))) return [];
      const at = setAt.get(step.reduce((cell, by, axis) => cell + by * (strides[axis] ?? 0), cellOf(set)));
      const value = at === undefined ? NaN : (values[at] ?? NaN);
      return Number.isFinite(value) ? [value] : [];
    });
    count[set] = near.length;
    if (Number.isFinite(values[set] ?? NaN) && near.length >= steps.length * MIN_SHARE) {
      mean[set] = sumOf(near.length, (i) => near[i] ?? 0) / near.length;
    }
  }
  return { mean, count, whole: steps.length };
}

/** Returns all steps to a neighbour, including the step to the set itself. */
function stepsOf(moves: readonly boolean[]): readonly (readonly number[])[] {
  if (moves.filter(Boolean).length > MAX_BLOCK_AXES) {
    const along = moves.flatMap((may, axis) => (may ? [-1, 1].map((by) => moves.map((_, at) => (at === axis ? by : 0))) : []));
    return [moves.map(() => 0), ...along];
  }
  return moves.reduce<number[][]>((all, may) => all.flatMap((step) => (may ? [-1, 0, 1] : [0]).map((by) => [...step, by])), [[]]);
}

function isWithin(place: number, size: number): boolean {
  return place >= 0 && place < size;
}

/** Returns the sets ordered by `values`, the best first. Sets without a value are left out. Equal sets keep their grid order. */
export function rankValues(values: Float64Array, isMoreBetter: boolean): readonly number[] {
  const sets = Array.from(values.keys()).filter((set) => Number.isFinite(values[set] ?? NaN));
  const sign = isMoreBetter ? -1 : 1;
  return sets.toSorted((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
}
