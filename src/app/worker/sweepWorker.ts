// A thread of a sweep: loads the definition once, then runs the sets that a task names as lanes over the shared bars.

import { workerData } from 'node:worker_threads';
import { StrategyError } from '../../base/errors.ts';
import { Scratch } from '../../base/rowLog.ts';
import { SET_FIGURES } from '../../report/sweep/setFigures.ts';
import { openRequest, type RunRequest } from '../definition/request.ts';
import { resolveRun } from '../definition/resolve.ts';
import { runLanes, type SetParams } from '../lanes.ts';
import type { FeedPlan } from '../plan.ts';
import { toWire, type WireError } from './wireError.ts';

/** What every thread of a sweep is given once. */
export interface SweepData {
  readonly request: RunRequest;
  /** Columns on memory that all threads see. */
  readonly feeds: readonly FeedPlan[];
  readonly sets: readonly SetParams[];
}

/** A row of figures for each set of the task, in its order; or the error that ended it. */
export type SweepAnswer = { readonly values: Float64Array; readonly refused: readonly (string | null)[] } | { readonly error: WireError };

// What a strategy prints is no result: stdout belongs to the summary.
process.stdout.write = process.stderr.write.bind(process.stderr);

const { request, feeds, sets } = workerData as SweepData;
const plan = openRequest(request).then(async ({ source }) => (await resolveRun(source, { feeds })).plan);
const scratch = new Scratch();

/** Runs the sets of these indices. */
export default async function task(indices: readonly number[]): Promise<SweepAnswer> {
  const own = indices.map((index) => sets[index] ?? {});
  try {
    const outcomes = await runLanes(await plan, own, { scratch });
    const values = new Float64Array(outcomes.length * SET_FIGURES.length);
    outcomes.forEach((outcome, row) => values.set(outcome.values, row * SET_FIGURES.length));
    return { values, refused: outcomes.map(({ refused }) => refused) };
  } catch (error) {
    return { error: toWire(error instanceof StrategyError ? await withCulprit(error, own) : error) };
  }
}

/** The error with the parameters of the set that it is of: the first one that fails alone. */
async function withCulprit(error: StrategyError, own: readonly SetParams[]): Promise<StrategyError> {
  for (const params of own) {
    try {
      await runLanes(await plan, [params]);
    } catch (failure) {
      if (!(failure instanceof StrategyError)) throw failure;
      const named = Object.entries(params).map(([name, value]) => `${name}=${value}`);
      return new StrategyError(`with ${named.join(', ')}: ${failure.message}`, failure.remedy, failure.cause);
    }
  }
  return error;
}
