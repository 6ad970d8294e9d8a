// The proof of purity: strategy code uses nothing outside the run, and two runs in one process make the same decisions.

import { relative } from 'node:path';
import { formatTime } from '../../../model/time.ts';
import { warningClass, type Warning, type WarningCode } from '../../../model/warning.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { Place } from '../purity/callSite.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import { withOtherSurroundings } from '../purity/surroundings.ts';
import type { WarningSink } from '../purity/purityWarning.ts';
import { traceDifference, leadName, proofOf, type ComparedSide } from './traceDifference.ts';
import { leadFeed } from './dataSlices.ts';
import { MAX_BYTES, textOf } from '../written/embeddedPrices.ts';
import { firstDifference, type DecisionTrace } from './decisionTrace.ts';
import { TURN_ROWS, type TracedRun, type Tracer } from './tracedRun.ts';
import { plainProof, STATE_TEXTS, type Proof } from '../../../model/run/proof.ts';

/** Classes of the warnings about a use of something outside the run. */
export const IMPURE_CLASSES: ReadonlySet<string> = new Set(['impure', 'state', 'lookahead']);

/** The smallest block size, in rows, that is tried for the run that ends in the middle, and the number of sizes. */
const MIN_PART_ROWS = 331;
const PART_TRIES = 400;
/** Default maximum of rows for a run that takes turns with another run. */
const BESIDE_ROWS = 8192;

const EXTERNAL_TEXT = 'a run of the same file, loaded again, decides otherwise: it depends on something outside the run';

/** Keeps the first use of something outside the run, with the time of the run at which it happened. */
export class ImpureUses implements WarningSink {
  first: { readonly warning: Warning; readonly timeMs: number } | null = null;
  /** Returns the time of the run in progress, ms UTC; NaN when no run is in progress. */
  nowMs: () => number = () => NaN;

  readonly add = (warning: Warning): void => this.note(warning);

  protected note(warning: Warning): void {
    if (IMPURE_CLASSES.has(warningClass(warning))) this.first ??= { warning, timeMs: this.nowMs() };
  }
}

/** The inputs of the proof of purity. */
export interface PurityTask {
  readonly plan: RunPlan;
  /** The first run in this process, with newly loaded modules. */
  readonly whole: ComparedSide;
  /** Rows of the lead feed inside the run at which the strategies are not ready yet. */
  readonly skippedRows: number;
  /** Strategies whose modules have already made a longer run; null: none of them may run again. */
  readonly lived?: RunPlan['strategies'] | null;
  /** Maximum of rows of the lead feed for a run that takes turns with another run. */
  readonly besideRows?: number;
  /** True when the proof leaves out the run that ends in the middle and the run that takes turns with another run. */
  readonly isShort?: boolean;
  /** Number of other surroundings that are tried. */
  readonly surroundings: number;
  /** Why a promise of a callback continued after the last bar; null: none did. */
  readonly late: Error | null;
  readonly onRun: (share: number) => void;
}

/** The result of the proof of purity. */
export interface PurityOutcome {
  readonly proof: Proof;
  /** True when a run changes the decisions of a later run in the same process. */
  readonly hasState: boolean;
  /** True when two runs make the same decisions, each with newly loaded modules. If false, differences between other runs prove nothing. */
  readonly isSteady: boolean;
}

/** Proves that decisions depend on the bars only, by repeating the run from another row, and in other surroundings. */
export async function provePurity(
  tracer: Tracer,
  { plan, whole, skippedRows, lived = null, besideRows = BESIDE_ROWS, isShort = false, surroundings, late, onRun }: PurityTask,
): Promise<PurityOutcome> {
  onRun(0);
  const part = partialRunOf(plan, skippedRows);
  const partTrace = isShort ? null : await tracer.run(part);
  onRun(0.3);
  const repeat: TracedRun = { plan };
  const repeatTrace = await tracer.run(repeat);
  // A module may keep state between runs. So each side is repeated with modules that are loaded for that side alone.
  const first: ComparedSide = { ...whole, repeat: (recordedIndex) => runInSequence(tracer, [whole.run], recordedIndex) };
  const sideOf = (runs: readonly TracedRun[], decisions: DecisionTrace): ComparedSide => ({
    run: runs.at(-1)!,
    trace: decisions,
    repeat: (recordedIndex) => runInSequence(tracer, runs, recordedIndex),
  });
  const isEarly = partTrace !== null && (await isCausedByState(tracer, whole.trace, part, partTrace));
  const freshRepeatDifference = isEarly
    ? await traceDifference(tracer, first, sideOf([whole.run, part], partTrace), part.untilMs)
    : await traceDifference(tracer, first, sideOf([whole.run, ...(isShort ? [] : [part]), repeat], repeatTrace));
  const differenceOfLived = async () =>
    lived === null ? null : traceDifference(tracer, first, await sideOfRun(tracer, { plan: { ...plan, strategies: lived } }));
  const repeatDifference = freshRepeatDifference ?? (await differenceOfLived());
  onRun(0.6);
  const surroundingDifference = await differenceInSurroundings(tracer, plan, first, surroundings);
  const findings = { hasState: repeatDifference !== null, isSteady: surroundingDifference === null };
  const outcome = (proof: Proof): PurityOutcome => ({ proof, ...findings });
  if (late !== null) return outcome({ ...plainProof('purity', 'refuted', late.message), first: lateDifference(late, plan) });
  if (repeatDifference !== null) return outcome(proofOf('purity', 'refuted', STATE_TEXTS.again, repeatDifference, plan));
  if (surroundingDifference !== null) return outcome(proofOf('purity', 'refuted', EXTERNAL_TEXT, surroundingDifference, plan));
  const parallelDifference = isShort ? null : await differenceBesideAnotherRun(tracer, plan, first, besideRows);
  if (parallelDifference !== null) return outcome(proofOf('purity', 'refuted', STATE_TEXTS.beside, parallelDifference, plan));
  const text = 'no clock, chance, environment, file, network or promise was used, and runs in one process decide alike';
  return outcome(plainProof('purity', 'proved', text));
}

/**
 * Returns the first difference between the run and runs in other surroundings, such as another process id, folder or version of Node.
 * `count`: number of other surroundings to try. Null if all decide alike.
 */
async function differenceInSurroundings(
  tracer: Tracer,
  plan: RunPlan,
  expected: ComparedSide,
  count: number,
): ReturnType<typeof traceDifference> {
  const run: TracedRun = { plan, isFresh: true };
  for (let index = 0; index < count; index++) {
    const trace = await withOtherSurroundings(index, () => tracer.run(run));
    const side: ComparedSide = {
      run,
      trace,
      repeat: (recordedIndex) => withOtherSurroundings(index, () => tracer.run(run, recordedIndex)),
    };
    const difference = await traceDifference(tracer, expected, side, Infinity, true);
    if (difference !== null) return difference;
  }
  return null;
}

/** Makes a run and returns it as a side of a comparison. */
async function sideOfRun(tracer: Tracer, run: TracedRun): Promise<ComparedSide> {
  return { run, trace: await tracer.run(run) };
}

/** Compares a run with a run that takes turns with another one, over the first rows. State that each start resets shows only there. */
async function differenceBesideAnotherRun(
  tracer: Tracer,
  plan: RunPlan,
  first: ComparedSide,
  maxRows: number,
): ReturnType<typeof traceDifference> {
  const { bars, firstRow } = leadFeed(plan);
  const untilMs = bars.closeMs[Math.min(bars.length, firstRow + maxRows) - 1]!;
  const run: TracedRun = { plan, untilMs };
  const repeat = (recordedIndex: number): Promise<DecisionTrace> => tracer.runBehind(run, recordedIndex);
  const behind: ComparedSide = { run, trace: await repeat(-1), repeat };
  if (firstDifference(first.trace, behind.trace, untilMs) === null) return null;
  // A decision may also depend on the size of a block, which is the subject of another proof. So compare with the same size.
  return traceDifference(tracer, await sideOfRun(tracer, { plan, blockRows: TURN_ROWS, untilMs, isFresh: true }), behind, untilMs);
}

/** Uses whose results differ from run to run, so decisions that depend on them may differ, too. */
const UNSTEADY: ReadonlySet<WarningCode> = new Set(['IMPURE_RANDOM', 'IMPURE_CLOCK', 'IMPURE_TIMER', 'IMPURE_PROMISE', 'IMPURE_NETWORK']);

/** Returns true when what was used may make equal runs differ. */
export function isUnsteady({ first }: ImpureUses): boolean {
  return first !== null && UNSTEADY.has(first.warning.code);
}

/** Returns a refuted proof of purity for a difference that disappears when modules are loaded for each run. */
export function stateProof(proof: Proof): Proof {
  return { ...proof, name: 'purity', text: STATE_TEXTS.again };
}

/** True when the second run of a process differs from the first one up to its own end, and does not differ with newly loaded modules. */
async function isCausedByState(tracer: Tracer, first: DecisionTrace, part: TracedRun, partTrace: DecisionTrace): Promise<boolean> {
  const { untilMs = Infinity } = part;
  if (firstDifference(first, partTrace, untilMs) === null) return false;
  return firstDifference(first, await tracer.run({ ...part, isFresh: true }), untilMs) === null;
}

/** Makes runs one after the other with strategies that are loaded once for all of them. Returns the decisions of the last one. */
async function runInSequence(tracer: Tracer, runs: readonly TracedRun[], recordedIndex: number): Promise<DecisionTrace> {
  const strategies = await freshStrategies(runs[0]!.plan.strategies);
  const traces: DecisionTrace[] = [];
  for (const [index, run] of runs.entries()) {
    const isLast = index === runs.length - 1;
    traces.push(await tracer.run({ ...run, plan: { ...run.plan, strategies } }, isLast ? recordedIndex : -1));
  }
  return traces.at(-1)!;
}

/**
 * Returns a run that ends near the middle of the data. The rows of all earlier runs and of this one together are a prime number, with and without
 * the rows at which strategies are not ready. Otherwise a variable that counts rows modulo some number could begin the next run at the same value.
 */
function partialRunOf(plan: RunPlan, skippedRows: number): TracedRun {
  const { bars, firstRow } = leadFeed(plan);
  const rows = bars.length - firstRow;
  /** The rows of a run that ends with the block in the middle. */
  const rowsUntilEnd = (blockRows: number): number => {
    const blocks = Math.ceil(Math.floor(rows / 2) / blockRows);
    return Math.min(rows, blockRows * blocks || 1);
  };
  const triedRows = Array.from({ length: PART_TRIES }, (_, index) => MIN_PART_ROWS + index);
  const isSuitable = (tried: number): boolean => {
    const totalRows = rows + rowsUntilEnd(tried);
    return isPrime(totalRows) && isPrime(totalRows - 2 * skippedRows);
  };
  const blockRows = triedRows.find(isSuitable) ?? MIN_PART_ROWS;
  return { plan, blockRows, untilMs: bars.closeMs[firstRow + rowsUntilEnd(blockRows) - 1]! };
}

/** Returns the largest prime number that is at most `value`. `value` is at least 2. */
export function primeUpTo(value: number): number {
  let prime = value;
  while (!isPrime(prime)) prime--;
  return prime;
}

/** True for a prime number. */
function isPrime(value: number): boolean {
  if (value < 2) return false;
  for (let factor = 2; factor * factor <= value; factor++) if (value % factor === 0) return false;
  return true;
}

/**
 * Returns a refuted proof of purity for the first use of something outside the run; null: there was none. `plan`: null before it is loaded.
 * `files`: absolute paths of the strategy files. The line is searched in them if the stack did not name it.
 */
export function proofOfUses({ first }: ImpureUses, plan: RunPlan | null, files: readonly string[]): Proof | null {
  if (first === null) return null;
  const { text } = first.warning;
  const { file, line } = first.warning.file === null ? (placeOfName(text, files) ?? first.warning) : first.warning;
  const [what = text] = text.split(' in strategy code: ');
  const isInRun = Number.isFinite(first.timeMs) && plan !== null;
  return {
    name: 'purity',
    verdict: 'refuted',
    text,
    first: {
      time: isInRun ? formatTime(first.timeMs) : null,
      feed: isInRun ? leadName(plan) : null,
      what,
      expected: 'nothing outside the run',
      actual: what,
    },
    file,
    line,
  };
}

/** Returns the first line that contains the global, or the member of a built-in, that a warning about shared state names; null: none. */
function placeOfName(text: string, files: readonly string[]): Place | null {
  const [, name] = /the strategy (?:writes globalThis|adds [\w.]+|replaces [\w.]+)\.([\w$]+)/.exec(text) ?? [];
  if (name === undefined) return null;
  const nameAlone = new RegExp(String.raw`(?<![\w$])${name.replaceAll('$', String.raw`\$`)}(?![\w$])`);
  for (const file of files) {
    const lineIndex = textOf(file, MAX_BYTES)
      .split('\n')
      .findIndex((line) => nameAlone.test(line) && !/^\s*(?:\/\/|\*|declare\b)/.test(line));
    if (lineIndex >= 0) return { file: relative(process.cwd(), file), line: lineIndex + 1 };
  }
  return null;
}

/** Returns the difference to report for a promise that continued after the last bar. */
const lateDifference = (late: Error, plan: RunPlan): Proof['first'] => ({
  time: formatTime(plan.toMs),
  feed: null,
  what: 'a promise',
  expected: 'nothing after the last bar',
  actual: late.message,
});
