// The proofs of prefix and poison: decisions up to a time do not change if the data after it are missing (prefix) or replaced (poison).

import { counted } from '../../../base/text/format.ts';
import { seededRng, type Rng } from '../../../base/number/rng.ts';
import { formatMinute } from '../../../model/time.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { traceDifference, proofOf, type ComparedSide } from '../../backtest/proof/traceDifference.ts';
import { leadFeed, planUntil, slicePlan } from '../../backtest/proof/dataSlices.ts';
import { countUntil } from '../../backtest/proof/decisionTrace.ts';
import { poisonPlan } from '../../backtest/proof/poisonPlan.ts';
import type { TracedRun, Tracer } from '../../backtest/proof/tracedRun.ts';
import { plainProof, type Proof } from '../../../model/run/proof.ts';

/** Data with at most this many rows of the lead feed are always run from their start. In longer data, most runs cover only rows around their time. */
const SHORT_ROWS = 4096;
/** Rows of the lead feed before a time (in addition to the warm-up) and after it. */
const BEFORE_ROWS = 2048;
const AFTER_ROWS = 512;
/** Number of times for which longer data are run from their start, too. */
const WHOLE_TIMES = 10;

/** The inputs of both proofs. */
export interface FutureTask {
  readonly plan: RunPlan;
  /** The run over all data. */
  readonly whole: ComparedSide;
  /** Rows of each feed, in the order of the plan, that the strategies need before their first decision. */
  readonly warmUpRows: readonly number[];
  /** Number of random times. */
  readonly times: number;
  /** True when each run loads the modules of the strategies again. */
  readonly isFresh: boolean;
  /** Called before each run with the finished share of the work, 0 to 1. */
  readonly onRun: (share: number) => void;
}

/** A time, and a run whose decisions up to that time must stay the same when the later data change. */
interface Case {
  readonly untilMs: number;
  readonly expected: ComparedSide;
  readonly plan: RunPlan;
}

/** Returns the proof of prefix and the proof of poison. */
export async function proveFuture(tracer: Tracer, task: FutureTask): Promise<readonly [Proof, Proof]> {
  const { plan, isFresh } = task;
  const rng = seededRng(plan.seed + 29);
  const proofs: { prefix: Proof | null; poison: Proof | null } = { prefix: null, poison: null };
  let decisions = 0;
  let times = 0;
  for await (const { untilMs, expected, plan: base } of casesOf(tracer, task, rng)) {
    const cutPlan = planUntil(base, untilMs);
    // A feed begins after this time, so it has no rows to run.
    if (cutPlan === null) continue;
    times++;
    decisions += countUntil(expected.trace, untilMs);
    const compare = async (other: RunPlan) => {
      const run: TracedRun = { plan: other, untilMs, isFresh };
      return traceDifference(tracer, expected, { run, trace: await tracer.run(run) }, untilMs);
    };
    const place = `up to ${formatMinute(untilMs)}`;
    const cut = proofs.prefix === null ? await compare(cutPlan) : null;
    if (cut !== null) proofs.prefix = proofOf('prefix', 'refuted', `decisions ${place} differ without the data after it`, cut, plan);
    const other = proofs.poison === null ? await compare(poisonPlan(base, untilMs, rng)) : null;
    if (other !== null) proofs.poison = proofOf('poison', 'refuted', `decisions ${place} differ with other bars after it`, other, plan);
    if (proofs.prefix !== null && proofs.poison !== null) break;
  }
  const same = `${counted(decisions, 'decision')} up to ${counted(times, 'random time')} are the same`;
  const proofWithoutDifference = (name: 'prefix' | 'poison', how: string): Proof =>
    decisions === 0
      ? plainProof(name, 'not-proved', 'the strategy decides nothing in these data')
      : plainProof(name, 'proved', `${same} ${how}`);
  return [
    proofs.prefix ?? proofWithoutDifference('prefix', 'without the data after it'),
    proofs.poison ?? proofWithoutDifference('poison', 'with other bars after it'),
  ];
}

/** Yields each random time with the run to compare with: over all data if they are short or for the first times, else over rows around the time. */
async function* casesOf(tracer: Tracer, { plan, whole, warmUpRows, times, isFresh, onRun }: FutureTask, rng: Rng): AsyncGenerator<Case> {
  const lead = leadFeed(plan);
  const { closeMs, openMs, length } = lead.bars;
  const first = lead.firstRow;
  if (length - first < 3) return;
  const isShort = length - first <= SHORT_ROWS;
  for (let index = 0; index < times; index++) {
    onRun(index / times);
    const row = first + Math.floor(rng.next() * (length - first - 1));
    const untilMs = closeMs[row]!;
    if (isShort || index < WHOLE_TIMES) {
      yield { untilMs, expected: whole, plan };
      continue;
    }
    const span = slicePlan(plan, {
      fromMs: Math.max(plan.fromMs, openMs[Math.max(first, row - BEFORE_ROWS)]!),
      toMs: closeMs[Math.min(length - 1, row + AFTER_ROWS)]!,
      warmUpRows: (feed) => warmUpRows[feed]!,
    });
    if (span === null) continue;
    const run: TracedRun = { plan: span, isFresh };
    yield { untilMs, expected: { run, trace: await tracer.run(run) }, plan: span };
  }
}
