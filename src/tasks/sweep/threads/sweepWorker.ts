// A thread of a sweep: loads the definition once, then runs the sets of each task as simulation lanes over the shared bars.

import { workerData } from 'node:worker_threads';
import { DiffersError, StrategyError } from '../../../base/errors.ts';
import { WarningList, warningText, type Warning } from '../../../model/warning.ts';
import { SET_FIGURES } from '../../../report/sweep/figures/setFigures.ts';
import { openRequest } from '../../../definition/request.ts';
import { resolveRun } from '../../../definition/resolve.ts';
import { LaneMemory, runLanes, type LaneOptions, type SetParams } from './runLanes.ts';
import { PurityWatch } from '../../backtest/purity/purityWatch.ts';
import { checkSingleRuns } from './aloneCheck.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import { toWire } from '../../backtest/run/wireError.ts';
import type { SweepData, SweepTask, SweepAnswer } from './sweepMessages.ts';

// Sends the output of strategies to stderr, because stdout is for the summary.
process.stdout.write = process.stderr.write.bind(process.stderr);

const sweepData = workerData as SweepData;
const { request, feeds, series, contracts, sets, laneBytes } = sweepData;
const memory = new LaneMemory();
/** Warnings of this thread. Each task reports those since the task before. */
const warnings = new WarningList();
const purity = new PurityWatch(warnings, true);
const plan = openRequest(request).then(async ({ source }) => {
  const resolved = await resolveRun(source, { feeds, series, contracts: contracts ?? undefined });
  for (const { reach = [] } of [...resolved.plan.strategies, resolved.plan.models ?? {}]) reach.forEach(warnings.add);
  purity.checkGlobals();
  return resolved.plan;
});

/** Runs the sets of a task. */
export default async function runTask({ indices, memory: cells, isSlow }: SweepTask): Promise<SweepAnswer> {
  const taskSets = indices.map((index) => sets[index] ?? {});
  const progress = new ProgressCells(cells);
  const watcher = { enter: progress.enter.bind(progress), progressCells: progress.cells };
  const options: LaneOptions = {
    memory,
    watcher,
    warnings,
    purity,
    ...(laneBytes === null ? {} : { laneBytes }),
    ...(isSlow ? { blockRows: 1 } : {}),
  };
  try {
    const outcomes = await runLanes(await plan, taskSets, options);
    purity.checkGlobals();
    const values = new Float64Array(outcomes.length * SET_FIGURES.length);
    outcomes.forEach((outcome, row) => values.set(outcome.values, row * SET_FIGURES.length));
    const refused = outcomes.map((outcome) => outcome.refused);
    const checkWarnings = await checkSingleRuns(sweepData, await plan, { indices, values, refused }, cells);
    checkWarnings.forEach(warnings.add);
    return { values, refused, warnings: warnings.drain() };
  } catch (error) {
    if (error instanceof DiffersError) return { error: toWire(withEarlierWarnings(error, warnings.drain())) };
    const namedError = error instanceof StrategyError ? await withFailingSet(error, taskSets, options) : error;
    return { error: toWire(namedError) };
  }
}

/** Adds the earlier warnings to the error, because they explain why the strategy behaves differently. */
function withEarlierWarnings(error: DiffersError, earlierWarnings: readonly Warning[]): DiffersError {
  if (earlierWarnings.length === 0) return error;
  const warningsText = earlierWarnings.map(warningText).join('; ');
  return new DiffersError(`${error.message}; earlier warnings: ${warningsText}`, error.remedy, error.cause);
}

/** Adds the parameters of the first set that fails alone to the error. */
async function withFailingSet(error: StrategyError, taskSets: readonly SetParams[], options: LaneOptions): Promise<StrategyError> {
  for (const params of taskSets) {
    try {
      // Use new memory, because the task's lanes have not released theirs.
      await runLanes(await plan, [params], { ...options, memory: new LaneMemory() });
    } catch (failure) {
      if (!(failure instanceof StrategyError)) throw failure;
      const paramTexts = Object.entries(params).map(([name, value]) => `${name}=${value}`);
      return new StrategyError(`with ${paramTexts.join(', ')}: ${failure.message}`, failure.remedy, failure.cause);
    }
  }
  return error;
}
