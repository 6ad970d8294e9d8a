// Draws one case of the envelope campaign from a seed: a plan, the run over bars, and the same run over the ticks.

import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { feed, planOf, START_MS } from '../simulation/plans.ts';
import { barsOfTicks, drawPlan, instrumentOf, seededRng, strategyOf, tickPath, type Plan } from './envelopeWorld.ts';

export interface Case {
  readonly plan: Plan;
  readonly path: Int32Array;
  readonly per: number;
  readonly runPlan: RunPlan;
  /** The ticks as rows. */
  readonly fine: BarColumns;
  readonly withTicks: RunPlan;
}

/** Returns the case of a seed, with at most one entry in `every` bars. */
export function caseOf(seed: number, hours: number, minPeriod = 1, readsPosition = false): Case {
  const rng = seededRng(seed);
  const drawn = drawPlan(rng);
  const plan = { ...drawn, period: Math.max(drawn.period, minPeriod) };
  const ticksPerBar = rng.next() < 0.5 ? 15 : 60;
  const path = tickPath(hours, rng);
  const instrument = instrumentOf(plan);
  const coarse = feed('bars', barsOfTicks(path, ticksPerBar, ticksPerBar === 15 ? '15m' : '1h', instrument));
  const fine = { ...feed('ticks', barsOfTicks(path, 1, '1m', instrument)), isHidden: true };
  const options = {
    risk: {},
    cash: { USDT: '10000' },
    fees: { makerPpm: plan.makerPpm, takerPpm: plan.takerPpm, in: plan.feesIn },
    fills: { slippageTicks: plan.slippageTicks, slippagePpm: plan.slippagePpm, limit: plan.limit },
    ...(plan.isFutures
      ? {
          futures: {
            leverage: 2,
            isCross: true,
            isNet: true,
            liquidationFeePpm: 5000,
            data: new Map([[instrument.id, { marks: null, funding: fundingOf(plan, hours) }]]),
          },
        }
      : {}),
  } as const;
  const strategy = strategyOf(plan, readsPosition);
  return {
    plan,
    path,
    per: ticksPerBar,
    fine: fine.bars,
    runPlan: planOf(strategy, [coarse], options),
    withTicks: planOf(strategy, [coarse, fine], options),
  };
}

function fundingOf({ funding }: Plan, hours: number) {
  if (funding === 0) return [];
  return Array.from({ length: Math.floor(hours / 8) }, (_, index) => ({
    timeMs: START_MS + (index + 1) * 8 * 3_600_000,
    rate: funding,
    markTicks: 5_000,
  }));
}
