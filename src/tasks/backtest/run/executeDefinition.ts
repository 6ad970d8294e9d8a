// One backtest in this thread, from what was asked to the figures of its record, with a word to the watcher at each step.

import type { RunRecord } from '../../../model/run/run.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { WarningList } from '../../../model/warning.ts';
import { buildSummary, type Summary } from '../../../report/summary/summary.ts';
import type { Origin, RequestedRun } from '../../../definition/request.ts';
import { resolveRun, type ResolvedRun, type ResolveOptions } from '../../../definition/resolve.ts';
import type { DefinitionSource } from '../../../definition/text/source.ts';
import { loadEntry } from '../../../definition/load/strategies.ts';
import type { Importer } from '../../../adapters/plugins/loadModule.ts';
import { clockOf } from '../../../app/partAlone.ts';
import { checkCustoms } from '../purity/customCheck.ts';
import { PurityWatch } from '../purity/watch.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { prepareBacktest, runRecordOf, type PreparedRun } from './runBacktest.ts';
import { RunLog } from './runLog.ts';
import { tellHalts } from './tellHalts.ts';
import { versions } from '../../../adapters/runtime/version.ts';
import type { Phase } from './progressCells.ts';

/** Who watches a run. */
export interface Watcher {
  /** The run begins a phase. */
  enter(phase: Phase): void;
  /** Everything is loaded; the bars come next. */
  loaded(resolved: ResolvedRun): void;
  /** Cells that the engine writes once a block. */
  readonly progressCells: Int32Array | null;
  /** The run is the only one of its process, that of a command. */
  readonly isOnly: boolean;
}

export const NO_WATCHER: Watcher = { enter: () => {}, loaded: () => {}, progressCells: null, isOnly: false };

export interface ExecutedRun {
  readonly resolved: ResolvedRun;
  readonly record: RunRecord;
  readonly log: RunLog;
  /** Time outside of the run, from which its folder has its name. */
  readonly clock: Pick<Scheduler, 'nowMs'>;
}

/** A run that can be written down: see artefacts.ts. */
export interface FinishedRun extends ExecutedRun {
  readonly summary: Summary;
  readonly origin: Origin;
}

/** The whole of a backtest but for its folder: the one way, for the command's worker and for code. Throws as `execute` does. */
export async function runBacktestRequest(
  { source, bars, origin }: RequestedRun,
  options: Omit<ResolveOptions, 'bars'> = {},
  watcher: Watcher = NO_WATCHER,
): Promise<FinishedRun> {
  const executed = await executeDefinition(source, { ...options, bars }, watcher);
  return { ...executed, summary: buildSummary(executed.record, { versions: versions() }), origin };
}

/** Runs the bars. Throws StrategyError when a promise of a callback goes on after the last one. */
async function runWatched({ loop, engine }: PreparedRun, { strategies }: RunPlan, watch: PurityWatch): Promise<void> {
  try {
    watch.during(() => loop(engine));
  } finally {
    watch.stop();
  }
  await watch.settle(strategies.map(({ record }) => record.name).join(', '));
}

/** Throws ConfigError and StrategyError as `resolveRun` and the engine do. */
export async function executeDefinition(source: DefinitionSource, options: ResolveOptions, watcher: Watcher): Promise<ExecutedRun> {
  watcher.enter('load');
  const warnings = new WarningList();
  // In a thread of its own strategy code is watched from its first line on; elsewhere others use the same built-ins meanwhile.
  const watch = new PurityWatch(warnings, watcher.isOnly);
  const { importer: open = (url) => import(/* @vite-ignore */ url) } = options;
  const importer: Importer = (url) => {
    watcher.enter('import');
    return watch.whileLoading(url, () => open(url));
  };
  const { load = loadEntry } = options;
  const resolved = await resolveRun(source, { ...options, importer, load: (entry, from) => load(entry, from, importer) });
  watcher.loaded(resolved);
  resolved.warnings.forEach(warnings.add);
  const { plan } = resolved;
  const clock = clockOf(plan);
  const log = new RunLog(clock);
  log.event('run begins', {
    name: plan.name,
    definition: resolved.hash,
    bars: plan.feeds.reduce((sum, feed) => sum + feed.bars.length, 0),
  });
  for (const note of resolved.notes) log.event(note);
  watcher.enter('setUp');
  const prepared = await prepareBacktest(plan, {
    progressCells: watcher.progressCells,
    clock,
    log: log.line,
    refusals: log.line,
    warnings,
    isOnly: watcher.isOnly,
    during: watch.during,
  });
  for (const { reach = [] } of [...plan.strategies, plan.models ?? {}]) reach.forEach(warnings.add);
  await checkCustoms(plan, prepared.engine, warnings);
  watcher.enter('bars');
  await runWatched(prepared, plan, watch);
  await tellHalts(prepared, log);
  watcher.enter('metrics');
  const record = runRecordOf(plan, prepared, true, warnings);
  log.event('bars are done', { orders: record.orders.length, fills: record.fills.length });
  return { resolved, record, log, clock };
}
