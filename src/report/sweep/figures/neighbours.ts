// Computes means over neighbouring parameter sets. A good set among good sets is more credible than a single best set.

import { sumOf } from '../../kernels/sums.ts';
import type { SweepRecord } from './record.ts';

/** A block of one step in every direction has 3^n sets. With more axes than this, only steps along one axis count. */
const MAX_BLOCK_AXES = 6;
/** The smallest share of a neighbourhood that must have the figure for a mean to exist. */
const MIN_SHARE = 0.5;

/** The neighbourhood of each set. */
export interface Neighbourhoods {
  /** Mean of the figure over each set and its neighbours. NaN when too few of them have it. */
  readonly mean: Float64Array;
  /** Number of sets in each mean. */
  readonly count: Int32Array;
  /** Number of sets in a complete neighbourhood, including the set itself. 1 when no axis is ordered. */
  readonly whole: number;
}

/**
 * Returns the means of `values` over neighbourhoods. Neighbours differ by at most one step on each ordered axis, and are equal on the
 * others. A mean requires a value for the set and for at least half of its neighbourhood. It is undefined at a corner of a grid with at
 * least two axes.
 */
export function neighbourhoods(record: Pick<SweepRecord, 'axes' | 'places' | 'sets'>, values: Float64Array): Neighbourhoods {
  const { places, sets } = record;
  const sizes = record.axes.map((axis) => axis.values.length);
  // A cell is the number of a combination in the whole grid. A stride is the distance of two cells that differ by one step on an axis.
  const strides = sizes.map((_, axis) => sizes.slice(axis + 1).reduce((product, size) => product * size, 1));
  const placeOf = (setIndex: number, axis: number): number => places[axis]?.[setIndex] ?? 0;
  const cellOf = (setIndex: number) => strides.reduce((cell, stride, axis) => cell + stride * placeOf(setIndex, axis), 0);
  const setAtCell = new Map(Array.from({ length: sets }, (_, set) => [cellOf(set), set]));
  const canMove = record.axes.map(({ isOrdered, values: axisValues }) => isOrdered && axisValues.length > 1);
  const steps = stepsOf(canMove);
  /** Returns the value of the set that is one step away; NaN when there is no such set, or when it has no value. */
  const valueAfter = (setIndex: number, step: readonly number[]): number => {
    const leavesGrid = step.some((change, axis) => !isWithin(placeOf(setIndex, axis) + change, sizes[axis] ?? 0));
    if (leavesGrid) return NaN;
    const neighbourCell = step.reduce((cell, change, axis) => cell + change * (strides[axis] ?? 0), cellOf(setIndex));
    const neighbour = setAtCell.get(neighbourCell);
    return neighbour === undefined ? NaN : (values[neighbour] ?? NaN);
  };
  const mean = new Float64Array(sets).fill(NaN);
  const count = new Int32Array(sets);
  for (let set = 0; set < sets; set++) {
    const neighbourValues = steps.map((step) => valueAfter(set, step)).filter(Number.isFinite);
    count[set] = neighbourValues.length;
    const hasEnough = neighbourValues.length >= steps.length * MIN_SHARE;
    if (Number.isFinite(values[set] ?? NaN) && hasEnough) {
      mean[set] = sumOf(neighbourValues.length, (index) => neighbourValues[index] ?? 0) / neighbourValues.length;
    }
  }
  return { mean, count, whole: steps.length };
}

/**
 * Returns the steps to all neighbours, including the step to the set itself. A step has the change of place on each axis. `canMove`: by axis,
 * true for an axis with neighbours.
 */
function stepsOf(canMove: readonly boolean[]): readonly (readonly number[])[] {
  if (canMove.filter(Boolean).length > MAX_BLOCK_AXES) {
    const stepAlong = (axis: number, change: number) => canMove.map((_, otherAxis) => (otherAxis === axis ? change : 0));
    const singleSteps = canMove.flatMap((canMoveHere, axis) => (canMoveHere ? [stepAlong(axis, -1), stepAlong(axis, 1)] : []));
    return [canMove.map(() => 0), ...singleSteps];
  }
  let steps: number[][] = [[]];
  for (const canMoveHere of canMove) {
    const changes = canMoveHere ? [-1, 0, 1] : [0];
    steps = steps.flatMap((step) => changes.map((change) => [...step, change]));
  }
  return steps;
}

/** True when a place exists on an axis of this size. */
function isWithin(place: number, size: number): boolean {
  return place >= 0 && place < size;
}

/** Returns the sets ordered by `values`, the best first. Sets without a value are left out. Equal sets keep their grid order. */
export function rankValues(values: Float64Array, isMoreBetter: boolean): readonly number[] {
  const sets = Array.from(values.keys()).filter((set) => Number.isFinite(values[set] ?? NaN));
  const sign = isMoreBetter ? -1 : 1;
  return sets.toSorted((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
}
