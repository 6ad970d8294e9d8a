// Runs one backtest in this thread, from the request to the figures of its record, and reports each step to a watcher.

import { largestOf } from '../../../base/number/extremes.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { NeedsWholeBars } from '../../../model/bars/wholeBars.ts';
import { WarningList } from '../../../model/warning.ts';
import { buildSummary, type Summary } from '../../../report/summary/summary.ts';
import type { Envelope } from '../../../report/envelope/figures.ts';
import type { RunEnvelope } from '../../../report/envelope/envelopeFinder.ts';
import type { Origin, RequestedRun } from '../../../definition/request.ts';
import { resolveRun, type ResolvedRun, type ResolveOptions } from '../../../definition/resolve.ts';
import type { DefinitionSource } from '../../../definition/text/source.ts';
import { loadEntry } from '../../../definition/load/strategies.ts';
import type { Importer } from '../../../adapters/plugins/loadModule.ts';
import { clockOf } from '../../../app/partAlone.ts';
import { checkCustoms } from '../purity/customCheck.ts';
import { PurityWatch } from '../purity/purityWatch.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { StreamedRun, type StreamSettings } from '../streamed/streamedRun.ts';
import { envelopeOf } from './envelope.ts';
import { finerRowsOf } from './finerRows.ts';
import { prepareBacktest, runRecordOf, type PreparedRun } from './runBacktest.ts';
import { RunLog } from './runLog.ts';
import { sendHaltAlerts } from './sendHaltAlerts.ts';
import { versions } from '../../../adapters/runtime/version.ts';
import type { Phase } from './progressCells.ts';

/** Observes a run. */
export interface Watcher {
  /** The run enters a phase. */
  enter(phase: Phase): void;
  /** Everything is loaded. The bars come next. */
  onLoaded(resolved: ResolvedRun): void;
  /** Progress cells that the engine writes once per block. */
  readonly progressCells: Int32Array | null;
  /** True when the run is the only one of its process, as for a command. */
  readonly isOnly: boolean;
  /** True when the envelope of the run is found as well. */
  readonly findsEnvelope: boolean;
  /** Where and when the bars of the run may be read block by block; null: never. */
  readonly streams: StreamSettings | null;
}

/** Watches nothing. */
export const NO_WATCHER: Watcher = {
  enter: () => {},
  onLoaded: () => {},
  progressCells: null,
  isOnly: false,
  findsEnvelope: true,
  streams: null,
};

/** A run that has ended, before its figures are computed. */
export interface ExecutedRun {
  readonly resolved: ResolvedRun;
  readonly record: RunRecord;
  /** Null: it was not asked for. */
  readonly envelope: Envelope | null;
  readonly log: RunLog;
  /** Time outside of the run. The run folder is named after it. */
  readonly clock: Pick<Scheduler, 'nowMs'>;
  /** Frees what the record still reads, for a run over bars that were read block by block. */
  readonly release: () => void;
}

/** A run that can be written to a run folder. */
export interface FinishedRun extends ExecutedRun {
  readonly summary: Summary;
  readonly origin: Origin;
}

/** Runs a backtest without writing its folder. The command's worker and code both use it. Throws as `executeDefinition` does. */
export async function runBacktestRequest(
  { source, bars, origin }: RequestedRun,
  options: Omit<ResolveOptions, 'bars'> = {},
  watcher: Watcher = NO_WATCHER,
): Promise<FinishedRun> {
  const executed = await executeDefinition(source, { ...options, bars }, watcher);
  return { ...executed, summary: buildSummary(executed.record, { versions: versions(), envelope: executed.envelope }), origin };
}

/** Runs the bars. Throws StrategyError if a promise of a callback continues after the last bar. */
async function runWithWatcher({ loop, engine }: PreparedRun, { strategies }: RunPlan, watch: PurityWatch): Promise<void> {
  try {
    watch.during(() => loop(engine));
  } finally {
    watch.stop();
  }
  await watch.waitForPromises(strategies.map(({ record }) => record.name).join(', '));
}

/** Returns the envelope, with what finer bars of the store say about ambiguous ones; null if it was not asked for. */
async function envelopeWithFiner(
  { plan, store }: ResolvedRun,
  prepared: PreparedRun,
  record: RunRecord,
  progressCells: Int32Array | null,
): Promise<RunEnvelope | null> {
  const finer = store === null || record.decisions === undefined ? null : finerRowsOf(store, record);
  try {
    return await envelopeOf(plan, prepared, record, finer, progressCells);
  } finally {
    finer?.close();
  }
}

/** Runs a definition. Throws ConfigError and StrategyError as `resolveRun` and the engine do. */
export async function executeDefinition(source: DefinitionSource, options: ResolveOptions, watcher: Watcher): Promise<ExecutedRun> {
  // The envelope follows each entry through the bars.
  const streams = watcher.findsEnvelope ? null : watcher.streams;
  try {
    return await loadAndRun(source, options, watcher, streams);
  } catch (error) {
    if (!(error instanceof NeedsWholeBars)) throw error;
    return loadAndRun(source, { ...options, importer: freshModules(options.importer) }, watcher, null);
  }
}

/** Returns an importer of separate modules: what the first attempt left in the state of a module must not reach the second. */
function freshModules(importer: Importer = importUrl): Importer {
  return (url, files) => importer(`${url}?whole`, files);
}

/** Imports a module without a watch. */
const importUrl: Importer = (url) => import(/* @vite-ignore */ url);

/** Loads a definition and runs it. `streams`: read the bars block by block; null: load all of them. */
async function loadAndRun(
  source: DefinitionSource,
  options: ResolveOptions,
  watcher: Watcher,
  streams: StreamSettings | null,
): Promise<ExecutedRun> {
  watcher.enter('load');
  const warnings = new WarningList();
  // In its own thread, strategy code is watched from its first line. Elsewhere other code uses the same built-ins.
  const watch = new PurityWatch(warnings, watcher.isOnly);
  const { importer: importModule = importUrl } = options;
  const importer: Importer = (url, files) => {
    watcher.enter('import');
    return watch.whileLoading(url, () => importModule(url, files));
  };
  const { load: loadStrategyEntry = loadEntry } = options;
  const resolved = await resolveRun(source, {
    ...options,
    importer,
    load: (strategyEntry, from) => loadStrategyEntry(strategyEntry, from, importer),
    ...(streams === null ? {} : { streaming: streams }),
  });
  const streamed = StreamedRun.of(resolved.plan, streams);
  try {
    return await runResolved(resolved, streamed, { watcher, watch, warnings });
  } catch (error) {
    streamed?.release();
    watch.stop();
    throw error;
  }
}

/** Returns the rows of the first feed that the strategies need before their first decision. */
function neededRows({ engine }: PreparedRun): number {
  return Math.max(0, largestOf(engine.runs.map((strategyRun) => strategyRun.readyRow(engine.feeds[0]!))));
}

/** What observes a run: its caller, the watch of strategy code, and the warnings. */
interface RunWatch {
  readonly watcher: Watcher;
  readonly watch: PurityWatch;
  readonly warnings: WarningList;
}

/** Runs a resolved definition. The caller closes its files if this fails. */
async function runResolved(resolved: ResolvedRun, streamed: StreamedRun | null, watched: RunWatch): Promise<ExecutedRun> {
  const { watcher, watch, warnings } = watched;
  if (streamed === null) watcher.onLoaded(resolved);
  resolved.warnings.forEach(warnings.add);
  const { plan } = resolved;
  const clock = clockOf(plan);
  const log = beginLog(resolved, clock);
  watcher.enter('setUp');
  watch.guardBuiltIns();
  const prepared = await prepare(plan, streamed, watched, { clock, log });
  // What the file or a constructor has replaced may be put back before the end.
  watch.checkGlobals();
  if (streamed !== null) {
    streamed.begin(prepared.engine, plan);
    // Only now it is certain that the bars need not be loaded again.
    watcher.onLoaded(resolved);
  }
  for (const { reach = [] } of [...plan.strategies, plan.models ?? {}]) reach.forEach(warnings.add);
  await checkCustoms(plan, prepared.engine, warnings);
  watcher.enter('bars');
  await runWithWatcher(prepared, plan, watch);
  await sendHaltAlerts(prepared, log);
  watcher.enter('metrics');
  const runRecord = runRecordOf(plan, prepared, streamed === null, warnings);
  const record = streamed?.recordOf(runRecord, prepared.engine) ?? runRecord;
  log.addEvent('bars are done', { orders: record.orders.length, fills: record.fills.length });
  const envelope = await envelopeWithFiner(resolved, prepared, record, watcher.progressCells);
  for (const { indicators } of prepared.engine.feeds) indicators.freeBlocks();
  return {
    resolved: streamed?.sampleOf(resolved, neededRows(prepared), record) ?? resolved,
    record: { ...record, equityBand: envelope?.band ?? null },
    envelope: envelope?.envelope ?? null,
    log,
    clock,
    release: () => streamed?.release(),
  };
}

/** Returns the log of the run with its first lines: what runs, and the notes of the definition. */
function beginLog({ plan, hash, notes }: ResolvedRun, clock: Scheduler): RunLog {
  const log = new RunLog(clock);
  log.addEvent('run begins', {
    name: plan.name,
    definition: hash,
    bars: plan.feeds.reduce((sum, feed) => sum + feed.bars.length, 0),
  });
  for (const note of notes) log.addEvent(note);
  return log;
}

/** Builds the bot of the run and sets up its strategies, while their code is watched. */
function prepare(
  plan: RunPlan,
  streamed: StreamedRun | null,
  { watcher, watch, warnings }: RunWatch,
  { clock, log }: { readonly clock: Scheduler; readonly log: RunLog },
): Promise<PreparedRun> {
  return prepareBacktest(plan, {
    progressCells: watcher.progressCells,
    clock,
    log: log.addLine,
    denialLog: log.addLine,
    warnings,
    kind: watcher.isOnly ? 'command' : 'code',
    during: watch.during,
    // Trades leave no order of events open.
    ...(streamed === null ? {} : { equitySink: streamed.equity, scratch: streamed.scratch }),
    keepsDecisions: watcher.findsEnvelope && plan.feeds.every(({ bars }) => bars.tape === undefined),
  });
}
