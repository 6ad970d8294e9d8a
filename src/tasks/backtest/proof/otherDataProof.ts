// The part of the proof of purity that uses other bars. State that an earlier run has left in the process must not change a run over other bars. And
// if the orders over other bars come at the same times, these times must not match the moves of the true bars.

import { seededRng } from '../../../base/number/rng.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { STATE_TEXTS, TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { sideOfRun } from './purityProof.ts';
import { traceDifference, proofOf, type ComparedSide } from './traceDifference.ts';
import type { Tracer } from './tracedRun.ts';
import { poisonPlan } from './poisonPlan.ts';
import type { DecisionTrace } from './decisionTrace.ts';
import { formatTime } from '../../../model/time.ts';
import { matchedHolding, type HeldChanges, type MatchedHolding } from '../written/timedOrders.ts';

/** Added to the seed of the run, so that the other bars are not drawn from the numbers that the run itself uses. */
const SEED_OFFSET = 31;

/** Minimum number of orders from which equal ones show that they do not depend on the bars. */
const MIN_ORDERS = 16;

/** The inputs of the proof over other bars. */
interface OtherDataTask {
  readonly plan: RunPlan;
  /** The run over the bars of the plan. */
  readonly whole: ComparedSide;
  /** Strategies whose modules have already made a run. */
  readonly usedStrategies?: RunPlan['strategies'];
  /** Returns what the whole run held. Called only where orders do not depend on the bars. */
  readonly holdings: () => readonly HeldChanges[];
}

/**
 * Runs the strategies over other bars, once with modules that have already made a run and once with newly loaded ones. Returns a refuted proof of
 * purity in two cases, else null. First, the decisions differ: a cache by time or bar number then keeps values of the earlier bars. Second, the
 * orders have the times of the orders over the true bars, and these times match the moves of the true bars.
 */
export async function proveOtherData(tracer: Tracer, task: OtherDataTask): Promise<Proof | null> {
  const { plan, whole, usedStrategies = plan.strategies, holdings } = task;
  const otherPlan = poisonPlan(plan, -Infinity, seededRng(plan.seed + SEED_OFFSET));
  const usedSide = await sideOfRun(tracer, { plan: { ...otherPlan, strategies: usedStrategies } });
  const freshSide = await sideOfRun(tracer, { plan: otherPlan, isFresh: true });
  const difference = await traceDifference(tracer, freshSide, usedSide);
  if (difference !== null) return proofOf('purity', 'refuted', STATE_TEXTS.otherBars, difference, otherPlan);
  const matched = hasOrdersOf(freshSide.trace, whole.trace) ? matchedHolding(holdings()) : null;
  return matched === null ? null : proofOfTimes(tracer, plan, whole.trace, matched);
}

/**
 * True when two runs have the same orders at the same times, and enough of them. The orders of a strategy that reads its bars differ over
 * other bars.
 */
function hasOrdersOf(one: DecisionTrace, other: DecisionTrace): boolean {
  if (one.error !== null || one.orderMs.length < MIN_ORDERS || one.orderMs.length !== other.orderMs.length) return false;
  return one.orderMs.every((ms, index) => ms === other.orderMs[index] && one.orderCalls[index] === other.orderCalls[index]);
}

/** Returns the proof that the times of orders refute, with the place of the first one. */
async function proofOfTimes(tracer: Tracer, plan: RunPlan, { timeMs, orderMs }: DecisionTrace, matched: MatchedHolding): Promise<Proof> {
  const { recordedDecision } = await tracer.run({ plan, isFresh: true }, timeMs.indexOf(orderMs[0]!));
  const { instrument, interval } = matched.feed.bars;
  return {
    name: 'purity',
    verdict: 'refuted',
    text: TABLE_TEXTS.times,
    first: {
      time: formatTime(matched.timeMs[0]!),
      feed: `${instrument.wireName} ${interval}`,
      what: 'the times of the orders',
      expected: 'times that gain as much as others',
      actual: `times whose gain is ${matched.deviations.toFixed(1)} standard deviations above that of others`,
    },
    file: recordedDecision?.place?.file ?? null,
    line: recordedDecision?.place?.line ?? null,
  };
}

/**
 * Repeats a whole run with strategies whose modules have made it once. Returns a refuted proof of purity if they decide otherwise than newly loaded
 * ones; null: they decide alike, or equal runs throw.
 */
export async function proveWholeRepeat(tracer: Tracer, plan: RunPlan, usedStrategies: RunPlan['strategies']): Promise<Proof | null> {
  const fresh = await sideOfRun(tracer, { plan, isFresh: true });
  if (fresh.trace.error !== null) return null;
  const difference = await traceDifference(tracer, fresh, await sideOfRun(tracer, { plan: { ...plan, strategies: usedStrategies } }));
  return difference === null ? null : proofOf('purity', 'refuted', STATE_TEXTS.again, difference, plan);
}
