// What the threads of a sweep are given and answer.

import type { Warning } from '../../../model/warning.ts';
import type { RunRequest } from '../../../definition/request.ts';
import type { LoadedContracts } from '../../../definition/marks/load.ts';
import type { SetParams } from './lanes.ts';
import type { FeedPlan } from '../../../definition/plan/plan.ts';
import type { WireError } from '../../backtest/run/wireError.ts';

/** The module of a strategy, as the sweep has loaded it. */
export interface Module {
  readonly url: string;
  readonly name: string;
  readonly hash: string;
}

export interface AloneData {
  readonly sweep: Omit<SweepData, 'sets'>;
  /** The sets to run, one by one. */
  readonly sets: readonly SetParams[];
  /** The first of them is that of the whole sweep: its custom indicators are checked too. */
  readonly hasFirst: boolean;
  /** The modules of the strategies as the sweep runs them. */
  readonly modules: readonly Module[];
  /** Memory of the task's heartbeat. */
  readonly memory: SharedArrayBuffer;
}

export type AloneAnswer =
  | { readonly values: Float64Array; readonly refused: readonly (string | null)[]; readonly warnings: readonly Warning[] }
  | { readonly error: WireError };

/** What every thread of a sweep is given once. */
export interface SweepData {
  readonly request: RunRequest;
  /** Columns on memory that all threads see. */
  readonly feeds: readonly FeedPlan[];
  /** Marks and funding, of futures. */
  readonly contracts: LoadedContracts | null;
  readonly sets: readonly SetParams[];
  /** What the equity of sets that run together may take, in bytes; null for the usual. */
  readonly laneBytes: number | null;
}

export interface SweepTask {
  /** Into the sets. */
  readonly indices: readonly number[];
  /** Memory of the task's heartbeat. */
  readonly memory: SharedArrayBuffer;
  /** Walk bar by bar, so that the heartbeat tells the bar. */
  readonly isSlow: boolean;
}

/** A row of figures for each set of the task, in its order; or the error that ended it. */
export type SweepAnswer =
  | { readonly values: Float64Array; readonly refused: readonly (string | null)[]; readonly warnings: readonly Warning[] }
  | { readonly error: WireError };
