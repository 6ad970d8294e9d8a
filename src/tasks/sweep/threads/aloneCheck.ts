// Repeats some sets of a task alone in a thread where no lanes run, to check that a set's result does not depend on the sets beside it.

import { Worker } from 'node:worker_threads';
import { DiffersError } from '../../../base/errors.ts';
import { moduleUrl } from '../../../base/inPackage.ts';
import { seededRng } from '../../../base/number/rng.ts';
import type { Warning } from '../../../model/warning.ts';
import { SET_FIGURES } from '../../../report/sweep/figures/setFigures.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { SweepData, AloneAnswer, AloneData, AloneTask } from './messages.ts';
import { fromWire } from '../../backtest/run/wireError.ts';

/** Sets of each task that are repeated alone. For the first task also the first set of the sweep. */
const SAMPLED = 2;

/** Results of the sets of a task that ran together, row by row in the order of `indices`. */
export interface JointRun {
  readonly indices: readonly number[];
  readonly values: Float64Array;
  readonly refused: readonly (string | null)[];
}

/**
 * Throws DiffersError, which names the set, if a set of a seeded sample has another result alone. Returns the warnings of that thread. A
 * strategy whose class was given as a value has no module to load again, and is not checked.
 */
export async function checkAlone(data: SweepData, plan: RunPlan, joint: JointRun, memory: SharedArrayBuffer): Promise<readonly Warning[]> {
  const { sets, ...sweep } = data;
  const modules = plan.strategies.flatMap(({ url, record, hash }) => (typeof url === 'string' ? [{ url, name: record.name, hash }] : []));
  if (modules.length < plan.strategies.length) return [];
  const rows = sampleOf(joint.indices, plan.seed);
  const own = rows.map((row) => sets[joint.indices[row] ?? 0] ?? {});
  thread ??= new AloneThread({ sweep, modules });
  const answer = await thread.run({ sets: own, hasFirst: joint.indices[rows[0] ?? 0] === 0, memory });
  if ('error' in answer) throw fromWire(answer.error);
  for (const [at, row] of rows.entries()) {
    const difference = differenceOf(joint, row, answer, at);
    if (difference !== null) throw differs(plan, own[at] ?? {}, difference);
  }
  return answer.warnings;
}

/** Returns rows of a task: that of the first set of the sweep, and a seeded sample. */
function sampleOf(indices: readonly number[], seed: number): readonly number[] {
  const rng = seededRng(seed * 65_537 + (indices[0] ?? 0));
  const left = indices.map((_, row) => row);
  const first = indices.indexOf(0);
  const rows = first < 0 ? [] : left.splice(first, 1);
  for (let count = 0; count < SAMPLED && left.length > 0; count++) rows.push(...left.splice(Math.floor(rng.next() * left.length), 1));
  return rows;
}

/**
 * A thread that runs single sets alone. Lanes never run in it, and each set has its own fresh module. It lives as long as the thread of
 * the sweep: its start and its cold code cost ten times as much as the sets themselves.
 */
class AloneThread {
  readonly #worker: Worker;
  #settle: ((answer: AloneAnswer) => void) | null = null;
  #fail: ((error: Error) => void) | null = null;

  constructor(data: AloneData) {
    // Discard its output: the thread of the task has printed the same.
    const worker = new Worker(moduleUrl('tasks/sweep/threads/aloneWorker'), { workerData: data, stdout: true, stderr: true });
    this.#worker = worker;
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (answer: AloneAnswer) => this.#settle?.(answer));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('worker exited')));
  }

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

/** One in each thread of a sweep. */
let thread: AloneThread | null = null;

type Difference = readonly [name: string, together: string, alone: string];

function differenceOf(joint: JointRun, row: number, alone: Exclude<AloneAnswer, { error: unknown }>, at: number): Difference | null {
  const [refused, refusedAlone] = [joint.refused[row] ?? null, alone.refused[at] ?? null];
  if (refused !== refusedAlone) return ['the outcome', refused ?? 'a result', refusedAlone ?? 'a result'];
  for (const [figure, name] of SET_FIGURES.entries()) {
    const [a, b] = [joint.values[row * SET_FIGURES.length + figure], alone.values[at * SET_FIGURES.length + figure]];
    if (!Object.is(a, b)) return [name, String(a), String(b)];
  }
  return null;
}

function differs({ strategies }: RunPlan, params: object, [name, joint, alone]: Difference): DiffersError {
  const who = strategies.map(({ record }) => record.name).join(', ');
  const set = Object.entries(params).map(([key, value]) => `${key}=${value}`);
  return new DiffersError(
    `${who} with ${set.join(', ')}: expected the same result alone and beside other sets, got ${name} ${alone} alone and ${joint} beside them`,
    'sets share modules: keep state in fields of the class, not in module variables, statics or globalThis',
  );
}
