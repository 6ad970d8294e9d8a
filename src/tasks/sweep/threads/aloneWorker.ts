// The second thread of a sweep's thread: runs sets one by one, each from a fresh module, so that no set sees state of another.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { StrategyError } from '../../../base/errors.ts';
import { WarningList } from '../../../model/warning.ts';
import { SET_FIGURES } from '../../../report/sweep/figures/setFigures.ts';
import { openRequest } from '../../../definition/request.ts';
import { resolveRun } from '../../../definition/resolve.ts';
import { strategyPlanOf } from '../../../definition/load/strategies.ts';
import { checkCustoms } from '../../backtest/purity/customCheck.ts';
import { freshStrategies } from '../../backtest/purity/freshStrategies.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { runLanes, type LaneOptions, type SetOutcome, type SetParams } from './runLanes.ts';
import { withParams } from '../../trials/paramKeys.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import { toWire } from '../../backtest/run/wireError.ts';
import type { AloneData, AloneAnswer, AloneTask, Module } from './sweepMessages.ts';

const port = parentPort;
assert(port !== null, 'aloneWorker runs as a worker thread');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const reply = (answer: AloneAnswer): void => port.postMessage(answer);

const { sweep, modules } = workerData as AloneData;
const loading = planFrom(sweep, modules);
port.on('message', (task: AloneTask) => void run(task).then(reply, (error: unknown) => reply({ error: toWire(error) })));

/** Runs the sets of a task, and returns their figures. */
async function run({ sets, hasFirst, memory }: AloneTask): Promise<AloneAnswer> {
  const base = await loading;
  const progress = new ProgressCells(memory);
  const watcher = { enter: progress.enter.bind(progress), progressCells: progress.cells };
  const warnings = new WarningList();
  const values = new Float64Array(sets.length * SET_FIGURES.length);
  const refused: (string | null)[] = [];
  for (const [row, params] of sets.entries()) {
    const outcome = await runSet({ ...base, strategies: await freshStrategies(base.strategies) }, params, watcher);
    values.set(outcome.values, row * SET_FIGURES.length);
    refused.push(outcome.refused);
    if (row > 0 || !hasFirst || outcome.refused !== null) continue;
    watcher.enter('setUp');
    await checkCustoms({ ...base, strategies: withParams(base.strategies, params) }, null, warnings);
  }
  watcher.enter('metrics');
  return { values, refused, warnings: warnings.all() };
}

/** Runs one set. An error of the strategy is an outcome here, because the set had no error together with others. */
async function runSet(plan: RunPlan, params: SetParams, watcher: NonNullable<LaneOptions['watcher']>): Promise<SetOutcome> {
  try {
    const [outcome] = await runLanes(plan, [params], { watcher });
    assert(outcome !== undefined, 'a set has an outcome');
    return outcome;
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    return { values: new Float64Array(SET_FIGURES.length).fill(NaN), refused: error.message };
  }
}

/** Returns the plan of the sweep, with the modules that the sweep has loaded. */
async function planFrom({ request, feeds, series, contracts }: AloneData['sweep'], loaded: readonly Module[]): Promise<RunPlan> {
  const { source } = await openRequest(request);
  const remaining = [...loaded];
  // Before the import, so that warnings name the lines of the user's code.
  process.setSourceMapsEnabled(true);
  const { plan } = await resolveRun(source, {
    feeds,
    series,
    contracts: contracts ?? undefined,
    // Already bundled: the same module as in the sweep.
    load: async (entry, from) => {
      const module = remaining.shift();
      assert(module !== undefined, 'every entry has its module');
      const { default: strategy } = (await import(/* @vite-ignore */ module.url)) as { readonly default: never };
      return { plan: strategyPlanOf(entry, { ...module, strategy }, from), inputs: [], folder: '.' };
    },
  });
  return plan;
}
