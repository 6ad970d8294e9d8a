// The worker thread of a backtest: loads, runs, measures and writes. Reports each step and the result to its watcher.

import { resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { assert } from '../../../base/assert.ts';
import { InvariantError } from '../../../base/errors.ts';
import { warning } from '../../../model/warning.ts';
import type { RunProof } from '../../../model/run/proof.ts';
import { withProof } from '../../../report/summary/summary.ts';
import { summaryText } from '../../../report/summary/runFiles.ts';
import { closingTable, drawnEquity } from '../../../report/terminal/closingTable.ts';
import { definitionText, writeRunFolder } from '../folder/writeRunFolder.ts';
import { displayPath } from '../../../definition/text/paths.ts';
import { openRequest, type RequestedRun, type RunRequest } from '../../../definition/request.ts';
import { resolveRun, type ResolvedRun } from '../../../definition/resolve.ts';
import { loadEntry } from '../../../definition/load/strategies.ts';
import type { StrategyEntry } from '../../../definition/load/withDefaults.ts';
import type { DefinitionSource } from '../../../definition/text/source.ts';
import type { Importer } from '../../../adapters/plugins/loadModule.ts';
import { finestFeeds } from '../../../definition/plan/finestFeeds.ts';
import { ledgerFolderOf, appendRunToLedger, proofKeyOf } from '../../trials/identityParts.ts';
import { verdictFor } from '../../trials/verdicts.ts';
import { verdictWithoutSample, sampleRun } from '../proof/sampleRun.ts';
import { STREAMED_ROWS, type StreamSettings } from '../streamed/streamedRun.ts';
import { runBacktestRequest, type FinishedRun, type Watcher } from '../run/executeDefinition.ts';
import type { FeedPlan } from '../../../definition/plan/plan.ts';
import { instrumentsOf } from '../../../app/bot.ts';
import { ProgressCells, type Phase } from '../run/progressCells.ts';
import { findBreakEven, type BreakEvenWatcher } from '../breakEven/breakEven.ts';
import type { FoundBreakEven, FromWorker, RunDescription, RunOutcome, Timings, TrialOptions, WorkerInput } from './workerMessages.ts';
import { toWire } from '../run/wireError.ts';

const port = parentPort;
assert(port !== null, 'backtestWorker runs as a worker thread');
const post = (message: FromWorker) => port.postMessage(message);

/** Start time of each phase, on the same wall clock as the start of the process. */
const phaseStartMs = new Map<Phase, number>();

// The input comes by message: the thread starts before the input is known, and loads its modules meanwhile.
port.once('message', (input: WorkerInput) => {
  replyTo(input).then(post, (error: unknown) => post({ kind: 'failed', error: toWire(error) }));
});

/** Does the work of one message, and returns the reply to it. */
async function replyTo(input: WorkerInput): Promise<FromWorker> {
  const { work } = input;
  if (work.kind === 'breakEven') return { kind: 'broken', found: await runBreakEven(input, work.request) };
  if (work.kind === 'run') {
    const performed = await performRun(input, work.request, work.hasBreakEven);
    const proved = await withVerdict(input, performed, work.trial);
    // The demo is no trial of anyone.
    const finished = work.request.kind === 'demo' ? proved : noteTrial(proved, work.trial);
    return { kind: 'done', outcome: await writeRun(input, finished) };
  }
  const { verifyRun } = await import('../verify/verify.ts');
  return {
    kind: 'verified',
    verdict: await verifyRun(work, (request, hasBreakEven) => performRun(input, request, hasBreakEven), input.stagingFolder),
  };
}

/** Begins a phase: notes its start time and shows it in the progress cells. */
function beginPhase(phase: Phase, progress: ProgressCells): void {
  if (!phaseStartMs.has(phase)) phaseStartMs.set(phase, nowMs());
  progress.enter(phase);
}

/** A finished run, and the request for it. */
interface PerformedRun extends FinishedRun {
  readonly requested: RequestedRun;
}

/** Loads, runs and measures a run. `hasBreakEven`: also finds its break-even, by runs with other costs. */
async function performRun(input: WorkerInput, request: RunRequest, hasBreakEven: boolean): Promise<PerformedRun> {
  const { requested, watcher } = await openTask(input, request);
  const finished = await runBacktestRequest(requested, input.isByBar ? { blockRows: 1 } : {}, watcher);
  const { resolved, summary } = finished;
  if (!hasBreakEven) return { ...finished, requested };
  const breakEven = await silently(() => findBreakEven(resolved.plan, watcher));
  return { ...finished, summary: { ...summary, breakEven }, requested };
}

/** Finds the break-even of a definition, without writing a run. */
async function runBreakEven(input: WorkerInput, request: RunRequest): Promise<FoundBreakEven> {
  const { requested, watcher } = await openTask(input, request);
  const { source, bars } = requested;
  const importer: Importer = (url) => {
    watcher.enter('import');
    return import(/* @vite-ignore */ url);
  };
  const load = (entry: StrategyEntry, from: DefinitionSource) => loadEntry(entry, from, importer);
  const resolved = await resolveRun(source, { bars, importer, load, ...(input.isByBar ? { blockRows: 1 } : {}) });
  watcher.onLoaded(resolved);
  const { plan } = resolved;
  return { name: plan.name, asset: instrumentsOf(plan)[0]!.quote, breakEven: await silently(() => findBreakEven(plan, watcher)) };
}

/** Runs a function and discards the output of strategies meanwhile, because they run hundreds of times. */
async function silently<T>(run: () => Promise<T>): Promise<T> {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write.bind(stream));
  for (const stream of streams) stream.write = () => true;
  try {
    return await run();
  } finally {
    streams.forEach((stream, index) => (stream.write = writes[index]!));
  }
}

/** The request of a task, and the watcher of its runs. */
interface OpenedTask {
  readonly requested: RequestedRun;
  readonly watcher: Watcher & BreakEvenWatcher;
}

/** Opens the request of a task, and makes the watcher of its runs. */
async function openTask(input: WorkerInput, request: RunRequest): Promise<OpenedTask> {
  const progress = new ProgressCells(input.memory);
  const enter = (phase: Phase) => beginPhase(phase, progress);
  enter('load');
  const requested = await openRequest(request, input.barsFolder);
  const watcher = {
    enter,
    progressCells: progress.cells,
    isOnly: true,
    onLoaded: (resolved: ResolvedRun) => post({ kind: 'loaded', loaded: loadMessage(resolved, requested, input.isByBar) }),
    searching: (doneShare: number, nextShare: number) => post({ kind: 'searching', doneShare, nextShare }),
    findsEnvelope: input.findsEnvelope,
    streams: streamsOf(input),
  };
  return { requested, watcher };
}

/**
 * Returns the settings with which bars are read block by block; null: all bars stay in memory. A report, a break-even and a verification read all
 * bars several times.
 */
function streamsOf({ work, hasReport, isByBar, stagingFolder }: WorkerInput): StreamSettings | null {
  if (work.kind !== 'run' || work.hasBreakEven || hasReport || isByBar) return null;
  return { folder: `${stagingFolder}/streamed`, minRows: STREAMED_ROWS };
}

/** Returns the run with the verdict about its strategies: that of `isobar prove` if there is one, else of a sample. */
async function withVerdict({ memory, unsampled }: WorkerInput, run: PerformedRun, { ledger }: TrialOptions): Promise<PerformedRun> {
  const progress = new ProgressCells(memory);
  const key = proofKeyOf(run.resolved);
  const earlierVerdict = verdictFor(ledger ?? ledgerFolderOf(run.requested), key);
  beginPhase('proof', progress);
  const proveSample = async (): Promise<RunProof> => {
    const { record, resolved } = run;
    const task = {
      resolved,
      hasAllBars: record.streamed === undefined,
      runWarnings: record.warnings ?? [],
      orderMs: record.orders.createdMs.subarray(0, record.orders.length),
      fills: record.fills,
      runMs: phaseStartOf('metrics') - phaseStartOf('bars'),
      progressCells: progress.cells,
    };
    const { verdict, ...details } = unsampled === null ? await sampleRun(task) : verdictWithoutSample(unsampled);
    return { verdict, from: 'sample', ...details, ...key, madeAt: null };
  };
  const proof = earlierVerdict ?? (await proveSample());
  beginPhase('report', progress);
  return { ...run, summary: withProof(run.summary, proof) };
}

/** Returns the run after noting it in the trial ledger; if that fails, with a warning. */
function noteTrial(run: PerformedRun, { ledger, family }: TrialOptions): FinishedRun {
  const { resolved, requested, summary } = run;
  try {
    appendRunToLedger(ledger ?? ledgerFolderOf(requested), family, resolved, summary);
    return run;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const uncounted = warning('RUN_NOT_COUNTED', `the run is not counted as a trial: ${reason}`);
    return { ...run, summary: { ...summary, warnings: [...summary.warnings, uncounted] } };
  }
}

/** Writes the run folder, and returns what the command prints. */
async function writeRun(input: WorkerInput, finished: FinishedRun): Promise<RunOutcome> {
  const { record, summary } = finished;
  const drawn = drawnEquity(record);
  const folder = await writeRunFolder(input.outFolder, input.stagingFolder, finished, input.hasReport);
  const report = input.hasReport ? { report: displayPath(resolve(folder, 'report.html')) } : {};
  const table = closingTable(drawn, summary, { colour: input.colour, ...report });
  return { folder, summary: summaryText(summary), table, timings: timingsOf(input.processStartMs) };
}

/** Returns the message that a run has been loaded. */
function loadMessage(resolved: ResolvedRun, { origin }: RequestedRun, notifyBars: boolean): RunDescription {
  const { plan, notes } = resolved;
  return {
    name: plan.name,
    strategies: plan.strategies.map(({ record }) => record.name),
    rows: firstExecution(plan.feeds, instrumentsOf(plan)[0]?.id).bars.length,
    fromMs: plan.fromMs,
    notes,
    madeDefinition: origin.recipe === null ? null : definitionText(resolved, origin),
    closeMs: notifyBars ? plan.feeds.map((feed) => feed.bars.closeMs) : [],
  };
}

/** Returns the feed whose rows the progress cells count: the execution feed of the first instrument. */
function firstExecution(feeds: readonly FeedPlan[], id: string | undefined): FeedPlan {
  const finestFeed = finestFeeds(feeds).find((feed) => feed.bars.instrument.id === id);
  if (!finestFeed) throw new InvariantError('a run has a feed');
  return finestFeed;
}

/** Returns the duration of each phase, ms. `startMs`: start of the process. */
function timingsOf(startMs: number): Timings {
  const now = nowMs();
  return {
    startMs: roundedSpanMs(startMs, phaseStartOf('load')),
    loadMs: roundedSpanMs(phaseStartOf('load'), phaseStartOf('setUp')),
    loopMs: roundedSpanMs(phaseStartOf('setUp'), phaseStartOf('metrics')),
    metricsMs: roundedSpanMs(phaseStartOf('metrics'), phaseStartOf('proof')),
    proofMs: roundedSpanMs(phaseStartOf('proof'), phaseStartOf('report')),
    reportMs: roundedSpanMs(phaseStartOf('report'), now),
    totalMs: roundedSpanMs(startMs, now),
  };
}

/** Returns the start time of a phase (ms); NaN for a phase that did not begin. */
function phaseStartOf(phase: Phase): number {
  return phaseStartMs.get(phase) ?? NaN;
}

/** Returns the time from `fromMs` to `toMs`, rounded to 0.1 ms. */
function roundedSpanMs(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) * 10) / 10;
}
