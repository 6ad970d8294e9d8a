// Proves that a strategy is honest: that its decisions depend on delivered bars, its parameters and its seed alone.

import { StrategyError } from '../../base/errors.ts';
import { placeOfError } from '../backtest/purity/callSite.ts';
import { SURROUNDINGS } from '../backtest/surroundings/surroundings.ts';
import { PurityWatch } from '../backtest/purity/purityWatch.ts';
import { loadEntry } from '../../definition/load/strategies.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { RequestedRun } from '../../definition/request.ts';
import { resolveRun, type ResolvedRun } from '../../definition/resolve.ts';
import type { Importer } from '../../adapters/plugins/loadModule.ts';
import { AsyncCallbackError } from '../../adapters/plugins/loadStrategy.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { proveBlocks } from '../backtest/proof/blocksProof.ts';
import type { ComparedSide } from '../backtest/proof/traceDifference.ts';
import { leadFeed } from '../backtest/proof/dataSlices.ts';
import { proveFuture } from './proofs/futureProofs.ts';
import { informOnChanges } from './proofs/metamorphicProof.ts';
import { heldByCalls } from '../backtest/written/timedOrders.ts';
import { laterValues } from '../backtest/written/laterMoves.ts';
import { embeddedMoves } from '../backtest/written/embeddedMoves.ts';
import { embeddedPrices, MAX_BYTES, textOf } from '../backtest/written/embeddedPrices.ts';
import { listedTurns } from '../backtest/written/listedTurns.ts';
import {
  ImpureUses,
  isUnsteady,
  proofOfReplacement,
  proofOfUses,
  provePurity,
  stateProof,
  undecidedIf,
} from '../backtest/proof/purityProof.ts';
import { DECIDING, plainProof, PROOFS, verdictOf, type Proof, type ProofName, type StrategyVerdict } from '../../model/run/proof.ts';
import { proveOtherData } from '../backtest/proof/otherDataProof.ts';
import { whyReadsUnclear } from '../backtest/proof/packageReads.ts';
import { informOnWarmUp } from './proofs/warmUpProof.ts';
import { warmUpOf } from '../backtest/proof/samplePlans.ts';
import { Tracer, type TracedRun } from '../backtest/proof/tracedRun.ts';

/** How many random times the proofs try, and what stores the verdict. */
export interface ProveOptions {
  /** Number of random times at which the data end or change, to check that earlier decisions stay the same. */
  readonly times: number;
  /** Stores the verdict about a run that could be loaded. */
  readonly store: (resolved: ResolvedRun, verdict: StrategyVerdict) => void;
}

/** Receives the progress of the proofs. */
export interface ProveWatcher {
  /** Cells that the engine writes once a block; null: no progress is written. */
  readonly progressCells: Int32Array | null;
  /** Called before user code is loaded or run. */
  enter(phase: 'load' | 'import' | 'setUp' | 'bars'): void;
  /** Called when the run is loaded, with the names of its strategies. */
  loaded(name: string): void;
  /** Called before each run of a proof. `share`: the finished share of that proof, 0 to 1. */
  proving(name: ProofName, share: number): void;
}

/** Maximum number of random times for a strategy that keeps state. Each of its runs loads the modules again, which takes longer. */
const TIMES_WITH_STATE = 20;

/**
 * Makes all proofs. Must run in a thread of its own: built-ins are replaced permanently, so that uses of the outside are seen. Throws
 * ConfigError as a backtest does, and StrategyError for a file that throws when it is loaded.
 */
export async function proveRun(
  { source, bars }: RequestedRun,
  { times, store }: ProveOptions,
  watcher: ProveWatcher,
): Promise<StrategyVerdict> {
  const startMs = nowMs();
  watcher.enter('load');
  const uses = new ImpureUses();
  const inputs = new Set<string>();
  const watch = new PurityWatch(uses, true, (path) => inputs.has(path));
  const importer: Importer = (url, files) => {
    watcher.enter('import');
    for (const file of files) inputs.add(file);
    return watch.whileLoading(url, () => import(/* @vite-ignore */ url));
  };
  let name = 'the strategy';
  let resolved: ResolvedRun | null = null;
  const finishVerdict = (proofs: readonly Proof[]): StrategyVerdict => {
    const seconds = Math.round(nowMs() - startMs) / 1000;
    const verdict = { strategy: name, verdict: verdictOf(proofs), proofs, bars: resolved === null ? 0 : rowsOf(resolved), seconds };
    if (resolved !== null) store(resolved, verdict);
    return verdict;
  };
  try {
    resolved = await resolveRun(source, { bars, importer, load: (entry, from) => loadEntry(entry, from, importer) });
    // Data files contain later bars, so strategy code must not read them.
    for (const { use, path } of resolved.files) if (use !== 'data') inputs.add(path);
    const { plan } = resolved;
    name = plan.strategies.map(({ record }) => record.name).join(', ');
    watcher.loaded(name);
    const files = resolved.files.flatMap(({ use, path }) => (use === 'strategy' ? [path] : []));
    watch.sealBuiltIns();
    return finishVerdict(await allProofs({ plan, name, files, times, uses, watch, watcher }));
  } catch (error) {
    const proofs = error instanceof AsyncCallbackError ? proofsOfWaiting(error) : proofsOfError(error, uses, resolved !== null);
    if (proofs === null) throw error;
    return finishVerdict(proofs);
  }
}

/** Returns the number of rows of all feeds. */
const rowsOf = ({ plan }: ResolvedRun): number => plan.feeds.reduce((sum, { bars }) => sum + bars.length, 0);

/** The inputs of all proofs. */
interface ProofTask extends Pick<ProveOptions, 'times'> {
  readonly plan: RunPlan;
  readonly name: string;
  /** The files of the strategies, absolute. */
  readonly files: readonly string[];
  readonly uses: ImpureUses;
  readonly watch: PurityWatch;
  readonly watcher: ProveWatcher;
}

/** Makes all proofs, in the order of PROOFS. Throws the error of a strategy that cannot run over the data. */
async function allProofs({ plan, name, files, times, uses, watch, watcher }: ProofTask): Promise<readonly Proof[]> {
  const tracer = new Tracer(watcher.progressCells, watch.during);
  uses.nowMs = () => tracer.currentMs;
  /** Returns a function that reports the progress of a proof. */
  const progressOf = (proof: ProofName) => (share: number) => {
    watcher.enter('bars');
    watcher.proving(proof, share);
  };
  watcher.enter('setUp');
  const warmUpRows = await warmUpOf(tracer, plan);
  progressOf('purity')(0);
  const run: TracedRun = { plan };
  const whole: ComparedSide = { run, trace: await tracer.run(run) };
  const error = whole.trace.error ?? whole.trace.endError;
  if (error !== null) throw error;
  const lateError = await watch.waitForPromises(name).then(() => null, lateErrorFrom);
  watch.checkGlobals();
  const readTask = { plan, comparedPlan: plan, expected: whole.trace, hasAllBars: true, runMs: 0, runReads: [], uses };
  const unclearReason = await whyReadsUnclear(tracer, readTask);
  const leadIndex = plan.feeds.indexOf(leadFeed(plan));
  const skippedRows = Math.max(0, warmUpRows[leadIndex]! - plan.feeds[leadIndex]!.firstRow);
  const purityTask = { plan, whole, skippedRows, surroundings: SURROUNDINGS, lateError, onRun: progressOf('purity') };
  const provedRuns = await provePurity(tracer, purityTask);
  const sameData = { ...provedRuns, proof: undecidedIf(provedRuns.proof, unclearReason) };
  progressOf('purity')(0.8);
  const canUseOtherData = sameData.isSteady && !sameData.hasState && lateError === null;
  const otherDataProof = canUseOtherData
    ? await proveOtherData(tracer, { plan, whole, holdings: () => heldByCalls(plan, whole.trace) })
    : null;
  const purity = otherDataProof === null ? sameData : { ...sameData, proof: otherDataProof, hasState: true };
  // Entering a phase counts as progress. A search of many feeds takes longer than a strategy may go without it.
  const onFeed = (): void => watcher.enter('bars');
  // Called after the last run, because a use in any of the runs counts.
  const findUses = (): Proof | null =>
    proofOfUses(uses, plan, files) ??
    embeddedPrices(plan, files) ??
    embeddedMoves(plan, files, undefined, plan, onFeed) ??
    listedTurns(plan, files, undefined, onFeed) ??
    laterValues(plan);
  if (!purity.isSteady || isUnsteady(uses)) return [withPlace(findUses(), purity.proof), ...undecidedProofs()];
  const task = { tracer, plan, whole, warmUpRows, times, progressOf };
  const proofsInProcess = await otherProofs(task, { isFresh: purity.hasState });
  const refutedInProcess = proofsInProcess.filter(({ verdict }) => verdict === 'refuted');
  if (purity.hasState || refutedInProcess.length === 0) return [withPlace(findUses(), purity.proof), ...proofsInProcess];
  // Runs of one process may differ because an earlier run has left state. A difference that disappears with fresh modules is such state.
  const freshProofs = await otherProofs(task, { isFresh: true });
  const isRefutedFresh = (proofName: ProofName): boolean =>
    freshProofs.some((proof) => proof.name === proofName && proof.verdict === 'refuted');
  const refutedByState = refutedInProcess.find((proof) => !isRefutedFresh(proof.name));
  return [withPlace(findUses(), refutedByState === undefined ? purity.proof : stateProof(refutedByState)), ...freshProofs];
}

/** Returns the proof of a use if there is one, else `other`. A use without a known line gets the line of `other`, whose decision depends on it. */
function withPlace(use: Proof | null, other: Proof): Proof {
  if (use === null) return other;
  return use.file === null ? { ...use, file: other.file, line: other.line } : use;
}

/** The inputs of the proofs after the proof of purity. */
interface OtherTask {
  readonly tracer: Tracer;
  readonly plan: RunPlan;
  readonly whole: ComparedSide;
  readonly warmUpRows: readonly number[];
  readonly times: number;
  /** Returns a function that reports the progress of a proof. */
  readonly progressOf: (proof: ProofName) => (share: number) => void;
}

/** Returns all proofs except the proof of purity, in the order of PROOFS. `isFresh`: modules are loaded for each run. */
async function otherProofs(
  { tracer, plan, whole, warmUpRows, times, progressOf }: OtherTask,
  { isFresh }: { readonly isFresh: boolean },
): Promise<readonly Proof[]> {
  const blocks = await proveBlocks(tracer, { plan, isFresh, full: null, onRun: progressOf('blocks') });
  // The first run with loaded modules can be repeated only if they are loaded again.
  const first: ComparedSide = isFresh ? { ...whole, run: { ...whole.run, isFresh } } : whole;
  const maxTimes = isFresh ? Math.min(times, TIMES_WITH_STATE) : times;
  const futureTask = { plan, whole: first, warmUpRows, times: maxTimes, isFresh, onRun: progressOf('prefix') };
  const [prefix, poison] = await proveFuture(tracer, futureTask);
  const warmUp = await informOnWarmUp(tracer, plan, warmUpRows, isFresh, progressOf('warm-up'));
  const changes = await informOnChanges(tracer, plan, whole.trace.usesCalendar, isFresh, progressOf('metamorphic'));
  return [blocks, prefix, poison, warmUp, changes];
}

/** Returns all proofs except the proof of purity, as undecided, for a strategy whose equal runs differ. */
function undecidedProofs(): readonly Proof[] {
  const reason = 'not made: equal runs differ, or may, so another difference would say nothing';
  return PROOFS.filter((name) => name !== 'purity').map((name) =>
    plainProof(name, DECIDING.includes(name) ? 'not-proved' : 'not-applicable', reason),
  );
}

/**
 * Returns the proofs of a strategy that threw an error. Null if its file cannot be loaded and has used nothing outside the run: then the error
 * itself is reported.
 */
function proofsOfError(error: unknown, uses: ImpureUses, isLoaded: boolean): readonly Proof[] | null {
  if (!(error instanceof StrategyError)) return null;
  const cause = error.cause instanceof Error ? error.cause : error;
  const place = placeOfError(cause) ?? { file: null, line: null };
  const usedProof = proofOfUses(uses, null, []) ?? proofOfReplacement(cause);
  if (usedProof === null && !isLoaded) return null;
  const reason = `the strategy throws: ${error.message}`;
  return PROOFS.map((name): Proof => {
    if (name === 'purity') return usedProof ?? { ...plainProof('purity', 'not-proved', reason), ...place };
    return DECIDING.includes(name) ? { ...plainProof(name, 'not-proved', reason), ...place } : plainProof(name, 'not-applicable', reason);
  });
}

/** Returns the proofs of a strategy whose callback is an async method. The code after its first `await` runs after the bar. */
function proofsOfWaiting({ displayName: strategyName, callback }: AsyncCallbackError): readonly Proof[] {
  const callbackRow = textOf(strategyName, MAX_BYTES)
    .split('\n')
    .findIndex((line) => new RegExp(String.raw`\basync\b.*\b${callback}\b|\b${callback}\b.*\basync\b`).test(line));
  const description = `an async ${callback}`;
  const proof: Proof = {
    ...plainProof('purity', 'refuted', `${description}: nothing in a strategy may wait; what follows an await runs after the last bar`),
    first: { time: null, feed: null, what: description, expected: `a synchronous ${callback}`, actual: description },
    file: strategyName,
    line: callbackRow < 0 ? null : callbackRow + 1,
  };
  return [proof, ...undecidedProofs()];
}

/** Returns the StrategyError of a promise that continued after the last bar. Throws every other error. */
function lateErrorFrom(error: unknown): Error {
  if (error instanceof StrategyError) return error;
  throw error;
}
