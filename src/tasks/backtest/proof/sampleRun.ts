// The silent sample of a backtest: the proofs of purity and blocks over a few rows of the run, after the run itself.
//
// The sample loads the strategies again, so it does not touch the state of the run. It drops what they print, and it stops every use of files,
// the network, timers or other processes before it happens, so that no outside effect happens twice.

import { monotonicMs } from '../../../adapters/clock/wallClock.ts';
import { InvariantError } from '../../../base/errors.ts';
import { counted } from '../../../base/text/format.ts';
import { plainProof, verdictOf, type Proof, type ProofName, type ProvedRun } from '../../../model/run/proof.ts';
import { isBriefReplacement, isPackageRead, warning, warningClass, type Warning, type WarningCode } from '../../../model/warning.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { ResolvedRun } from '../../../definition/resolve.ts';
import { NodeObjects } from '../nodeObjects/nodeObjects.ts';
import { nodeModulesOf, nodeUseOf } from '../nodeObjects/nodeUse.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import { PurityWatch } from '../purity/purityWatch.ts';
import { proveBlocks } from './blocksProof.ts';
import type { ComparedSide } from './traceDifference.ts';
import { leadFeed } from './dataSlices.ts';
import type { DecisionTrace } from './decisionTrace.ts';
import { laterValues } from '../written/laterMoves.ts';
import { PROGRESS } from '../../../ports/progress.ts';
import { embeddedMoves } from '../written/embeddedMoves.ts';
import { embeddedPrices } from '../written/embeddedPrices.ts';
import { listedTurns } from '../written/listedTurns.ts';
import { heldByFills } from '../written/timedOrders.ts';
import type { FillColumns } from '../../../model/run/run.ts';
import { proveOtherData, proveWholeRepeat } from './otherDataProof.ts';
import { whyReadsUnclear } from './packageReads.ts';
import { ImpureUses, IMPURE_CLASSES, proofOfReplacement, proofOfUses, provePurity, stateProof, undecidedIf } from './purityProof.ts';
import { MIN_ORDERS, barCountOf, fitsTime, samplePlansOf, type SamplePlan } from './samplePlans.ts';
import { silently } from './silently.ts';
import { Tracer, type TracedRun } from './tracedRun.ts';

/** With more feeds, the sample makes four runs instead of six, because building the bots takes longer than running the bars. */
const MAX_FEEDS = 32;
/** A run is repeated with fixed built-ins only if it has taken at most this long, ms. */
const MAX_REPEATED_RUN_MS = 10_000;
/** A run of at most this number of bars of all feeds is also repeated whole, twice. */
const MAX_WHOLE_BARS = 32_768;
/** Maximum duration of the loop of such a run, ms. */
const MAX_WHOLE_MS = 2000;
/** Minimum of rows that run in small blocks, and maximum of their bars of all feeds. A small block takes as long as a large one, so both are low. */
const SMALL_BLOCK_ROWS = 251;
const SMALL_BLOCK_BARS = 4000;
/** The sample skips larger strategy files in its search for written prices. `isobar prove` searches them, too. */
const MAX_SEARCHED_BYTES = 262_144;
/** Matches errors that code may throw because a built-in is sealed, although neither message nor line name the built-in. */
const MAY_REPLACE = /^(?:Invalid property descriptor|Cannot (?:define|redefine|delete) property)/;
/** The proofs that a sample makes. */
const SAMPLED_PROOFS: readonly ProofName[] = ['purity', 'blocks'];

/** The inputs of the proofs over a sample of a run. */
export interface SampleTask {
  readonly resolved: Pick<ResolvedRun, 'plan' | 'files'>;
  /** True when the plan has all bars of the run; false for the first ones of a run that was read block by block. */
  readonly hasAllBars: boolean;
  /** The warnings of the run itself, which watched more rows than the sample. */
  readonly runWarnings: readonly Warning[];
  /** When the run made its orders, ms UTC, the first one first. A strategy that trades late is sampled where it trades. */
  readonly orderMs: Float64Array;
  readonly fills: FillColumns;
  /** Time that the run took for its bars, ms. */
  readonly runMs: number;
  /** Cells that the engine writes once a block. */
  readonly progressCells: Int32Array | null;
}

/** Stops an effect outside of the process that would happen a second time. Only the author's own `catch` sees its message. */
class StoppedUse extends Error {}

/** Codes of uses without an outside effect. They are not stopped, so that the sample finds later uses as well. */
const HARMLESS_CODES: ReadonlySet<WarningCode> = new Set([
  'IMPURE_RANDOM',
  'IMPURE_CLOCK',
  'IMPURE_LOCAL_TIME',
  'IMPURE_PROMISE',
  'STATE_GLOBAL',
]);

/** The uses that the sample has seen. A harmful one stops the sample. */
class SampledUses extends ImpureUses {
  readonly rejectsEvery = (code: WarningCode): boolean => !HARMLESS_CODES.has(code);

  override readonly add = (added: Warning): void => {
    this.note(added);
    if (this.rejectsEvery(added.code)) throw new StoppedUse(`${added.text} (stopped in the sample of a backtest)`);
  };
}

/**
 * Returns the verdict of the sample. An error in the sample becomes the reason of a `not-proved` verdict and is not thrown. Must run in a thread
 * of its own, after the watch of the run has ended.
 */
export async function sampleRun(task: SampleTask): Promise<ProvedRun> {
  let sampledBars = 0;
  const onRows = (rows: number): void => {
    sampledBars = rows;
  };
  try {
    const proofs = await silently(() => proofsOf(task, onRows));
    return { verdict: verdictOf(proofs, SAMPLED_PROOFS), why: null, proofs, bars: sampledBars };
  } catch (error) {
    return verdictWithoutSample(`the sample did not end: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the verdict of a run without a sample. `reason` is one sentence without a final point. */
export function verdictWithoutSample(reason: string): ProvedRun {
  return { verdict: 'not-proved', why: reason, proofs: [], bars: 0 };
}

/** Runs the proofs of the sample while strategy code is watched. */
async function proofsOf(
  { resolved: { plan, files }, hasAllBars, runWarnings, orderMs, fills, runMs, progressCells }: SampleTask,
  onRows: (rows: number) => void,
): Promise<readonly Proof[]> {
  const uses = new SampledUses();
  // Data files contain later bars, so reading them looks ahead.
  const inputs = new Set(files.flatMap(({ use, path }) => (use === 'data' ? [] : [path])));
  const nodeUse = nodeUseOf(plan);
  // Replacing the functions of Node's modules takes milliseconds, so it is done only where they may be used.
  const watch = new PurityWatch(uses, true, nodeUse !== 'none' ? (path) => inputs.has(path) : null);
  watch.sealBuiltIns();
  try {
    const strategyFiles = files.flatMap(({ use, path }) => (use === 'strategy' ? [path] : []));
    const earlierUse = proofOfRunWarnings(runWarnings, plan, strategyFiles);
    // Modules that used something outside may hold functions from before the watch, whose calls the watch would miss. So they do not run again.
    const usedStrategies = earlierUse === null && nodeUse !== 'loaded' ? plan.strategies : null;
    const nodeObjects = new NodeObjects(nodeModulesOf(plan));
    const task = {
      plan,
      hasAllBars,
      runWarnings,
      orderMs,
      fills,
      runMs,
      nodeObjects,
      usedStrategies,
      uses,
      watch,
      progressCells,
      onRows,
      strategyFiles,
    };
    const proofs = await proveRows(task).catch((error: unknown): readonly Proof[] => {
      if (uses.first === null && earlierUse === null) throw error;
      return [];
    });
    return mergeProofs(proofs, proofOfUses(uses, plan, strategyFiles) ?? earlierUse, blocksProofOfRun(runWarnings));
  } finally {
    watch.stop();
  }
}

/** The input of the proof over a few rows. */
interface RowsTask {
  readonly plan: RunPlan;
  /** See SampleTask. */
  readonly hasAllBars: boolean;
  /** See SampleTask. */
  readonly runWarnings: readonly Warning[];
  readonly orderMs: Float64Array;
  readonly fills: FillColumns;
  /** See SampleTask. */
  readonly runMs: number;
  /** The strategies of the run itself, whose modules have processed all of its rows; null: they must not run again. */
  readonly usedStrategies: RunPlan['strategies'] | null;
  /** The objects of Node before the first run of the sample. */
  readonly nodeObjects: NodeObjects;
  readonly uses: SampledUses;
  readonly watch: PurityWatch;
  readonly progressCells: Int32Array | null;
  /** Called with the rows of all feeds of the sample, once it is chosen. */
  readonly onRows: (rows: number) => void;
  /** The files of the strategies, absolute. */
  readonly strategyFiles: readonly string[];
}

/**
 * Repeats the whole run with fixed built-ins if the run may have replaced one for a time: an attempt is then reported. Returns why the result is not
 * known; null: it is.
 */
async function whyReplacementUnclear({ plan, hasAllBars, runWarnings, runMs }: RowsTask, tracer: Tracer): Promise<string | null> {
  const replacement = runWarnings.find(isBriefReplacement);
  if (replacement === undefined) return null;
  if (!hasAllBars || runMs > MAX_REPEATED_RUN_MS)
    return `${replacement.text}; the run is too long to be repeated with fixed built-ins here`;
  const { error } = await tracer.run({ plan, isFresh: true });
  return error === null ? null : `${replacement.text}; the run throws with fixed built-ins: ${error.message}`;
}

/** Runs each proof of the sample in turn. Returns no proof once strategy code has used a banned function. */
async function proveRows(rowsTask: RowsTask): Promise<readonly Proof[]> {
  const { plan, orderMs, fills, runMs, nodeObjects, usedStrategies, uses, watch, progressCells, onRows, strategyFiles } = rowsTask;
  const tracer = new Tracer(progressCells, watch.during);
  uses.nowMs = () => tracer.currentMs;
  const notProved = (reason: string): readonly Proof[] => SAMPLED_PROOFS.map((name) => plainProof(name, 'not-proved', reason));
  const samplePlans = await samplePlansOf(tracer, plan, orderMs);
  if (typeof samplePlans === 'string') return notProved(samplePlans);
  const whole = await firstRun(tracer, samplePlans, runMs);
  const samplePlan = whole.run.plan;
  onRows(barCountOf(samplePlan));
  if (uses.first !== null) return [];
  const { error } = whole.trace;
  const replacement = error === null ? null : proofOfReplacement(causeOf(error));
  if (replacement !== null) return [replacement];
  if (error !== null) return notProved(`the strategy throws in the sample: ${error.message}`);
  const lateError = await lateErrorOf(watch);
  watch.checkGlobals();
  const changedObject = nodeObjects.firstChange();
  if (changedObject !== null)
    uses.add(warning('STATE_GLOBAL', `the strategy writes ${changedObject}, which everything in its process shares`));
  const replacementReason = await whyReplacementUnclear(rowsTask, tracer);
  const runReads = rowsTask.runWarnings.filter(isPackageRead);
  const readTask = { ...rowsTask, comparedPlan: samplePlan, expected: whole.trace, runReads };
  const unclearReason = replacementReason ?? (await whyReadsUnclear(tracer, readTask));
  // An outside use is already reported. Later proofs would only find its effects.
  if (uses.first !== null) return [];
  // A search of many feeds takes longer than a strategy may go without progress.
  const onFeed = (): void => {
    if (progressCells !== null) progressCells[PROGRESS.blocks]!++;
  };
  const dataProof =
    embeddedPrices(samplePlan, strategyFiles, MAX_SEARCHED_BYTES, plan) ??
    embeddedMoves(samplePlan, strategyFiles, MAX_SEARCHED_BYTES, plan, onFeed) ??
    listedTurns(plan, strategyFiles, MAX_SEARCHED_BYTES, onFeed) ??
    laterValues(samplePlan, plan);
  const isShort = plan.feeds.length > MAX_FEEDS;
  const task = {
    plan: samplePlan,
    whole,
    skippedRows: 0,
    usedStrategies,
    maxTurnRows: SMALL_BLOCK_ROWS,
    isShort,
    surroundings: 1,
    lateError,
    onRun: () => {},
  };
  const { proof: purity, hasState, isSteady } = await provePurity(tracer, task);
  if (uses.first !== null) return [];
  if (!isSteady) return [dataProof ?? purity];
  const skipsOtherData = dataProof !== null || hasState || isShort;
  const usable = usedStrategies ?? samplePlan.strategies;
  const otherDataTask = { plan: samplePlan, whole, usedStrategies: usable, holdings: () => heldByFills(plan, fills) };
  const otherDataProof = skipsOtherData ? null : await proveOtherData(tracer, otherDataTask);
  if (uses.first !== null) return [];
  const hasAnyState = hasState || otherDataProof !== null;
  const { blocks, freshBlocks } = await proveSmallBlocks(tracer, { plan: samplePlan, whole, isShort, hasState: hasAnyState });
  // If only fresh strategies decide alike, the difference in blocks came from state and not from their size.
  const purityOrState = freshBlocks.verdict === blocks.verdict ? purity : stateProof(blocks);
  const isClean = blocks.verdict !== 'refuted' && purity.verdict === 'proved' && otherDataProof === null && dataProof === null;
  const wholeProof = isClean && !isShort ? await proveWholeRun(tracer, rowsTask, samplePlan) : null;
  if (uses.first !== null) return [];
  const reason = whyUndecided(whole.trace, samplePlan);
  // What was found counts, but what was not found proves nothing.
  return [
    undecidedIf(dataProof ?? otherDataProof ?? wholeProof ?? purityOrState, reason ?? unclearReason),
    undecidedIf(freshBlocks, reason),
  ];
}

/**
 * Repeats a run whole if it has few rows, with its own modules and with freshly loaded files. Returns a refuted proof of purity; null: none, or not
 * made.
 */
async function proveWholeRun(
  tracer: Tracer,
  { plan, hasAllBars, runMs, usedStrategies }: RowsTask,
  samplePlan: RunPlan,
): Promise<Proof | null> {
  const bars = barCountOf(plan);
  const isSampled = bars === barCountOf(samplePlan);
  if (!hasAllBars || bars > MAX_WHOLE_BARS || runMs > MAX_WHOLE_MS || usedStrategies === null || isSampled) return null;
  return proveWholeRepeat(tracer, plan, usedStrategies);
}

/** Returns why equal runs prove nothing: no orders, or an error that the run itself did not end with. Null: they do. */
function whyUndecided({ endError, orderMs }: DecisionTrace, plan: RunPlan): string | null {
  if (endError !== null) return `the strategy throws at the end of the sample: ${endError.message}`;
  return orderMs.length === 0 ? `the strategy places no order in the ${counted(barCountOf(plan), 'bar')} of the sample` : null;
}

/** Returns the error that strategy code has thrown, without what isobar says about it. */
const causeOf = (error: Error): Error => (error.cause instanceof Error ? error.cause : error);

/** Waits for promises of the strategy. Returns the error if one of them continued after the last bar, else null. */
function lateErrorOf(watch: PurityWatch): Promise<Error | null> {
  return watch.waitForPromises('the strategy').then(
    () => null,
    (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason))),
  );
}

/** The inputs of the proof of blocks in a sample. */
interface SmallBlocksTask {
  readonly plan: RunPlan;
  readonly whole: ComparedSide;
  readonly isShort: boolean;
  /** True when the strategies keep something between runs, so that only fresh ones can be compared. */
  readonly hasState: boolean;
}

/**
 * Proves that decisions do not depend on the size of blocks. If that is refuted, state that the strategies keep may be the reason, so the proof is
 * repeated with fresh strategies: `freshBlocks`. Otherwise `freshBlocks` is `blocks`.
 */
async function proveSmallBlocks(
  tracer: Tracer,
  { plan, whole, isShort, hasState }: SmallBlocksTask,
): Promise<{ readonly blocks: Proof; readonly freshBlocks: Proof }> {
  const untilMs = endOfBlocks(plan, whole.trace);
  const blocksOf = (isFresh: boolean): Promise<Proof> =>
    proveBlocks(tracer, { plan, untilMs, isFresh, isShort, full: isFresh ? null : whole, onRun: () => {} });
  const blocks = await blocksOf(hasState);
  if (blocks.verdict !== 'refuted' || hasState) return { blocks, freshBlocks: blocks };
  return { blocks, freshBlocks: await blocksOf(true) };
}

/** Returns the time up to which the proof of blocks runs: enough rows, and enough orders. */
function endOfBlocks(plan: RunPlan, { orderMs }: DecisionTrace): number {
  const { bars, firstRow } = leadFeed(plan);
  const rows = Math.min(SMALL_BLOCK_ROWS, Math.ceil(SMALL_BLOCK_BARS / plan.feeds.length));
  const row = Math.min(bars.length, firstRow + rows) - 1;
  return Math.max(bars.closeMs[row]!, orderMs[MIN_ORDERS - 1] ?? Infinity);
}

/**
 * Runs the plans in turn until one has enough orders, and returns that run, else the last one with the most orders. Loads the modules
 * again, so that they have no state of an earlier run. A strategy may throw because a later plan does not begin where the run began. So
 * such an error counts only if no plan without an error has orders. A last resort without an order, or over rows that take too long, is
 * dropped. `runMs`: see SampleTask.
 */
async function firstRun(tracer: Tracer, samplePlans: readonly SamplePlan[], runMs: number): Promise<ComparedSide> {
  let busiest: ComparedSide | null = null;
  let failed: ComparedSide | null = null;
  let spentMs = 0;
  let spentBars = 0;
  for (const { plan: samplePlan, isLastResort } of samplePlans) {
    const bars = barCountOf(samplePlan);
    const hasOrders = busiest !== null && busiest.trace.orderMs.length > 0;
    if (isLastResort && (hasOrders || !fitsTime((spentMs / Math.max(1, spentBars)) * bars, runMs))) break;
    const run: TracedRun = { plan: { ...samplePlan, strategies: await freshStrategies(samplePlan.strategies) } };
    const beganMs = monotonicMs();
    const side: ComparedSide = { run, trace: await tracer.run(run) };
    const tookMs = monotonicMs() - beganMs;
    spentMs += tookMs;
    spentBars += bars;
    const { error, orderMs } = side.trace;
    if (isLastResort && busiest !== null && error === null && (orderMs.length === 0 || !fitsTime(tookMs, runMs))) break;
    if (error !== null) {
      const cause = causeOf(error);
      if (busiest === null || MAY_REPLACE.test(cause.message) || proofOfReplacement(cause) !== null) return side;
      failed ??= side;
    } else if (busiest === null || orderMs.length >= busiest.trace.orderMs.length) {
      if (orderMs.length >= MIN_ORDERS) return side;
      busiest = side;
    }
  }
  if (busiest === null) throw new InvariantError('a sample has rows');
  return failed !== null && busiest.trace.orderMs.length === 0 ? failed : busiest;
}

/**
 * Returns the proofs of purity and of blocks. `usedProof`: the refuted proof of an outside use in the sample or in the run, which replaces every
 * other proof of purity. `customProof`: the refuted proof of blocks from the check of custom indicators. Both null: none.
 */
function mergeProofs(proofs: readonly Proof[], usedProof: Proof | null, customProof: Proof | null): readonly Proof[] {
  const proofNamed = (name: ProofName): Proof | undefined => proofs.find((proof) => proof.name === name);
  const blocks =
    proofNamed('blocks') ?? plainProof('blocks', 'not-proved', 'not made: equal runs differ, so another difference would say nothing');
  return [usedProof ?? proofNamed('purity')!, blocks.verdict === 'refuted' ? blocks : (customProof ?? blocks)];
}

/** Returns a refuted proof for the first outside use that the run has reported; null: none. Uses that code could only reach do not count. */
function proofOfRunWarnings(warnings: readonly Warning[], plan: RunPlan, strategyFiles: readonly string[]): Proof | null {
  const reachable = [...plan.strategies.map(({ reach }) => reach), plan.models?.reach].flatMap((reach) => reach ?? []);
  const reachableTexts = new Set(reachable.map(({ text }) => text));
  const isUse = (candidate: Warning): boolean =>
    IMPURE_CLASSES.has(warningClass(candidate)) &&
    !isPackageRead(candidate) &&
    !isBriefReplacement(candidate) &&
    candidate.code !== 'LOOKAHEAD_CUSTOM' &&
    !reachableTexts.has(candidate.text);
  const first = warnings.find(isUse);
  if (first === undefined) return null;
  const uses = new ImpureUses();
  uses.add(first);
  return proofOfUses(uses, plan, strategyFiles);
}

/** Returns a refuted proof of blocks if the check of custom indicators found a difference in the run; null if not. */
function blocksProofOfRun(warnings: readonly Warning[]): Proof | null {
  const customWarning = warnings.find(({ code }) => code === 'LOOKAHEAD_CUSTOM');
  return customWarning === undefined
    ? null
    : { ...plainProof('blocks', 'refuted', customWarning.text), file: customWarning.file, line: customWarning.line };
}
