// Drives a sweep: hands out the tasks that are left, writes what comes back into the ledger, and ends early when it is told to.

import { assert } from '../../../base/assert.ts';
import type { Warning } from '../../../model/warning.ts';
import type { ParamSet } from '../../trials/grid.ts';
import type { LedgerWriter } from '../../trials/ledger.ts';
import type { SetLine } from '../../trials/ledgerLine.ts';

/** What the sets of one task came to, row by row in the order of its indices. */
export interface TaskResult {
  /** As many doubles for each set as there are figures; NaN where a figure is not defined. */
  readonly values: Float64Array;
  /** Why the strategy refused the set, null where it ran. */
  readonly refused: readonly (string | null)[];
  /** Why a set that the strategy took has no result, null where it has one. */
  readonly failed: readonly (string | null)[];
  /** What was noticed while its sets ran, of all of them together. */
  readonly warnings: readonly Warning[];
}

/** Threads that run tasks. */
export interface TaskThreads {
  readonly threads: number;
  /** Runs one task; rejects with its error, or when `signal` is aborted: its thread ends then. */
  runTask(task: readonly number[], signal: AbortSignal): Promise<TaskResult>;
  close(): Promise<void>;
}

/** Runs tasks somewhere: on threads of this process, or on many machines. */
export interface TaskRunner {
  /**
   * Runs each task (indices into the set list) once and tells what came of it, in any order. Resolves when all are told; rejects with
   * the first error, or when `signal` is aborted.
   */
  run(
    tasks: readonly (readonly number[])[],
    notify: (task: readonly number[], result: TaskResult) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

export interface SweepJob {
  readonly sets: readonly ParamSet[];
  /** All sets in tasks; what is done already is left out of them here. */
  readonly tiles: readonly (readonly number[])[];
  readonly figures: readonly string[];
  readonly runner: TaskRunner;
  readonly ledger: LedgerWriter;
  /** Results that the ledger has already; results of this sweep are added as they reach the disk. */
  readonly results: Map<number, SetLine>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/** Resolves when every set has its line in the ledger. Rejects as the runner does; what was told until then is in the ledger. */
export async function driveSweep({ sets, tiles, figures, runner, ledger, results, onProgress, signal }: SweepJob): Promise<void> {
  const left = tiles.map((tile) => tile.filter((set) => !results.has(set))).filter((task) => task.length > 0);
  onProgress(results.size);
  // The same task may come twice from a queue whose worker was given up for dead.
  const taken = new Set(results.keys());
  const notify = async (task: readonly number[], result: TaskResult) => {
    const lines = linesOf(task, result, sets, figures).filter(({ set }) => taken.size < taken.add(set).size);
    await ledger.append(lines);
    for (const line of lines) results.set(line.set, line);
    onProgress(results.size);
  };
  await runner.run(left, notify, signal);
  signal.throwIfAborted();
}

function linesOf(
  task: readonly number[],
  { values, refused, failed, warnings }: TaskResult,
  sets: readonly ParamSet[],
  figures: readonly string[],
): SetLine[] {
  const reported = [values.length / figures.length, refused.length, failed.length];
  assert(reported.every((rows) => rows === task.length), 'a task tells one row a set'); // prettier-ignore
  return task.map((set, row) => {
    const refusal = refused[row] ?? null;
    const failure = failed[row] ?? null;
    const params = sets[set];
    assert(params !== undefined, `there is no set ${set}`);
    const of = (_: string, at: number) => values[row * figures.length + at] ?? NaN;
    const line = {
      kind: 'set',
      set,
      params,
      figures: refusal === null && failure === null ? named(figures, of) : null,
      refused: refusal,
    } as const;
    return {
      ...line,
      ...(failure === null ? {} : { failed: failure }),
      ...(row === 0 && warnings.length > 0 ? { warnings } : {}),
    };
  });
}

function named(figures: readonly string[], of: (name: string, at: number) => number): Readonly<Record<string, number | null>> {
  return Object.fromEntries(figures.map((name, at) => [name, Number.isFinite(of(name, at)) ? of(name, at) : null]));
}
