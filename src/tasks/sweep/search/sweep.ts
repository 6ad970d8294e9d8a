// Runs the missing sets of a sweep: hands out tasks, writes their results to the trial ledger, and ends early on a signal.

import { assert } from '../../../base/assert.ts';
import type { Warning } from '../../../model/warning.ts';
import type { ParamSet } from '../../trials/paramGrid.ts';
import type { LedgerWriter } from '../../trials/trialLedger.ts';
import type { SetLine } from '../../trials/ledgerLine.ts';

/** Results of the sets of one task, row by row in the order of its indices. */
export interface TaskResult {
  /** One double per figure for each set; NaN: figure undefined. */
  readonly values: Float64Array;
  /** Why the strategy refused the set; null: it ran. */
  readonly refused: readonly (string | null)[];
  /** Why an accepted set has no result; null: it has one. */
  readonly failed: readonly (string | null)[];
  /** Warnings from all sets of the task together. */
  readonly warnings: readonly Warning[];
}

/** Threads that run tasks. */
export interface TaskThreads {
  readonly threads: number;
  /** Runs one task. Rejects with its error, or when `signal` is aborted; its thread then ends. */
  runTask(task: readonly number[], signal: AbortSignal): Promise<TaskResult>;
  close(): Promise<void>;
}

/** Runs tasks on threads of this process, or on several machines. */
export interface TaskRunner {
  /**
   * Runs each task (indices into the set list) once and reports its result, in any order. Resolves when all are reported. Rejects with the
   * first error, or when `signal` is aborted.
   */
  run(
    tasks: readonly (readonly number[])[],
    notify: (task: readonly number[], result: TaskResult) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

/** The sets to run, and where their results go. */
export interface SweepJob {
  readonly sets: readonly ParamSet[];
  /** All sets, divided into tasks. `driveSweep` leaves finished sets out. */
  readonly tiles: readonly (readonly number[])[];
  readonly figures: readonly string[];
  readonly runner: TaskRunner;
  readonly ledger: LedgerWriter;
  /** Results that the ledger already has. New ones are added once they are on disk. */
  readonly results: Map<number, SetLine>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs the missing sets. Resolves when every set has its line in the ledger. Rejects as the runner does, with earlier results in the
 * ledger.
 */
export async function driveSweep({ sets, tiles, figures, runner, ledger, results, onProgress, signal }: SweepJob): Promise<void> {
  const remaining = tiles.map((tile) => tile.filter((set) => !results.has(set))).filter((task) => task.length > 0);
  onProgress(results.size);
  // A queue may deliver a task twice, if a worker was wrongly considered dead.
  const finishedSets = new Set(results.keys());
  const isNew = (setIndex: number): boolean => {
    if (finishedSets.has(setIndex)) return false;
    finishedSets.add(setIndex);
    return true;
  };
  const notify = async (task: readonly number[], result: TaskResult) => {
    const lines = linesOf(task, result, sets, figures).filter(({ set }) => isNew(set));
    await ledger.append(lines);
    for (const line of lines) results.set(line.set, line);
    onProgress(results.size);
  };
  await runner.run(remaining, notify, signal);
  signal.throwIfAborted();
}

/** Returns the ledger lines of a task. The first one has the warnings of the whole task. */
function linesOf(
  task: readonly number[],
  { values, refused, failed, warnings }: TaskResult,
  sets: readonly ParamSet[],
  figures: readonly string[],
): SetLine[] {
  const counts = [values.length / figures.length, refused.length, failed.length];
  assert(
    counts.every((rows) => rows === task.length),
    'a task reports one row for each set',
  );
  return task.map((set, row) => {
    const refusal = refused[row] ?? null;
    const failure = failed[row] ?? null;
    const params = sets[set];
    assert(params !== undefined, `there is no set ${set}`);
    const valueOf = (_: string, figure: number) => values[row * figures.length + figure] ?? NaN;
    const line = {
      kind: 'set',
      set,
      params,
      figures: refusal === null && failure === null ? finiteByName(figures, valueOf) : null,
      refused: refusal,
    } as const;
    return {
      ...line,
      ...(failure === null ? {} : { failed: failure }),
      ...(row === 0 && warnings.length > 0 ? { warnings } : {}),
    };
  });
}

/** Returns figures by name; null for one that is not finite. */
function finiteByName(
  figures: readonly string[],
  valueOf: (name: string, figure: number) => number,
): Readonly<Record<string, number | null>> {
  const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return Object.fromEntries(figures.map((name, figure) => [name, finiteOrNull(valueOf(name, figure))]));
}
