// The silent sample of a backtest: the proofs of purity and blocks over a few rows of the run, after the run itself.
//
// The sample loads the strategies again, so it does not touch the state of the run. It drops what they print, and it stops every use of files,
// the network, timers or other processes before it happens, so that no outside effect happens twice.

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { InvariantError } from '../../../base/errors.ts';
import { firstAfter } from '../../../base/number/search.ts';
import { counted } from '../../../base/text/format.ts';
import { plainProof, verdictOf, type Proof, type ProofName, type ProvedRun } from '../../../model/run/proof.ts';
import { warningClass, type Warning, type WarningCode } from '../../../model/warning.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { ResolvedRun } from '../../../definition/resolve.ts';
import { PURE_MODULES } from '../../../adapters/plugins/externalUses.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import { PurityWatch } from '../purity/purityWatch.ts';
import { proveBlocks } from './blocksProof.ts';
import type { ComparedSide } from './traceDifference.ts';
import { leadFeed, slicePlan } from './dataSlices.ts';
import type { DecisionTrace } from './decisionTrace.ts';
import { laterPrices } from '../written/laterPrices.ts';
import { embeddedMoves } from '../written/embeddedMoves.ts';
import { embeddedPrices } from '../written/embeddedPrices.ts';
import { proveOtherData } from './otherDataProof.ts';
import { ImpureUses, IMPURE_CLASSES, primeUpTo, proofOfUses, provePurity, stateProof } from './purityProof.ts';
import { silently } from './silently.ts';
import { Tracer, type TracedRun } from './tracedRun.ts';
import { warmUpOf } from './warmUpRows.ts';

/**
 * Rows of the lead feed after the warm-up. The second number applies when the first gives too few orders to compare. Prime numbers, so that a
 * variable that counts rows does not begin a second run as it began the first.
 */
const SAMPLE_ROWS = [1021, 4093] as const;
/** Maximum of bars of all feeds together: with many feeds the sample has fewer rows of each. */
const MAX_BARS = 20_000;
/** Rows before the first order of the run in a sample around it, so that the strategy decides for a while before it. */
const ROWS_BEFORE_ORDER = 127;
/** Fewest rows of a sample, whatever the number of feeds. */
const MIN_ROWS = 61;
/** With more feeds, the sample makes four runs instead of six, because building the bots takes longer than running the bars. */
const MAX_FEEDS = 32;
/** With fewer orders, the sample takes more rows. */
const MIN_ORDERS = 8;
/** Minimum of rows that run in small blocks, and maximum of their bars of all feeds. A small block takes as long as a large one, so both are low. */
const SMALL_BLOCK_ROWS = 251;
const SMALL_BLOCK_BARS = 4000;
/** Names of Node's modules. */
const BUILT_IN: ReadonlySet<string> = new Set(builtinModules);
/** The sample skips larger strategy files in its search for written prices. `isobar prove` searches them, too. */
const MAX_SEARCHED_BYTES = 262_144;
/** The proofs that a sample makes. */
const SAMPLED_PROOFS: readonly ProofName[] = ['purity', 'blocks'];

/** The inputs of the proofs over a sample of a run. */
export interface SampleTask {
  readonly resolved: Pick<ResolvedRun, 'plan' | 'files'>;
  /** The warnings of the run itself, which watched more rows than the sample. */
  readonly runWarnings: readonly Warning[];
  /** When the run made its first order, ms UTC; NaN if it made none. A strategy that trades late is sampled where it trades. */
  readonly firstOrderMs: number;
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

  override readonly add = (warning: Warning): void => {
    this.note(warning);
    if (this.rejectsEvery(warning.code)) throw new StoppedUse(`${warning.text} (stopped in the sample of a backtest)`);
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

/** Returns the verdict of a run without a sample. `why` is one sentence without a final point. */
export function verdictWithoutSample(why: string): ProvedRun {
  return { verdict: 'not-proved', why, proofs: [], bars: 0 };
}

/** Runs the proofs of the sample while strategy code is watched. */
async function proofsOf(
  { resolved: { plan, files }, runWarnings, firstOrderMs, progressCells }: SampleTask,
  onRows: (rows: number) => void,
): Promise<readonly Proof[]> {
  const uses = new SampledUses();
  // Data files contain later bars, so reading them looks ahead.
  const inputs = new Set(files.flatMap(({ use, path }) => (use === 'data' ? [] : [path])));
  const nodeUse = nodeUseOf(plan);
  // Replacing the functions of Node's modules takes milliseconds, so it is done only where they may be used.
  const watch = new PurityWatch(uses, true, nodeUse !== 'none' ? (path) => inputs.has(path) : null);
  try {
    const strategyFiles = files.flatMap(({ use, path }) => (use === 'strategy' ? [path] : []));
    const earlierUse = proofOfRunWarnings(runWarnings, plan, strategyFiles);
    // Modules that used something outside may hold functions from before the watch, whose calls the watch would miss. So they do not run again.
    const usedStrategies = earlierUse === null && nodeUse !== 'loaded' ? plan.strategies : null;
    const proofs = await proveRows({ plan, firstOrderMs, usedStrategies, uses, watch, progressCells, onRows, strategyFiles }).catch(
      (error: unknown): readonly Proof[] => {
        if (uses.first === null && earlierUse === null) throw error;
        return [];
      },
    );
    return mergeProofs(proofs, proofOfUses(uses, plan, strategyFiles) ?? earlierUse, blocksProofOfRun(runWarnings));
  } finally {
    watch.stop();
  }
}

/** The input of the proof over a few rows. */
interface RowsTask {
  readonly plan: RunPlan;
  readonly firstOrderMs: number;
  /** The strategies of the run itself, whose modules have processed all of its rows; null: they must not run again. */
  readonly usedStrategies: RunPlan['strategies'] | null;
  readonly uses: SampledUses;
  readonly watch: PurityWatch;
  readonly progressCells: Int32Array | null;
  /** Called with the rows of all feeds of the sample, once it is chosen. */
  readonly onRows: (rows: number) => void;
  /** The files of the strategies, absolute. */
  readonly strategyFiles: readonly string[];
}

/** Runs each proof of the sample in turn. Returns no proof once strategy code has used a banned function. */
async function proveRows(rowsTask: RowsTask): Promise<readonly Proof[]> {
  const { plan, firstOrderMs, usedStrategies, uses, watch, progressCells, onRows, strategyFiles } = rowsTask;
  const tracer = new Tracer(progressCells, watch.during);
  uses.nowMs = () => tracer.currentMs;
  const notProved = (reason: string): readonly Proof[] => SAMPLED_PROOFS.map((name) => plainProof(name, 'not-proved', reason));
  const samplePlans = await samplePlansOf(tracer, plan, firstOrderMs);
  if (typeof samplePlans === 'string') return notProved(samplePlans);
  const whole = await firstRun(tracer, samplePlans, onRows);
  const samplePlan = whole.run.plan;
  if (uses.first !== null) return [];
  const { error } = whole.trace;
  if (error !== null) return notProved(`the strategy throws in the sample: ${error.message}`);
  const lateError = await lateErrorOf(watch);
  watch.checkGlobals();
  // An outside use is already reported. Later proofs would only find its effects.
  if (uses.first !== null) return [];
  const dataProof =
    embeddedPrices(samplePlan, strategyFiles, MAX_SEARCHED_BYTES, plan) ??
    embeddedMoves(samplePlan, strategyFiles, MAX_SEARCHED_BYTES) ??
    laterPrices(samplePlan);
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
  const otherDataProof = skipsOtherData ? null : await proveOtherData(tracer, samplePlan, usedStrategies ?? samplePlan.strategies);
  if (uses.first !== null) return [];
  const hasAnyState = hasState || otherDataProof !== null;
  const { blocks, freshBlocks } = await proveSmallBlocks(tracer, { plan: samplePlan, whole, isShort, hasState: hasAnyState });
  // If only fresh strategies decide alike, the difference in blocks came from state and not from their size.
  const purityOrState = freshBlocks.verdict === blocks.verdict ? purity : stateProof(blocks);
  const proofs = [dataProof ?? otherDataProof ?? purityOrState, freshBlocks];
  return whole.trace.orderMs.length === 0 ? proofs.map((proof) => undecidedWithoutOrders(proof, samplePlan)) : proofs;
}

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

/** Returns a proof that is not decided if it held: without orders, equal runs prove nothing. */
function undecidedWithoutOrders(proof: Proof, plan: RunPlan): Proof {
  if (proof.verdict !== 'proved') return proof;
  return plainProof(proof.name, 'not-proved', `the strategy places no order in the ${counted(rowsOf(plan), 'bar')} of the sample`);
}

/**
 * Runs the plans in turn until one has enough orders, and returns that run, else the last one with the most orders. Loads the modules again, so
 * that they have no state of an earlier run.
 */
async function firstRun(tracer: Tracer, samplePlans: readonly RunPlan[], onRows: (rows: number) => void): Promise<ComparedSide> {
  let busiest: ComparedSide | null = null;
  for (const samplePlan of samplePlans) {
    const run: TracedRun = { plan: { ...samplePlan, strategies: await freshStrategies(samplePlan.strategies) } };
    const side = { run, trace: await tracer.run(run) };
    if (busiest === null || side.trace.orderMs.length >= busiest.trace.orderMs.length || side.trace.error !== null) {
      busiest = side;
      onRows(rowsOf(samplePlan));
    }
    if (busiest.trace.error !== null || busiest.trace.orderMs.length >= MIN_ORDERS) return busiest;
  }
  if (busiest === null) throw new InvariantError('a sample has rows');
  return busiest;
}

/**
 * Returns plans over the first rows at which the strategies can decide, each with the warm-up before them, the shortest plan first. If the run
 * made its first order later, a plan over the rows around that order follows. Returns a sentence instead if the data have no such rows.
 */
async function samplePlansOf(tracer: Tracer, plan: RunPlan, firstOrderMs: number): Promise<readonly RunPlan[] | string> {
  const warmUpRows = await warmUpOf(tracer, plan);
  const shortFeed = plan.feeds.findIndex(({ bars }, index) => bars.length <= warmUpRows[index]!);
  if (shortFeed >= 0) {
    const { instrument, interval, length } = plan.feeds[shortFeed]!.bars;
    const needed = `${counted(warmUpRows[shortFeed]! + 1, 'bar')} of ${instrument.wireName} ${interval}`;
    return `the strategy needs ${needed} before its first decision, and the data have ${length}`;
  }
  const warmUpEnds = plan.feeds.flatMap(({ bars }, feedIndex) => {
    const rows = warmUpRows[feedIndex]!;
    return rows > 0 ? [bars.openMs[rows]!] : [];
  });
  const fromMs = Math.max(plan.fromMs, ...warmUpEnds);
  const { bars } = leadFeed(plan);
  const firstRow = firstAfter(bars.closeMs, 0, bars.length, fromMs);
  /** The maximum of rows with this number of feeds. A longer sample may have more bars in the same ratio. */
  const maxRows = (sampleRows: number): number => {
    const maxBars = (sampleRows / SAMPLE_ROWS[0]) * MAX_BARS;
    return primeUpTo(Math.max(MIN_ROWS, Math.floor(maxBars / plan.feeds.length)));
  };
  const endOf = (beginRow: number, sampleRows: number): number => {
    const allowedRows = Math.min(sampleRows, maxRows(sampleRows));
    return bars.closeMs[Math.min(bars.length, beginRow + allowedRows) - 1]!;
  };
  const spans = [...new Set(SAMPLE_ROWS.map((sampleRows) => endOf(firstRow, sampleRows)))].map((toMs) => ({ fromMs, toMs }));
  // Of a run that is read block by block, the plan has only the first rows.
  if (firstOrderMs > spans.at(-1)!.toMs && firstOrderMs <= bars.closeMs[bars.length - 1]!) {
    const beginRow = Math.max(firstRow, firstAfter(bars.closeMs, 0, bars.length, firstOrderMs) - ROWS_BEFORE_ORDER);
    spans.push({ fromMs: bars.openMs[beginRow]!, toMs: endOf(beginRow, SAMPLE_ROWS[1]) });
  }
  const samplePlans = spans.flatMap((span) => slicePlan(plan, { ...span, warmUpRows: (feedIndex) => warmUpRows[feedIndex]! }) ?? []);
  return samplePlans.length === 0 ? 'the first rows of the run have no bar of one of its feeds' : samplePlans;
}

/** Returns the rows of all feeds inside the run. */
const rowsOf = ({ feeds }: RunPlan): number => feeds.reduce((sum, { bars, firstRow }) => sum + bars.length - firstRow, 0);

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

/**
 * How the code of a run may use the modules of Node. `named`: a text is the name of one, such as a tag, so that a hidden load is possible.
 * `loaded`: it loads one that does more than compute, or may load one.
 */
type NodeUse = 'none' | 'named' | 'loaded';

function nodeUseOf({ strategies, models }: RunPlan): NodeUse {
  if ((models?.records.length ?? 0) > 0 || strategies.some(({ reach = [] }) => reach.length > 0)) return 'loaded';
  const codes = strategies.map(({ url }) => (url == null ? null : codeOf(url)));
  if (codes.some((code) => code === null || loadsNode(code))) return 'loaded';
  return codes.some((code) => namesIn(code!, QUOTED_NAME).some((name) => BUILT_IN.has(name))) ? 'named' : 'none';
}

/** Returns the code of a bundle without its source map. */
function codeOf(url: string): string {
  const code = readFileSync(new URL(url), 'utf8');
  return code.split('//# sourceMappingURL=')[0]!;
}

/** A quoted name that can be one of a module. The imports of bundled packages have that form, too. */
const QUOTED_NAME = /["'`](?:node:)?([\w/]+)["'`]/g;
/** A quoted name after the word that loads a module. */
const LOADED_NAME = /(?:\bfrom|\bimport|\bimport\s*\(|require\s*\()\s*["'`](?:node:)?([\w/]+)["'`]/g;

const namesIn = (code: string, pattern: RegExp): readonly string[] => Array.from(code.matchAll(pattern), ([, name]) => name!);

/** True for code that loads a module of Node which does more than compute from its arguments. */
const loadsNode = (code: string): boolean =>
  code.includes('getBuiltinModule') || namesIn(code, LOADED_NAME).some((name) => BUILT_IN.has(name) && !PURE_MODULES.has(name));

/** Returns a refuted proof for the first outside use that the run has reported; null: none. Uses that code could only reach do not count. */
function proofOfRunWarnings(warnings: readonly Warning[], plan: RunPlan, strategyFiles: readonly string[]): Proof | null {
  const reachable = [...plan.strategies.map(({ reach }) => reach), plan.models?.reach].flatMap((reach) => reach ?? []);
  const reachableTexts = new Set(reachable.map(({ text }) => text));
  const isUse = (candidate: Warning): boolean =>
    IMPURE_CLASSES.has(warningClass(candidate)) && candidate.code !== 'LOOKAHEAD_CUSTOM' && !reachableTexts.has(candidate.text);
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
