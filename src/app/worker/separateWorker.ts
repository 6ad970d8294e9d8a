// A thread of a sweep: loads the definition once, then runs the sets that a task names.

import { workerData } from 'node:worker_threads';
import { openRequest, type RunRequest } from '../definition/request.ts';
import { resolveRun } from '../definition/resolve.ts';
import { runSeparately, SEPARATE_FIGURES } from '../sweepSeparate.ts';
import { toWire } from './wireError.ts';

interface SeparateData {
  readonly request: RunRequest;
  readonly sets: readonly Readonly<Record<string, string | number | boolean>>[];
}

const { request, sets } = workerData as SeparateData;
const plan = openRequest(request).then(async ({ source, bars }) => (await resolveRun(source, { bars })).plan);

export default async function task(indices: readonly number[]): Promise<unknown> {
  try {
    const outcomes = await runSeparately(await plan, indices.map((index) => sets[index] ?? {}));
    const values = new Float64Array(outcomes.length * SEPARATE_FIGURES.length);
    outcomes.forEach((outcome, row) => values.set(outcome.values, row * SEPARATE_FIGURES.length));
    return { values, refused: outcomes.map(({ refused }) => refused) };
  } catch (error) {
    return { error: toWire(error) };
  }
}
