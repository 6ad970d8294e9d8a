// The sets that the map shows: two parameters are its axes, and each other parameter has a fixed value, or the best or mean over its
// values.
/// <reference lib="dom" />

import type { SweepFigure, Model } from './model.ts';
import { OUTCOMES, type SetOutcomeKind } from './wire.ts';

/** Treatment of a parameter that is not an axis of the map: the index of its fixed value, or how its values are combined. */
export type PinnedAxis = number | 'best' | 'mean';

/** What the map shows. */
export interface View {
  readonly figure: SweepFigure;
  /** Show the mean of each neighbourhood instead of the set itself. */
  readonly isSmooth: boolean;
  /** The horizontal axis of the map. */
  readonly across: number;
  /** The vertical axis. Null when the sweep has a single parameter. */
  readonly down: number | null;
  /** By axis. Not used for the two axes of the map. */
  readonly pinned: readonly PinnedAxis[];
}

/** One cell of the map. */
export interface MapCell {
  readonly column: number;
  readonly row: number;
  readonly value: number;
  /** The set that the cell shows: the only one of a slice, or the best of several. Null when none of them ran. */
  readonly set: number | null;
  readonly kind: SetOutcomeKind | 'none';
}

/** Returns the first view: every other parameter has its value in the best set. */
export function firstView(model: Model): View {
  const { page, places, figures } = model;
  const figure = figures.find(({ name }) => name === page.by) ?? figures[0];
  if (!figure) throw new Error('a sweep has a figure');
  const axesWithSeveralValues = Array.from(page.axes.keys()).filter((axis) => lengthOf(model, axis) > 1);
  const orderedFirst = axesWithSeveralValues.toSorted((a, b) => Number(page.axes[b]?.isOrdered) - Number(page.axes[a]?.isOrdered) || a - b);
  const [firstAxis = 0, secondAxis] = orderedFirst;
  const [across, down] = axesOf(model, firstAxis, secondAxis);
  return {
    figure,
    isSmooth: false,
    across,
    down,
    pinned: page.axes.map((_, axis) => (page.best === null ? 'best' : (places[axis]?.[page.best] ?? 0))),
  };
}

/** Returns the horizontal and the vertical axis of the map. The longer axis is horizontal. */
function axesOf(model: Model, first: number, second: number | undefined): readonly [across: number, down: number | null] {
  if (second === undefined) return [first, null];
  return lengthOf(model, first) >= lengthOf(model, second) ? [first, second] : [second, first];
}

/** Returns the number of values of an axis. */
function lengthOf({ page }: Model, axis: number): number {
  return page.axes[axis]?.values.length ?? 0;
}

/** Returns the cells of the map row by row, starting with the lowest value of the axis. */
export function mapCells(model: Model, view: View): readonly MapCell[] {
  const columns = lengthOf(model, view.across);
  const rows = view.down === null ? 1 : lengthOf(model, view.down);
  const values = view.isSmooth ? model.neighbours(view.figure) : view.figure.values;
  /** By cell: the sets that share its place. */
  const setsByCell: number[][] = Array.from({ length: columns * rows }, () => []);
  for (let set = 0; set < model.page.sets; set++) {
    if (!isShown(model, view, set)) continue;
    const row = view.down === null ? 0 : (model.places[view.down]?.[set] ?? 0);
    const column = model.places[view.across]?.[set] ?? 0;
    setsByCell[row * columns + column]?.push(set);
  }
  const isMean = view.pinned.some((pin, axis) => pin === 'mean' && axis !== view.across && axis !== view.down);
  return setsByCell.map((sets, index) => ({
    column: index % columns,
    row: Math.floor(index / columns),
    ...cellOfSets(model, sets, values, isMean),
  }));
}

/** True when a set has the fixed value of each parameter that has one. */
function isShown({ places }: Model, { across, down, pinned }: View, setIndex: number): boolean {
  return pinned.every((pin, axis) => {
    const isFree = axis === across || axis === down || typeof pin !== 'number';
    return isFree || places[axis]?.[setIndex] === pin;
  });
}

/** Returns one cell of the map over the sets that share its place: the mean, or the best set. */
function cellOfSets(model: Model, sets: readonly number[], values: Float64Array, isMean: boolean): Pick<MapCell, 'value' | 'set' | 'kind'> {
  const outcomeOf = (setIndex: number) => OUTCOMES[model.outcomes[setIndex] ?? 0] ?? 'ran';
  const [firstSet] = sets;
  if (firstSet === undefined) return { value: NaN, set: null, kind: 'none' };
  const ranSets = sets.filter((set) => outcomeOf(set) === 'ran');
  if (ranSets.length === 0) return { value: NaN, set: firstSet, kind: outcomeOf(firstSet) };
  const setsWithValue = ranSets.filter((set) => Number.isFinite(values[set]));
  const sign = model.page.isMoreBetter ? 1 : -1;
  const scoreOf = (setIndex: number) => sign * (values[setIndex] ?? 0);
  let bestSet: number | null = null;
  for (const set of setsWithValue) if (bestSet === null || scoreOf(set) > scoreOf(bestSet)) bestSet = set;
  if (bestSet === null) return { value: NaN, set: ranSets[0] ?? null, kind: 'ran' };
  const mean = setsWithValue.reduce((sum, set) => sum + (values[set] ?? 0), 0) / setsWithValue.length;
  return { value: isMean ? mean : (values[bestSet] ?? NaN), set: bestSet, kind: 'ran' };
}
