// What a finished sweep leaves to its reports: axes, the place of each set on them, and a column for each figure.

import type { Warning } from '../../../model/warning.ts';
import type { Reason } from '../../kernels/figure.ts';

export interface SweepAxis {
  readonly name: string;
  /** As `--set` takes them; numbers in ascending order. */
  readonly values: readonly (string | number | boolean)[];
  /** Neighbouring values are neighbours: true of numbers, not of choices. */
  readonly isOrdered: boolean;
  readonly unit: string;
  /** How `--set` names the parameter: `params.fast`. */
  readonly setting: string;
}

export interface FigureColumn {
  readonly name: string;
  /** One value a set; NaN where the figure is not defined, or the set has no result. */
  readonly values: Float64Array;
}

export interface SweepRecord {
  readonly name: string;
  readonly strategy: string;
  /** Symbols with their intervals, such as `BTCUSDT 1h`. */
  readonly markets: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly asset: string;
  readonly isSynthetic: boolean;
  /** Bars of the run's finest feed. */
  readonly bars: number;
  readonly axes: readonly SweepAxis[];
  /** Sets of the whole grid; more than `sets` where some were drawn. */
  readonly gridSize: number;
  readonly sets: number;
  /** By axis: the rank of each set's value. */
  readonly places: readonly Int32Array[];
  /** Why the strategy refused a set, null where it ran; one entry a set. */
  readonly refused: readonly (string | null)[];
  /** Why a set that the strategy took did not get to its end, such as a hang; null where it did, or was refused. */
  readonly failed: readonly (string | null)[];
  readonly figures: readonly FigureColumn[];
  /** The figure that ranks, and whether more of it is better. */
  readonly by: string;
  readonly isMoreBetter: boolean;
  readonly trials: TrialCount;
  /** What was noticed while the sets ran. Absent: nothing. */
  readonly warnings?: readonly Warning[];
}

/** Trials on these instruments and intervals, as the ledger has them. */
export interface TrialCount {
  /** As `--family` names it; null: none. */
  readonly family: string | null;
  /** Different trials of the family. */
  readonly count: number;
  /** Those of earlier runs and sweeps alone. */
  readonly earlier: number;
  /** Different trials of all families. */
  readonly all: number;
  /** Annual Sharpe ratios of all trials that have one. */
  readonly sharpes: Float64Array;
}

/** The best that chance alone would show, and how the best set stands against it. Sharpe ratios are annual. */
export interface SelectionBias {
  readonly family: string | null;
  readonly trials: number;
  readonly earlier: number;
  readonly allTrials: number;
  /** Standard deviation of the trials' Sharpe ratios. */
  readonly spread: number | null;
  /** What the best of as many trials without skill is expected to show. */
  readonly expectedBest: number | null;
  /** Sharpe of the set that ranks first. */
  readonly sharpe: number | null;
  /** Probability that its true Sharpe ratio exceeds `expectedBest`. */
  readonly deflated: number | null;
  /** Why there is no probability. */
  readonly reason: Reason | null;
}

export function figureOf(record: SweepRecord, name: string): Float64Array | null {
  return record.figures.find((figure) => figure.name === name)?.values ?? null;
}

/** A set's parameters in the order of the axes. */
export function setParams(
  { axes, places }: SweepRecord,
  set: number,
): readonly { readonly name: string; readonly value: string | number | boolean }[] {
  return axes.map(({ name, values }, axis) => ({ name, value: values[places[axis]?.[set] ?? 0] ?? '' }));
}
