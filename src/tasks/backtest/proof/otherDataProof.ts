// The part of the proof of purity that uses other bars. State that an earlier run has left in the process must not change a run over other bars. And
// if the orders over other bars come at the same times, these times must not match the moves of the true bars. Neither must what is held on average at
// each time over other bars.

import { instrumentsOf } from '../../../app/bot.ts';
import { seededRng } from '../../../base/number/rng.ts';
import { finestFeeds } from '../../../definition/plan/finestFeeds.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { STATE_TEXTS, TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { traceDifference, proofOf, type ComparedSide } from './traceDifference.ts';
import type { TracedRun, Tracer } from './tracedRun.ts';
import { barCountOf } from './samplePlans.ts';
import { poisonPlan } from './poisonPlan.ts';
import type { DecisionTrace } from './decisionTrace.ts';
import { formatTime } from '../../../model/time.ts';
import {
  bestMeanMatch,
  heldByFills,
  matchedHolding,
  minDeviationsOf,
  type HeldChanges,
  type MatchedHolding,
  type MeanMatch,
} from '../written/timedOrders.ts';

/** Added to the seed of the run, so that the other bars are not drawn from the numbers that the run itself uses. */
const SEED_OFFSET = 31;
/** The same for the sets of bars over which a holding is averaged. */
const MEAN_SEED_OFFSET = 131;
/** Number of these sets at first, and where they show a match that more of them may make clear. */
const FIRST_SETS = 6;
const MAX_SETS = 24;
/** Bars of all sets together. With many bars there are fewer sets, and `isobar prove` makes none over more bars than these. */
export const MAX_SET_BARS = 262_144;
/** The least match with which more sets are made, in standard deviations. */
const PROMISING_DEVIATIONS = 1;

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
  const sideOf = async (run: TracedRun): Promise<ComparedSide> => ({ run, trace: await tracer.run(run) });
  const usedSide = await sideOf({ plan: { ...otherPlan, strategies: usedStrategies } });
  const freshSide = await sideOf({ plan: otherPlan, isFresh: true });
  const difference = await traceDifference(tracer, freshSide, usedSide);
  if (difference !== null) return proofOf('purity', 'refuted', STATE_TEXTS.otherBars, difference, otherPlan);
  const matched = hasOrdersOf(freshSide.trace, whole.trace) ? matchedHolding(holdings()) : null;
  return matched === null ? null : proofOfTimes(tracer, plan, whole.trace, matched);
}

/** True when two runs have the same orders at the same times, and enough of them: those of a strategy that reads its bars differ over other bars. */
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
  const sideOf = async (run: TracedRun): Promise<ComparedSide> => ({ run, trace: await tracer.run(run) });
  const fresh = await sideOf({ plan, isFresh: true });
  if (fresh.trace.error !== null) return null;
  const difference = await traceDifference(tracer, fresh, await sideOf({ plan: { ...plan, strategies: usedStrategies } }));
  return difference === null ? null : proofOf('purity', 'refuted', STATE_TEXTS.again, difference, plan);
}

/**
 * Runs newly loaded strategies over several sets of other bars. Returns a refuted proof of purity if what they hold at each time, on average, matches
 * the moves of the true bars. More sets show a weak match more clearly. `onRun`: called with the finished share of the work.
 */
export async function proveMeanHolding(tracer: Tracer, plan: RunPlan, onRun: (share: number) => void = () => {}): Promise<Proof | null> {
  if (hasTrueValues(plan)) return null;
  const executionFeeds = finestFeeds(plan.feeds);
  const feeds = instrumentsOf(plan).map(({ id }) => executionFeeds.find(({ bars }) => bars.instrument.id === id)!);
  const sets = Math.max(FIRST_SETS, Math.min(MAX_SETS, Math.floor(MAX_SET_BARS / barCountOf(plan))));
  const runs: (readonly HeldChanges[])[] = [];
  let best: MeanMatch | null = null;
  for (let index = 0; index < sets; index++) {
    onRun(index / sets);
    const otherPlan = poisonPlan(plan, -Infinity, seededRng(plan.seed + MEAN_SEED_OFFSET + index));
    const { error, fills } = await tracer.run({ plan: otherPlan, isFresh: true, keepsFills: true });
    if (error !== null || fills === null) return null;
    runs.push(heldByFills(otherPlan, fills));
    if (runs.length !== FIRST_SETS && runs.length !== sets) continue;
    best = bestMeanMatch(feeds, runs);
    if (best === null || best.deviations < PROMISING_DEVIATIONS) return null;
  }
  return best !== null && best.deviations >= minDeviationsOf(feeds.length) ? proofOfMean(best) : null;
}

/**
 * True if strategies read true values over other bars too, which may match the true moves: funding and mark prices do not change there, and a series of
 * flags has the opposite ones.
 */
function hasTrueValues({ series = [], futures }: RunPlan): boolean {
  const hasContractData = [...(futures?.data.values() ?? [])].some(({ funding, marks }) => funding.length > 0 || marks !== null);
  return series.length > 0 || hasContractData;
}

/** Returns the proof that a mean holding refutes. Its cause is spread over many orders, so it names no line. */
function proofOfMean({ feed: { bars }, deviations }: MeanMatch): Proof {
  return {
    name: 'purity',
    verdict: 'refuted',
    text: TABLE_TEXTS.held,
    first: {
      time: null,
      feed: `${bars.instrument.wireName} ${bars.interval}`,
      what: 'the times at which it holds',
      expected: 'times that gain as much as others',
      actual: `times whose gain is ${deviations.toFixed(1)} standard deviations above that of others`,
    },
    file: null,
    line: null,
  };
}
