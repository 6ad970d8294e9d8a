// Finds the fee, slippage, latency and size at which the net profit of a run is used up (docs/breakeven.md).

import { DiffersError } from '../../../base/errors.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { instrumentsOf } from '../../../app/bot.ts';
import type { BreakEven, BreakEvenBracket, BreakEvenCost, BreakEvenPoint } from '../../../report/metrics/breakEven.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { freshStrategies } from '../purity/freshStrategies.ts';
import type { Watcher } from '../run/executeDefinition.ts';
import { COSTS, ownValue, planWith, type Cost } from './costs.ts';
import { runCostLanes, type CostVariant } from './costLanes.ts';
import { CostSearch, type VariantResult, type SearchOutcome } from './costSearch.ts';

/** Shows the progress of a search. */
export interface BreakEvenWatcher extends Pick<Watcher, 'enter' | 'progressCells'> {
  /** Called before lanes run: the share of the search that is done now, and the share after them. */
  searching(doneShare: number, nextShare: number): void;
}

/** Estimated number of lanes that a bisection runs. Used only for the progress. */
const LANES_OF_BISECTION = 12;

/**
 * Returns the break-even of each cost, by repeating the run with other costs, many runs at a time. Throws StrategyError when a strategy throws in
 * one of them. Throws DiffersError when a lane has another result than the same run alone, because the strategy shares state between runs.
 */
export async function findBreakEven(plan: RunPlan, watcher: BreakEvenWatcher): Promise<BreakEven> {
  const searches = COSTS.filter(({ name }) => name !== 'size' || plan.fills.impactPpm > 0).map((cost) => new CostSearch(cost));
  const totalLanes = searches.length * (searches[0]!.cost.scan().length + LANES_OF_BISECTION);
  let doneLanes = 0;
  const runNextValues = async (active: readonly CostSearch[]): Promise<void> => {
    const lanes = active.flatMap((search) => search.next().map((steps) => variantOf(plan, search.cost, steps)));
    const shareOf = (count: number): number => Math.min(0.99, (doneLanes + count) / totalLanes);
    const results = await runCostLanes(lanes, watcher, (before, running) => watcher.searching(shareOf(before), shareOf(before + running)));
    doneLanes += lanes.length;
    let firstIndex = 0;
    for (const search of active) {
      const endIndex = firstIndex + search.next().length;
      search.addResults(results.slice(firstIndex, endIndex));
      firstIndex = endIndex;
    }
  };
  for (const search of searches) await runNextValues([search]);
  // The bisections run side by side.
  const unfinishedSearches = () => searches.filter((search) => search.next().length > 0);
  for (let unfinished = unfinishedSearches(); unfinished.length > 0; unfinished = unfinishedSearches()) await runNextValues(unfinished);
  const points: Partial<Record<BreakEvenCost, BreakEvenPoint>> = {};
  for (const cost of COSTS) {
    const search = searches.find((candidate) => candidate.cost === cost);
    const outcome = search?.outcome() ?? null;
    if (outcome !== null) await checkSingleRuns(plan, cost, outcome, watcher);
    points[cost.name] = pointOf(plan, cost, outcome);
  }
  return points as BreakEven;
}

/** Returns the plan with `steps` steps of a cost. */
function variantOf(plan: RunPlan, cost: Cost, steps: number): CostVariant {
  const value = `${steps / cost.stepsPerUnit} ${cost.unit}`;
  return { plan: planWith(plan, cost.name, steps), name: `a ${cost.name} of ${value}` };
}

/** Returns the break-even of a cost. A null outcome means that nothing was scanned. */
function pointOf(plan: RunPlan, cost: Cost, outcome: SearchOutcome | null): BreakEvenPoint {
  const { name, unit, stepsPerUnit } = cost;
  const own = ownValue(plan, name);
  if (outcome === null)
    return { value: null, reason: 'no-impact-model', crossings: 0, monotone: null, unit, range: null, bracket: null, own };
  const { reason, crossings, isMonotone, firstSteps, lastSteps, bracket: scannedBracket } = outcome;
  const bracket = scannedBracket === null ? null : bracketOf(plan, cost, scannedBracket);
  const range = [firstSteps / stepsPerUnit, lastSteps / stepsPerUnit] as const;
  return { value: bracket?.high ?? null, reason, crossings, monotone: isMonotone, unit, range, bracket, own };
}

/** Returns the two scanned values around the break-even, in the unit of the cost. */
function bracketOf(plan: RunPlan, { stepsPerUnit }: Cost, [low, high]: NonNullable<SearchOutcome['bracket']>): BreakEvenBracket {
  const money = ({ netUnits }: VariantResult): string => fromScaled(netUnits, instrumentsOf(plan)[0]!.quoteDigits);
  return {
    low: low.steps / stepsPerUnit,
    high: high.steps / stepsPerUnit,
    netLow: money(low),
    netHigh: money(high),
    fillsLow: low.fills,
    fillsHigh: high.fills,
  };
}

/** Repeats the two runs that decide an outcome, each alone and with fresh modules. Throws DiffersError if a result differs. */
async function checkSingleRuns(plan: RunPlan, cost: Cost, { decisive }: SearchOutcome, watcher: BreakEvenWatcher): Promise<void> {
  for (const expected of decisive) {
    const fresh: RunPlan = { ...plan, strategies: await freshStrategies(plan.strategies) };
    const variant = variantOf(fresh, cost, expected.steps);
    const [alone] = await runCostLanes([variant], watcher);
    if (alone!.netUnits === expected.netUnits && alone!.fills === expected.fills) continue;
    const names = plan.strategies.map(({ record }) => record.name).join(', ');
    throw new DiffersError(
      `${names} with ${variant.name}: expected the same result alone and beside other runs, got another`,
      'runs share modules: keep state in fields of the class, not in module variables, statics or globalThis; isobar prove finds it',
    );
  }
}
