// The worker thread of a backtest: loads, runs, measures and writes. Reports each step and the result to its watcher.

import { resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { assert } from '../../../base/assert.ts';
import { InvariantError } from '../../../base/errors.ts';
import { warning } from '../../../model/warning.ts';
import { summaryText } from '../../../report/summary/runFiles.ts';
import { closingTable } from '../../../report/terminal/closingTable.ts';
import { definitionText, writeRunFolder } from '../folder/write.ts';
import { displayPath } from '../../../definition/text/paths.ts';
import { openRequest, type RequestedRun, type RunRequest } from '../../../definition/request.ts';
import type { ResolvedRun } from '../../../definition/resolve.ts';
import { finestFeeds } from '../../../definition/plan/finestFeeds.ts';
import { ledgerFolderOf, noteRun } from '../../trials/parts.ts';
import { runBacktestRequest, type FinishedRun, type Watcher } from '../run/executeDefinition.ts';
import type { FeedPlan } from '../../../definition/plan/plan.ts';
import { instrumentsOf } from '../../../app/bot.ts';
import { ProgressCells, type Phase } from '../run/progressCells.ts';
import type { FromWorker, Loaded, RunOutcome, Timings, TrialOptions, WorkerInput } from './messages.ts';
import { toWire } from '../run/wireError.ts';

const port = parentPort;
assert(port !== null, 'backtestWorker runs as a worker thread');
const post = (message: FromWorker) => port.postMessage(message);

/** Start time of each phase, on the same wall clock as the start of the process. */
const begun = new Map<Phase, number>();

// The input comes by message: the thread starts before the input is known, and loads its modules meanwhile.
port.once('message', (input: WorkerInput) => {
  answer(input).then(post, (error: unknown) => post({ kind: 'failed', error: toWire(error) }));
});

async function answer(input: WorkerInput): Promise<FromWorker> {
  const { work } = input;
  if (work.kind === 'run') {
    const finished = await perform(input, work.request);
    return { kind: 'done', outcome: await writeRun(input, work.request.kind === 'demo' ? finished : noteTrial(finished, work.trial)) };
  }
  const { verifyRun } = await import('../verify/verify.ts');
  return { kind: 'verified', verdict: await verifyRun(work, (request) => perform(input, request), input.stagingFolder) };
}

/** Loads, runs and measures. */
async function perform(input: WorkerInput, request: RunRequest): Promise<PerformedRun> {
  const heartbeat = new ProgressCells(input.memory);
  const enter = (phase: Phase) => {
    if (!begun.has(phase)) begun.set(phase, nowMs());
    heartbeat.enter(phase);
  };
  enter('load');
  const requested = await openRequest(request, input.barsFolder);
  const watcher: Watcher = {
    enter,
    progressCells: heartbeat.cells,
    isOnly: true,
    findsEnvelope: input.findsEnvelope,
    onLoaded: (resolved) => post({ kind: 'loaded', loaded: loadMessage(resolved, requested, input.isByBar) }),
  };
  const finished = await runBacktestRequest(requested, input.isByBar ? { blockRows: 1 } : {}, watcher);
  enter('report');
  return { ...finished, requested };
}

interface PerformedRun extends FinishedRun {
  readonly requested: RequestedRun;
}

/** Returns the run after noting it in the trial ledger; if that fails, with a warning. */
function noteTrial(run: PerformedRun, { ledger, family }: TrialOptions): FinishedRun {
  const { resolved, requested, summary } = run;
  try {
    noteRun(ledger ?? ledgerFolderOf(requested), family, resolved, summary);
    return run;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const uncounted = warning('RUN_NOT_COUNTED', `the run is not counted as a trial: ${why}`);
    return { ...run, summary: { ...summary, warnings: [...summary.warnings, uncounted] } };
  }
}

async function writeRun(input: WorkerInput, finished: FinishedRun): Promise<RunOutcome> {
  const folder = await writeRunFolder(input.outFolder, input.stagingFolder, finished, input.hasReport);
  const { record, summary } = finished;
  const report = input.hasReport ? { report: displayPath(resolve(folder, 'report.html')) } : {};
  const table = closingTable(record, summary, { colour: input.colour, ...report });
  return { folder, summary: summaryText(summary), table, timings: timingsOf(input.processStartMs) };
}

function loadMessage(resolved: ResolvedRun, { origin }: RequestedRun, notifyBars: boolean): Loaded {
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
  const found = finestFeeds(feeds).find((feed) => feed.bars.instrument.id === id);
  if (!found) throw new InvariantError('a run has a feed');
  return found;
}

function timingsOf(startMs: number): Timings {
  const now = nowMs();
  return {
    startMs: span(startMs, beginOf('load')),
    loadMs: span(beginOf('load'), beginOf('setUp')),
    loopMs: span(beginOf('setUp'), beginOf('metrics')),
    metricsMs: span(beginOf('metrics'), beginOf('report')),
    reportMs: span(beginOf('report'), now),
    totalMs: span(startMs, now),
  };
}

function beginOf(phase: Phase): number {
  return begun.get(phase) ?? NaN;
}

/** Rounds to 0.1 ms. */
function span(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) * 10) / 10;
}
