// The messages to and from the threads of a sweep.

import type { Warning } from '../../../model/warning.ts';
import type { RunRequest } from '../../../definition/request.ts';
import type { LoadedContracts } from '../../../definition/marks/loadContracts.ts';
import type { SetParams } from './runLanes.ts';
import type { FeedPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import type { WireError } from '../../backtest/run/wireError.ts';

/** The module of a strategy, as the sweep has loaded it. */
export interface Module {
  readonly url: string;
  readonly name: string;
  readonly hash: string;
}

/** Data of a thread that runs sets alone. */
export interface AloneData {
  readonly sweep: Omit<SweepData, 'sets'>;
  /** The modules of the strategies in the sweep. */
  readonly modules: readonly Module[];
}

/** A task of the thread that runs sets alone. */
export interface AloneTask {
  /** The sets to run, one by one. */
  readonly sets: readonly SetParams[];
  /** True when the first set is the first of the whole sweep. Its custom indicators are then checked too. */
  readonly hasFirst: boolean;
  /** Memory of the task's progress cells. */
  readonly memory: SharedArrayBuffer;
}

/** The reply to such a task. */
export type AloneAnswer =
  | { readonly values: Float64Array; readonly refused: readonly (string | null)[]; readonly warnings: readonly Warning[] }
  | { readonly error: WireError };

/** Data that every thread of a sweep gets once. */
export interface SweepData {
  readonly request: RunRequest;
  /** Columns in memory that all threads share. */
  readonly feeds: readonly FeedPlan[];
  /** External series. */
  readonly series: readonly SeriesPlan[];
  /** Marks and funding of futures. */
  readonly contracts: LoadedContracts | null;
  readonly sets: readonly SetParams[];
  /** Memory for the equity of sets that run together, bytes; null: the default. */
  readonly laneBytes: number | null;
}

/** A task of a thread of the sweep. */
export interface SweepTask {
  /** Indices into the sets. */
  readonly indices: readonly number[];
  /** Memory of the task's progress cells. */
  readonly memory: SharedArrayBuffer;
  /** True to run with one bar per block, so that the progress cells identify the bar. */
  readonly isSlow: boolean;
}

/** A row of figures for each set of the task, in order; or the error that ended it. */
export type SweepAnswer =
  | { readonly values: Float64Array; readonly refused: readonly (string | null)[]; readonly warnings: readonly Warning[] }
  | { readonly error: WireError };
