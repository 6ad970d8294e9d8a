// What the command and its worker say to each other: plain data that crosses threads.

import type { RunRequest } from '../../../definition/request.ts';
import type { VerifyVerdict, VerifyTask } from '../verify/verify.ts';
import type { WireError } from '../run/wireError.ts';

/** What is to be done: a new run, or one that is made again and compared with its folder. */
export type Work =
  | { readonly kind: 'run'; readonly request: RunRequest; readonly trial: TrialOptions }
  | ({ readonly kind: 'verify' } & VerifyTask);

export interface TrialOptions {
  /** The folder of the ledger; null: beside the catalog. */
  readonly ledger: string | null;
  /** Separates its trials from other work on the same data; null: none. */
  readonly family: string | null;
}

export interface WorkerInput {
  readonly work: Work;
  /** Memory of the Heartbeat. */
  readonly memory: SharedArrayBuffer;
  /** The folder under which the run folder is made. */
  readonly outFolder: string;
  /** The folder in which it is written before it is renamed; whoever started the worker removes it when the worker is gone. */
  readonly stagingFolder: string;
  /** A folder for bars that only this run has; removed like the one above. Null where it needs none. */
  readonly barsFolder: string | null;
  /** One bar a block, and their closing times told, so that the watcher can name the one on which the run stands still. */
  readonly isByBar: boolean;
  readonly processStartMs: number;
  /** The table is shown with colours. */
  readonly colour: boolean;
}

/** Milliseconds: from the start of the process to the first byte loaded, and so on; `totalMs` is from start to end. */
export interface Timings {
  readonly startMs: number;
  readonly loadMs: number;
  readonly loopMs: number;
  readonly metricsMs: number;
  readonly reportMs: number;
  readonly totalMs: number;
}

export interface RunOutcome {
  readonly folder: string;
  /** The text of summary.json. */
  readonly summary: string;
  /** What the terminal shows. */
  readonly table: string;
  readonly timings: Timings;
}

export interface Loaded {
  readonly name: string;
  readonly strategies: readonly string[];
  /** Rows of the first execution feed, of which the heartbeat counts those done. */
  readonly rows: number;
  readonly fromMs: number;
  readonly notes: readonly string[];
  /** The definition that stands for a command line without one; null when there was one. */
  readonly madeDefinition: string | null;
  /** Closing times per feed, or none. */
  readonly closeMs: readonly Float64Array[];
}

export type FromWorker =
  | { readonly kind: 'loaded'; readonly loaded: Loaded }
  | { readonly kind: 'done'; readonly outcome: RunOutcome }
  | { readonly kind: 'verified'; readonly verdict: VerifyVerdict }
  | { readonly kind: 'failed'; readonly error: WireError };
