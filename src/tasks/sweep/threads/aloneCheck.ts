// Repeats some sets of a task alone, in a thread without lanes, to check that no result depends on other sets.

import { Worker } from 'node:worker_threads';
import { appendAll } from '../../../base/memory/appendAll.ts';
import { DiffersError } from '../../../base/errors.ts';
import { moduleUrl } from '../../../base/inPackage.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { Warning } from '../../../model/warning.ts';
import { SET_FIGURES } from '../../../report/sweep/figures/setFigures.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { SweepData, AloneAnswer, AloneData, AloneTask } from './sweepMessages.ts';
import { fromWire } from '../../backtest/run/wireError.ts';

/** Number of sets of each task that are repeated alone. The first task also repeats the first set of the sweep. */
const SAMPLE_SIZE = 2;

/** Results of the sets of a task that ran together, row by row in the order of `indices`. */
export interface JointRun {
  readonly indices: readonly number[];
  readonly values: Float64Array;
  readonly refused: readonly (string | null)[];
}

/**
 * Checks a seeded sample of sets. Throws DiffersError, naming the set, if a set has another result alone. Returns the warnings of the second
 * thread. A strategy whose class was given as a value has no module to load again, so it is not checked.
 */
export async function checkSingleRuns(
  data: SweepData,
  plan: RunPlan,
  joint: JointRun,
  memory: SharedArrayBuffer,
): Promise<readonly Warning[]> {
  const { sets, ...sweep } = data;
  const modules = plan.strategies.flatMap(({ url, record, hash }) => (typeof url === 'string' ? [{ url, name: record.name, hash }] : []));
  if (modules.length < plan.strategies.length) return [];
  const rows = sampleOf(joint.indices, plan.seed);
  const ownSets = rows.map((row) => sets[joint.indices[row] ?? 0] ?? {});
  thread ??= new AloneThread({ sweep, modules });
  const answer = await thread.run({ sets: ownSets, hasFirst: joint.indices[rows[0] ?? 0] === 0, memory });
  if ('error' in answer) throw fromWire(answer.error);
  for (const [index, row] of rows.entries()) {
    const difference = differenceOf(joint, row, answer, index);
    if (difference !== null) throw differs(plan, ownSets[index] ?? {}, difference);
  }
  return answer.warnings;
}

/** Returns the rows of a task to check: the row of the sweep's first set, and a seeded sample. */
function sampleOf(indices: readonly number[], seed: number): readonly number[] {
  const rng = seededRng(seed * 65_537 + (indices[0] ?? 0));
  const remainingRows = indices.map((_, row) => row);
  const first = indices.indexOf(0);
  const rows = first < 0 ? [] : remainingRows.splice(first, 1);
  for (let count = 0; count < SAMPLE_SIZE && remainingRows.length > 0; count++)
    appendAll(rows, remainingRows.splice(Math.floor(rng.next() * remainingRows.length), 1));
  return rows;
}

/**
 * A thread that runs single sets, each with a fresh module, and never lanes. It lives as long as the thread of the sweep, because its start
 * and its cold code cost ten times as much as the sets.
 */
class AloneThread {
  readonly #worker: Worker;
  #settle: ((answer: AloneAnswer) => void) | null = null;
  #fail: ((error: Error) => void) | null = null;

  constructor(data: AloneData) {
    // Discard its output, because the thread of the task has printed the same.
    const worker = new Worker(moduleUrl('tasks/sweep/threads/aloneWorker'), { workerData: data, stdout: true, stderr: true });
    this.#worker = worker;
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (answer: AloneAnswer) => this.#settle?.(answer));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('worker exited')));
  }

  /** Runs sets alone, one after the other. Rejects if the thread ends. */
  run(task: AloneTask): Promise<AloneAnswer> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.#worker.postMessage(task);
    });
  }

  #end(error: Error): void {
    thread = null;
    this.#fail?.(error);
  }
}

/** The second thread of this thread of a sweep; null before the first check. */
let thread: AloneThread | null = null;

/** A figure that differs. */
type AloneDifference = readonly [name: string, together: string, alone: string];

/** Returns the first difference between a set that ran with others (row `row`) and alone (answer `index`); null: they are equal. */
function differenceOf(
  joint: JointRun,
  row: number,
  aloneRun: Exclude<AloneAnswer, { error: unknown }>,
  index: number,
): AloneDifference | null {
  const refused = joint.refused[row] ?? null;
  const refusedAlone = aloneRun.refused[index] ?? null;
  if (refused !== refusedAlone) return ['the outcome', refused ?? 'a result', refusedAlone ?? 'a result'];
  for (const [figure, name] of SET_FIGURES.entries()) {
    const jointValue = joint.values[row * SET_FIGURES.length + figure];
    const aloneValue = aloneRun.values[index * SET_FIGURES.length + figure];
    if (!Object.is(jointValue, aloneValue)) return [name, String(jointValue), String(aloneValue)];
  }
  return null;
}

/** Returns the error about a set that has another result alone. */
function differs({ strategies }: RunPlan, params: object, [name, joint, aloneRun]: AloneDifference): DiffersError {
  const names = strategies.map(({ record }) => record.name).join(', ');
  const set = Object.entries(params).map(([key, value]) => `${key}=${value}`);
  return new DiffersError(
    `${names} with ${set.join(', ')}: expected the same result alone and with other sets, got ${name} ${aloneRun} alone and ${joint} with others`,
    'sets share modules: keep state in fields of the class, not in module variables, statics or globalThis',
  );
}
