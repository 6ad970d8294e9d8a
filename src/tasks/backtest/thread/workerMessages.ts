// Messages between the command and its worker thread: plain data.

import type { RunRequest } from '../../../definition/request.ts';
import type { BreakEven } from '../../../report/metrics/breakEven.ts';
import type { VerifyVerdict, VerifyTask } from '../verify/verify.ts';
import type { WireError } from '../run/wireError.ts';

/** The task: a new run, its break-even alone, or a run that is repeated and compared with its folder. */
export type WorkerTask =
  | { readonly kind: 'run'; readonly request: RunRequest; readonly trial: TrialOptions; readonly hasBreakEven: boolean }
  | { readonly kind: 'breakEven'; readonly request: RunRequest }
  | ({ readonly kind: 'verify' } & VerifyTask);

/** Where a run is recorded as a trial; null: the default. */
export interface TrialOptions {
  /** Folder of the trial ledger; null: beside the catalog. */
  readonly ledger: string | null;
  /** Separates its trials from other work on the same data; null: no family. */
  readonly family: string | null;
}

/** The work of one thread, with the options of the command. */
export interface WorkerInput {
  readonly work: WorkerTask;
  /** Memory of the progress cells. */
  readonly memory: SharedArrayBuffer;
  /** Folder in which the run folder is created. */
  readonly outFolder: string;
  /** Staging folder before the rename. The process that started the worker removes it when the worker has ended. */
  readonly stagingFolder: string;
  /** Folder for bars that only this run has, removed like the staging folder. Null: not needed. */
  readonly barsFolder: string | null;
  /** True: blocks have one bar, and the watcher gets the close times, so that it can name the bar at which the run stalled. */
  readonly isByBar: boolean;
  readonly processStartMs: number;
  /** Why the worker makes no sample: an earlier worker ended in it. Null: it makes one. */
  readonly unsampled: string | null;
  /** False: the run folder gets no report. */
  readonly hasReport: boolean;
  /** True when the envelope of the run is computed. */
  readonly findsEnvelope: boolean;
  /** True when the table has colours. */
  readonly colour: boolean;
}

/** In ms: from the start of the process to the first byte loaded, and so on. `totalMs` is from start to end. */
export interface Timings {
  readonly startMs: number;
  readonly loadMs: number;
  readonly loopMs: number;
  readonly metricsMs: number;
  readonly proofMs: number;
  readonly reportMs: number;
  readonly totalMs: number;
}

/** The result of a run for the command: the folder, and what is printed. */
export interface RunOutcome {
  readonly folder: string;
  /** The text of summary.json. */
  readonly summary: string;
  /** The text for the terminal. */
  readonly table: string;
  readonly timings: Timings;
}

/** The break-even of a run, and what a reader of it needs to know of the run. */
export interface FoundBreakEven {
  readonly name: string;
  readonly asset: string;
  readonly breakEven: BreakEven;
}

/** What the command shows while a run is going on. */
export interface RunDescription {
  readonly name: string;
  readonly strategies: readonly string[];
  /** Rows of the first execution feed. The progress cells count how many are done. */
  readonly rows: number;
  readonly fromMs: number;
  readonly notes: readonly string[];
  /** The definition that replaces a command line without one; null: a definition was given. */
  readonly madeDefinition: string | null;
  /** Close times by feed, or none. */
  readonly closeMs: readonly Float64Array[];
}

/** A message from the thread to the command. */
export type FromWorker =
  | { readonly kind: 'loaded'; readonly loaded: RunDescription }
  /** The shares of the search for the break-even that are done before and after the rows of the next runs. */
  | { readonly kind: 'searching'; readonly doneShare: number; readonly nextShare: number }
  | { readonly kind: 'done'; readonly outcome: RunOutcome }
  | { readonly kind: 'broken'; readonly found: FoundBreakEven }
  | { readonly kind: 'verified'; readonly verdict: VerifyVerdict }
  | { readonly kind: 'failed'; readonly error: WireError };
