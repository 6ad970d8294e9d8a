// Builds one case of the envelope campaign: a plan drawn from a seed, the run over bars, and the same run over the ticks.

import { seededRng } from '../../src/base/number/rng.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { feed, planOf, START_MS } from '../simulation/plans.ts';
import { barsOfTicks, drawPlan, instrumentOf, strategyOf, tickPath, type Plan, type TicksPerBar } from './envelopeWorld.ts';

const FUNDING_HOURS = 8;

/** One case: the drawn plan, the price path, and both runs. */
export interface Case {
  /** What the seed has drawn: the strategy's behaviour, fees and fills. */
  readonly plan: Plan;
  /** One price a minute, in ticks. */
  readonly path: Int32Array;
  /** Prices of the path in one bar. */
  readonly ticksPerBar: TicksPerBar;
  /** The run over bars, which does not see the path inside them. */
  readonly runPlan: RunPlan;
  /** The path as bars of one price each. */
  readonly fine: BarColumns;
  /** The same run over the path: the truth. */
  readonly withTicks: RunPlan;
}

/** Restrictions of the drawn plan. */
export interface CaseOptions {
  /** Least number of bars between two entries. */
  readonly minPeriod?: number;
  /** True: the strategy reads its position and enters whenever it is flat. */
  readonly readsPosition?: boolean;
  /** Fields of the plan that replace the drawn ones. */
  readonly changed?: Partial<Plan>;
}

/** Returns the case of a seed, over a path of `hours` hours. */
export function caseOf(seed: number, hours: number, { minPeriod = 1, readsPosition = false, changed = {} }: CaseOptions = {}): Case {
  const rng = seededRng(seed);
  const drawnPlan = drawPlan(rng);
  const plan = { ...drawnPlan, period: Math.max(drawnPlan.period, minPeriod), ...changed };
  const ticksPerBar = rng.next() < 0.5 ? 15 : 60;
  const path = tickPath(hours, rng);
  const instrument = instrumentOf(plan);
  const coarse = feed('bars', barsOfTicks(path, ticksPerBar, instrument));
  const fine = { ...feed('ticks', barsOfTicks(path, 1, instrument)), isExecutionOnly: true };
  const options = {
    risk: {},
    cash: { USDT: '10000' },
    fees: { makerPpm: plan.makerPpm, takerPpm: plan.takerPpm, in: plan.feesIn },
    fills: { slippageTicks: plan.slippageTicks, slippagePpm: plan.slippagePpm, limit: plan.limit },
    ...(plan.isFutures ? { futures: futuresOf(plan, instrument, hours) } : {}),
  } as const;
  const strategy = strategyOf(plan, readsPosition);
  return {
    plan,
    path,
    ticksPerBar,
    fine: fine.bars,
    runPlan: planOf(strategy, [coarse], options),
    withTicks: planOf(strategy, [coarse, fine], options),
  };
}

/** Returns the futures settings of a plan. */
function futuresOf(plan: Plan, instrument: Instrument, hours: number) {
  const dataById = new Map([[instrument.id, { marks: null, funding: fundingOf(plan, hours) }]]);
  return { leverage: 2, isCross: true, isNet: true, liquidationFeePpm: 5000, data: dataById };
}

/** Returns the funding times of the path, all at the rate of the plan; none without funding. */
function fundingOf({ funding }: Plan, hours: number) {
  if (funding === 0) return [];
  return Array.from({ length: Math.floor(hours / FUNDING_HOURS) }, (_, index) => ({
    timeMs: START_MS + (index + 1) * FUNDING_HOURS * 3_600_000,
    rate: funding,
    markTicks: 5_000,
  }));
}
