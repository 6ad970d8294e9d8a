// The slow and plain way to run the sets of a sweep: one backtest after the other. What lanes must agree with, bit for bit.

import { ConfigError, StrategyError } from '../base/errors.ts';
import { Scratch } from '../base/rowLog.ts';
import { buildSummary } from '../report/folder/summary.ts';
import type { RunPlan } from './plan.ts';
import { prepareBacktest, recordOf, type PreparedRun } from './runBacktest.ts';

export const SEPARATE_FIGURES = [
  'sharpe', 'totalReturn', 'cagr', 'maxDrawdown', 'sortino', 'calmar', 'volatility', 'profitFactor', 'winRate', 'trades', 'days', 'skew', 'excessKurtosis',
] as const; // prettier-ignore

type Params = Readonly<Record<string, string | number | boolean>>;

export interface SetOutcome {
  readonly values: Float64Array;
  readonly refused: string | null;
}

export async function runSeparately(base: RunPlan, sets: readonly Params[]): Promise<SetOutcome[]> {
  const scratch = new Scratch();
  const outcomes: SetOutcome[] = [];
  for (const params of sets) outcomes.push(await runOne(withParams(base, params), scratch));
  return outcomes;
}

function withParams(base: RunPlan, params: Params): RunPlan {
  const [first, ...rest] = base.strategies;
  if (!first) return base;
  return { ...base, strategies: [{ ...first, params: { ...first.params, ...params } }, ...rest] };
}

async function runOne(plan: RunPlan, scratch: Scratch): Promise<SetOutcome> {
  let prepared: PreparedRun;
  try {
    prepared = await prepareBacktest(plan, { scratch });
  } catch (error) {
    if (!(error instanceof StrategyError || error instanceof ConfigError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    return { values: new Float64Array(SEPARATE_FIGURES.length).fill(NaN), refused: reason };
  }
  prepared.loop(prepared.engine);
  const { metrics, trades } = buildSummary(recordOf(plan, prepared, false), { versions: {} });
  const of = (name: (typeof SEPARATE_FIGURES)[number]): number | null => {
    if (name === 'days') return metrics.dailyReturns.length;
    if (name === 'profitFactor' || name === 'winRate' || name === 'trades') return trades[name];
    return metrics[name];
  };
  return { values: Float64Array.from(SEPARATE_FIGURES, (name) => of(name) ?? NaN), refused: null };
}
