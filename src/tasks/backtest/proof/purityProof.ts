// The proof of purity: strategy code uses nothing outside the run, and two runs in one process make the same decisions.

import { relative } from 'node:path';
import { formatTime } from '../../../model/time.ts';
import { BY_PACKAGE, isBriefReplacement, isPackageRead, warningClass, type Warning, type WarningCode } from '../../../model/warning.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { isReadOnlyError } from '../builtIns/readOnlyErrors.ts';
import { placeOfError, type Place } from '../purity/callSite.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import { withOtherSurroundings } from '../surroundings/surroundings.ts';
import { placeKey, type WarningSink } from '../purity/purityWarning.ts';
import { traceDifference, leadName, proofOf, type ComparedSide, type Difference } from './traceDifference.ts';
import { leadFeed } from './dataSlices.ts';
import { MAX_BYTES, textOf } from '../written/embeddedPrices.ts';
import { firstDifference, type DecisionTrace } from './decisionTrace.ts';
import { TURN_ROWS, type TracedRun, type Tracer } from './tracedRun.ts';
import { plainProof, STATE_TEXTS, type Proof } from '../../../model/run/proof.ts';

/** Classes of the warnings about a use of something outside the run. */
export const IMPURE_CLASSES: ReadonlySet<string> = new Set(['impure', 'state', 'lookahead']);

/** The smallest block size, in rows, that is tried for the run that ends in the middle, and the number of sizes that are tried. */
const MIN_PARTIAL_BLOCK_ROWS = 331;
const TRIED_BLOCK_SIZES = 400;
/** Default maximum of rows for a run that takes turns with another run. */
const DEFAULT_TURN_ROWS = 8192;

const EXTERNAL_TEXT = 'a run of the same file, loaded again, decides otherwise: it depends on something outside the run';

/** A use of something outside the run, and the time of the run at which it happened. */
interface TimedUse {
  readonly warning: Warning;
  readonly timeMs: number;
}

/** Keeps the first use of something outside the run, with the time of the run at which it happened. */
export class ImpureUses implements WarningSink {
  first: TimedUse | null = null;
  /** Returns the time of the run in progress, ms UTC; NaN when no run is in progress. */
  nowMs: () => number = () => NaN;

  /** Reads of the machine by packages, by their code and place. They count only once a decision depends on them. */
  readonly packageReads = new Map<string, TimedUse>();

  readonly add = (warning: Warning): void => this.note(warning);

  /** Returns the first read by a package with this code; undefined: no package reads so. */
  packageRead(code: WarningCode): Warning | undefined {
    for (const { warning } of this.packageReads.values()) if (warning.code === code) return warning;
    return undefined;
  }

  /** Lets the first read by a package with this code count as a use. */
  countPackageRead(code: WarningCode): void {
    for (const use of this.packageReads.values()) if (use.warning.code === code) this.first ??= use;
  }

  protected note(warning: Warning): void {
    if (!IMPURE_CLASSES.has(warningClass(warning))) return;
    const use = { warning, timeMs: this.nowMs() };
    if (isBriefReplacement(warning)) return;
    const key = `${warning.code} ${placeKey(warning)}`;
    if (!isPackageRead(warning)) this.first ??= use;
    else if (!this.packageReads.has(key)) this.packageReads.set(key, use);
  }
}

/** Returns a proof that is not decided if it held. `reason`: null if nothing speaks against it. */
export function undecidedIf(proof: Proof, reason: string | null): Proof {
  return reason !== null && proof.verdict === 'proved' ? plainProof(proof.name, 'not-proved', reason) : proof;
}

/** The inputs of the proof of purity. */
export interface PurityTask {
  readonly plan: RunPlan;
  /** The first run in this process, with newly loaded modules. */
  readonly whole: ComparedSide;
  /** Rows of the lead feed inside the run at which the strategies are not ready yet. */
  readonly skippedRows: number;
  /** Strategies whose modules have already made a longer run; null: none of them may run again. */
  readonly usedStrategies?: RunPlan['strategies'] | null;
  /** Maximum number of rows of the lead feed for a run that takes turns with another run. */
  readonly maxTurnRows?: number;
  /** True when the proof leaves out the run that ends in the middle and the run that takes turns with another run. */
  readonly isShort?: boolean;
  /** Number of other surroundings that are tried. */
  readonly surroundings: number;
  /** The error about a promise that continued after the last bar; null: none did. */
  readonly lateError: Error | null;
  /** Called before a run with the finished share of the work, 0 to 1. */
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

/**
 * Returns the proof that decisions depend on the bars only. Compares the first run with later runs of the same modules, with runs in other
 * surroundings, and with a run that takes turns with another one.
 */
export async function provePurity(tracer: Tracer, task: PurityTask): Promise<PurityOutcome> {
  const { plan, whole, usedStrategies = null, maxTurnRows = DEFAULT_TURN_ROWS, isShort = false, surroundings, lateError, onRun } = task;
  onRun(0);
  const first = sideInSequence(tracer, [whole.run], whole.trace);
  const repeatDifference =
    (await differenceOfLaterRuns(tracer, task, first)) ?? (await differenceOfUsedStrategies(tracer, plan, usedStrategies, first));
  onRun(0.6);
  const surroundingDifference = await differenceInSurroundings(tracer, plan, first, surroundings);
  const findings = { hasState: repeatDifference !== null, isSteady: surroundingDifference === null };
  const outcome = (proof: Proof): PurityOutcome => ({ proof, ...findings });
  if (lateError !== null) {
    return outcome({ ...plainProof('purity', 'refuted', lateError.message), first: lateDifference(lateError, plan) });
  }
  if (repeatDifference !== null) return outcome(proofOf('purity', 'refuted', STATE_TEXTS.again, repeatDifference, plan));
  if (surroundingDifference !== null) return outcome(proofOf('purity', 'refuted', EXTERNAL_TEXT, surroundingDifference, plan));
  const turnsDifference = isShort ? null : await differenceBesideAnotherRun(tracer, plan, first, maxTurnRows);
  if (turnsDifference !== null) return outcome(proofOf('purity', 'refuted', STATE_TEXTS.beside, turnsDifference, plan));
  const text = 'no clock, chance, environment, file, network or promise was used, and runs in one process decide alike';
  return outcome(plainProof('purity', 'proved', text));
}

/**
 * Returns the last of several runs as a side of a comparison. Modules may keep state between the runs, so the side is repeated as the whole
 * sequence, with modules that are loaded for it alone. `trace`: the decisions of the last run.
 */
function sideInSequence(tracer: Tracer, runs: readonly TracedRun[], trace: DecisionTrace): ComparedSide {
  return { run: runs.at(-1)!, trace, repeat: (recordedIndex) => runInSequence(tracer, runs, recordedIndex) };
}

/**
 * Makes two more runs with the modules of the first one: one that ends near the middle, which a short proof leaves out, and a whole one.
 * Returns their first difference from the first run; null: all decide alike.
 */
async function differenceOfLaterRuns(
  tracer: Tracer,
  { plan, whole, skippedRows, isShort = false, onRun }: PurityTask,
  first: ComparedSide,
): Promise<Difference | null> {
  const partialRun = partialRunOf(plan, skippedRows);
  const partialTrace = isShort ? null : await tracer.run(partialRun);
  onRun(0.3);
  const repeatedRun: TracedRun = { plan };
  const repeatedTrace = await tracer.run(repeatedRun);
  const hasEarlyDifference = partialTrace !== null && (await isCausedByState(tracer, whole.trace, partialRun, partialTrace));
  if (hasEarlyDifference) {
    return traceDifference(tracer, first, sideInSequence(tracer, [whole.run, partialRun], partialTrace), partialRun.untilMs);
  }
  const runs = isShort ? [whole.run, repeatedRun] : [whole.run, partialRun, repeatedRun];
  return traceDifference(tracer, first, sideInSequence(tracer, runs, repeatedTrace));
}

/** Returns the first difference between the run and one with strategies whose modules have made a longer run; null: none, or no such strategies. */
async function differenceOfUsedStrategies(
  tracer: Tracer,
  plan: RunPlan,
  usedStrategies: RunPlan['strategies'] | null,
  first: ComparedSide,
): Promise<Difference | null> {
  if (usedStrategies === null) return null;
  return traceDifference(tracer, first, await sideOfRun(tracer, { plan: { ...plan, strategies: usedStrategies } }));
}

/**
 * Returns the first difference between the run and runs in other surroundings, such as another process id, folder or version of Node.
 * `count`: number of other surroundings to try. Null if all decide alike.
 */
async function differenceInSurroundings(tracer: Tracer, plan: RunPlan, expected: ComparedSide, count: number): Promise<Difference | null> {
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
export async function sideOfRun(tracer: Tracer, run: TracedRun): Promise<ComparedSide> {
  return { run, trace: await tracer.run(run) };
}

/** Compares a run with a run that takes turns with another one, over the first rows. State that each start resets shows only there. */
async function differenceBesideAnotherRun(tracer: Tracer, plan: RunPlan, first: ComparedSide, maxRows: number): Promise<Difference | null> {
  const { bars, firstRow } = leadFeed(plan);
  const untilMs = bars.closeMs[Math.min(bars.length, firstRow + maxRows) - 1]!;
  const run: TracedRun = { plan, untilMs };
  const repeat = (recordedIndex: number): Promise<DecisionTrace> => tracer.runBehind(run, recordedIndex);
  const behind: ComparedSide = { run, trace: await repeat(-1), repeat };
  if (firstDifference(first.trace, behind.trace, untilMs) === null) return null;
  // The difference may come from the size of the blocks, which is the subject of another proof. So compare with a run in blocks of the same size.
  const sameBlocks = await sideOfRun(tracer, { plan, blockRows: TURN_ROWS, untilMs, isFresh: true });
  return traceDifference(tracer, sameBlocks, behind, untilMs);
}

/** Codes of uses whose results differ from run to run, so decisions that depend on them may differ, too. */
const UNSTEADY_CODES: ReadonlySet<WarningCode> = new Set([
  'IMPURE_RANDOM',
  'IMPURE_CLOCK',
  'IMPURE_TIMER',
  'IMPURE_PROMISE',
  'IMPURE_NETWORK',
]);

/** Returns true when what was used may make equal runs differ. */
export function isUnsteady({ first }: ImpureUses): boolean {
  return first !== null && UNSTEADY_CODES.has(first.warning.code);
}

/** Returns a refuted proof of purity for a difference that disappears when modules are loaded for each run. */
export function stateProof(proof: Proof): Proof {
  return { ...proof, name: 'purity', text: STATE_TEXTS.again };
}

/** True when the partial run differs from the first run, and does not differ with newly loaded modules. */
async function isCausedByState(
  tracer: Tracer,
  firstTrace: DecisionTrace,
  partialRun: TracedRun,
  partialTrace: DecisionTrace,
): Promise<boolean> {
  const { untilMs = Infinity } = partialRun;
  if (firstDifference(firstTrace, partialTrace, untilMs) === null) return false;
  const freshTrace = await tracer.run({ ...partialRun, isFresh: true });
  return firstDifference(firstTrace, freshTrace, untilMs) === null;
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
 * Returns a run that ends near the middle of the data. The rows of the first run and of this one together are a prime number, with and without
 * the rows at which strategies are not ready. Otherwise a variable that counts rows modulo some number could begin the next run with the value
 * that it had in the first run, and hide that it survives.
 */
function partialRunOf(plan: RunPlan, skippedRows: number): TracedRun {
  const { bars, firstRow } = leadFeed(plan);
  const rows = bars.length - firstRow;
  /** The rows of a run that ends with the block in the middle. */
  const rowsUntilEnd = (blockRows: number): number => {
    const blocks = Math.ceil(Math.floor(rows / 2) / blockRows);
    return Math.min(rows, blockRows * blocks || 1);
  };
  const triedBlockRows = Array.from({ length: TRIED_BLOCK_SIZES }, (_, index) => MIN_PARTIAL_BLOCK_ROWS + index);
  const isSuitable = (blockRows: number): boolean => {
    const totalRows = rows + rowsUntilEnd(blockRows);
    return isPrime(totalRows) && isPrime(totalRows - 2 * skippedRows);
  };
  const blockRows = triedBlockRows.find(isSuitable) ?? MIN_PARTIAL_BLOCK_ROWS;
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
  const [use = text] = text.split(' in strategy code: ');
  const isInRun = Number.isFinite(first.timeMs) && plan !== null;
  return {
    name: 'purity',
    verdict: 'refuted',
    text,
    first: {
      time: isInRun ? formatTime(first.timeMs) : null,
      feed: isInRun ? leadName(plan) : null,
      what: use,
      expected: 'nothing outside the run',
      actual: use,
    },
    file,
    line,
  };
}

/** Returns the refuted proof of purity for an error that an attempt to change a built-in has thrown; null for any other error. */
export function proofOfReplacement(cause: Error): Proof | null {
  const place = placeOfError(cause) ?? { file: null, line: null };
  if (!isReadOnlyError(cause.message, lineAt(place))) return null;
  const text = `the strategy replaces a built-in, which everything in its process shares: ${cause.message}`;
  return { ...plainProof('purity', 'refuted', text), ...place };
}

/** Returns the text of the line at a place; empty if the place is unknown. */
function lineAt({ file, line }: Place): string {
  return file === null || line === null ? '' : (textOf(file, MAX_BYTES).split('\n')[line - 1] ?? '');
}

/** Matches the name of what a warning is about: of shared state, or of a use of the outside. */
const NAMES_IN_WARNING = [
  /the strategy (?:writes|adds|replaces) [\w.:/]+\.([\w$]+)/,
  /^.*?([\w$]+)(?:\([^()]*\))?(?: of .*| without .*)? in strategy code: /,
];

/** Matches the name of the package that a warning is about. */
const PACKAGE_IN_WARNING = / by the package (\S+) in strategy code: /;

/** Returns the first line with the global, the member of a built-in, the function or the package that a warning names; null: none. */
function placeOfName(text: string, files: readonly string[]): Place | null {
  // The code of the author does not name what a package uses.
  if (text.includes(`${BY_PACKAGE} in strategy code: `)) return null;
  const packageName = PACKAGE_IN_WARNING.exec(text)?.[1];
  if (packageName !== undefined) return placeOfText(new RegExp(String.raw`["'\`]${asPattern(packageName)}["'\`/]`), files);
  const [name] = NAMES_IN_WARNING.flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
  return name === undefined ? null : placeOfText(new RegExp(String.raw`(?<![\w$])${asPattern(name)}(?![\w$])`), files);
}

/** Returns the text as a pattern that matches it. */
const asPattern = (text: string): string => text.replaceAll(/[$.*+?()[\]{}|\\^/]/g, String.raw`\$&`);

/** Returns the first line of code that matches; null: none. */
function placeOfText(nameAlone: RegExp, files: readonly string[]): Place | null {
  for (const file of files) {
    const lineIndex = textOf(file, MAX_BYTES)
      .split('\n')
      .findIndex((line) => nameAlone.test(line) && !/^\s*(?:\/\/|\*|declare\b)/.test(line));
    if (lineIndex >= 0) return { file: relative(process.cwd(), file), line: lineIndex + 1 };
  }
  return null;
}

/** Returns the difference to report for a promise that continued after the last bar. */
const lateDifference = (lateError: Error, plan: RunPlan): Proof['first'] => ({
  time: formatTime(plan.toMs),
  feed: null,
  what: 'a promise',
  expected: 'nothing after the last bar',
  actual: lateError.message,
});
