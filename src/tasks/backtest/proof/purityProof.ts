// The proof of purity: strategy code uses nothing outside the run, and two runs in one process decide alike.

import { firstAfter } from '../../../base/number/search.ts';
import { formatTime } from '../../../model/time.ts';
import { warningClass, type Warning } from '../../../model/warning.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import type { WarningSink } from '../purity/report.ts';
import { differenceOf, leadName, proofOf, type Side } from './comparison.ts';
import { leadFeed } from './dataSlices.ts';
import type { DecisionTrace } from './decisionTrace.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import { plainProof, type Proof } from '../../../model/run/proof.ts';

/** Classes of warnings that a use of something outside the run has. */
export const IMPURE_CLASSES: ReadonlySet<string> = new Set(['impure', 'state', 'lookahead']);

/** Rows of the blocks of a run that ends in the middle, so that it ends after a number of rows that nobody counts by. */
const UNCOUNTED_ROWS = 331;

/** Keeps the first use of something outside the run, with the time of the run at which it happened. */
export class ImpureUses implements WarningSink {
  first: { readonly warning: Warning; readonly timeMs: number } | null = null;
  /** The time of the run in progress, ms UTC; NaN outside of one. */
  nowMs: () => number = () => NaN;

  readonly add = (warning: Warning): void => this.note(warning);

  protected note(warning: Warning): void {
    if (IMPURE_CLASSES.has(warningClass(warning))) this.first ??= { warning, timeMs: this.nowMs() };
  }
}

export interface PurityTask {
  readonly plan: RunPlan;
  /** The first run of the process, of the modules as they were loaded. */
  readonly whole: Side;
  /** Decisions up to this time are compared; by default all. */
  readonly untilMs?: number;
  /** Why a promise of a callback continued after the last bar; null: none did. */
  readonly late: Error | null;
  readonly onRun: (share: number) => void;
}

/** Also returns true for `hasState` when a run changes what a later one in the same process decides. */
export async function provePurity(
  tracer: Tracer,
  { plan, whole, untilMs = Infinity, late, onRun }: PurityTask,
): Promise<{ readonly proof: Proof; readonly hasState: boolean }> {
  onRun(0);
  // A run that ends inside the data first: a variable that counts would otherwise begin the second run as it began the first.
  const part: TracedRun = { plan, untilMs: middleOf(plan, untilMs), blockRows: UNCOUNTED_ROWS };
  await tracer.run(part);
  onRun(0.3);
  const again: TracedRun = { plan, untilMs };
  const trace = await tracer.run(again);
  // What modules keep makes a repeat another run: each side is repeated from modules that are loaded for it.
  const first: Side = { ...whole, repeat: (wanted) => inTurn(tracer, [whole.run], wanted) };
  const second = await differenceOf(
    tracer,
    first,
    { run: again, trace, repeat: (wanted) => inTurn(tracer, [whole.run, part, again], wanted) },
    untilMs,
  );
  onRun(0.6);
  const fresh: TracedRun = { plan, untilMs, isFresh: true };
  const other = await differenceOf(tracer, first, { run: fresh, trace: await tracer.run(fresh) }, untilMs);
  const hasState = second !== null;
  if (late !== null) return { proof: { ...plainProof('purity', 'refuted', late.message), first: atEnd(late, plan) }, hasState };
  if (second !== null) {
    const text = 'the second run in one process decides otherwise than the first: a module variable or a static field keeps a value';
    return { proof: proofOf('purity', 'refuted', text, second, plan), hasState };
  }
  if (other !== null) {
    const text = 'a run of the same file, loaded again, decides otherwise: it depends on something outside the run';
    return { proof: proofOf('purity', 'refuted', text, other, plan), hasState };
  }
  const text = 'no clock, chance, environment, file, network or promise was used, and runs in one process decide alike';
  return { proof: plainProof('purity', 'proved', text), hasState };
}

/** Makes runs one after the other with strategies that are loaded once for all of them. Returns the decisions of the last one. */
async function inTurn(tracer: Tracer, runs: readonly TracedRun[], wanted: number): Promise<DecisionTrace> {
  const strategies = await freshStrategies(runs[0]!.plan.strategies);
  const traces: DecisionTrace[] = [];
  for (const [at, run] of runs.entries()) {
    traces.push(await tracer.run({ ...run, plan: { ...run.plan, strategies } }, at === runs.length - 1 ? wanted : -1));
  }
  return traces.at(-1)!;
}

/** Returns a time in the middle of the data up to `untilMs`, at a row of the lead feed. */
function middleOf(plan: RunPlan, untilMs: number): number {
  const { bars, firstRow } = leadFeed(plan);
  const end = Math.max(firstRow + 1, firstAfter(bars.closeMs, 0, bars.length, untilMs));
  return bars.closeMs[firstRow + Math.floor((end - firstRow) / 2)]!;
}

/** Returns the proof that the first use of something outside the run refutes; null: there was none. `plan`: null before it is loaded. */
export function proofOfUses({ first }: ImpureUses, plan: RunPlan | null): Proof | null {
  if (first === null) return null;
  const { text, file, line } = first.warning;
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

const atEnd = (late: Error, plan: RunPlan): Proof['first'] => ({
  time: formatTime(plan.toMs),
  feed: null,
  what: 'a promise',
  expected: 'nothing after the last bar',
  actual: late.message,
});
