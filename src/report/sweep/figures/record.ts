// The results of a finished sweep for its reports: the axes, the place of each set on them, and a column for each figure.

import type { Warning } from '../../../model/warning.ts';
import type { Reason } from '../../kernels/figure.ts';

/** One swept parameter. */
export interface SweepAxis {
  readonly name: string;
  /** Values as `--set` takes them. Numbers are in ascending order. */
  readonly values: readonly (string | number | boolean)[];
  /** True when adjacent values are similar: for numbers, not for choices. */
  readonly isOrdered: boolean;
  readonly unit: string;
  /** Name of the parameter in `--set`, such as `params.fast`. */
  readonly setting: string;
}

/** One figure of all sets. */
export interface FigureColumn {
  readonly name: string;
  /** One value for each set. NaN when the figure is undefined or the set has no result. */
  readonly values: Float64Array;
}

/** All results of a sweep. Sets are in grid order. */
export interface SweepRecord {
  readonly name: string;
  readonly strategy: string;
  /** Symbols with their intervals, such as `BTCUSDT 1h`. */
  readonly markets: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly asset: string;
  readonly isSynthetic: boolean;
  /** Number of bars of the finest feed. */
  readonly bars: number;
  readonly axes: readonly SweepAxis[];
  /** Number of sets of the whole grid. More than `sets` when only a sample of the grid ran. */
  readonly gridSize: number;
  /** Number of sets of the sweep. */
  readonly sets: number;
  /** By axis: for each set, the index of its value on that axis. */
  readonly places: readonly Int32Array[];
  /** Why the strategy rejected the parameters of a set. Null when it accepted them. One entry for each set. */
  readonly refused: readonly (string | null)[];
  /** Why an accepted set did not finish, such as a stall. Null when it finished or was rejected. */
  readonly failed: readonly (string | null)[];
  readonly figures: readonly FigureColumn[];
  /** The figure that ranks the sets, and whether more of it is better. */
  readonly by: string;
  readonly isMoreBetter: boolean;
  readonly trials: TrialCount;
  /** Warnings that were raised while the sets ran. Absent when there were none. */
  readonly warnings?: readonly Warning[];
}

/** Trials on these instruments and intervals, from the trial ledger. */
export interface TrialCount {
  /** Name given with `--family`. Null without one. */
  readonly family: string | null;
  /** Number of distinct trials of the family. */
  readonly count: number;
  /** Number of distinct trials of the family in earlier runs and sweeps. */
  readonly earlier: number;
  /** Number of distinct trials of all families. */
  readonly all: number;
  /** Annual Sharpe ratios of all trials that have one. */
  readonly sharpes: Float64Array;
}

/** Selection bias: the best result expected without skill, and the best set compared with it. Sharpe ratios are annual. */
export interface SelectionBias {
  readonly family: string | null;
  readonly trials: number;
  readonly earlier: number;
  readonly allTrials: number;
  /** Standard deviation of the Sharpe ratios of the trials. */
  readonly spread: number | null;
  /** Sharpe ratio that the best of as many trials without skill is expected to show. */
  readonly expectedBest: number | null;
  /** Sharpe ratio of the best-ranked set. */
  readonly sharpe: number | null;
  /** Probability that the true Sharpe ratio of the best-ranked set exceeds `expectedBest`. */
  readonly deflated: number | null;
  /** Why the probability is undefined. */
  readonly reason: Reason | null;
}

/** Returns the column of a figure. Null when the sweep does not have it. */
export function figureOf(record: SweepRecord, name: string): Float64Array | null {
  return record.figures.find((figure) => figure.name === name)?.values ?? null;
}

/** Returns the value of a figure in a set. NaN without one. */
export function figureAt(record: SweepRecord, name: string, set: number | null): number {
  return set === null ? NaN : (figureOf(record, name)?.[set] ?? NaN);
}

/** Returns the parameters of a set in the order of the axes. */
export function setParams(
  { axes, places }: SweepRecord,
  setIndex: number,
): readonly { readonly name: string; readonly value: string | number | boolean }[] {
  return axes.map(({ name, values }, axis) => ({ name, value: values[places[axis]?.[setIndex] ?? 0] ?? '' }));
}
