// Defines the four costs that have a break-even: their ranges, the values of the scan, and the run plan with another value.

import { largestOf } from '../../../base/number/extremes.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { assertNever } from '../../../base/assert.ts';
import type { BreakEvenCost, BreakEvenPoint } from '../../../report/metrics/breakEven.ts';
import type { FeesPlan, FillsPlan, ModelsPlan, RunPlan } from '../../../definition/plan/plan.ts';

/** Number of values of a scan. */
const SCANNED_VALUES = 64;

/** One of the costs: its unit, its scanned values, and how its bracket is halved. */
export interface Cost {
  readonly name: BreakEvenCost;
  readonly unit: BreakEvenPoint['unit'];
  /** Number of steps in one unit. Values are whole numbers of steps. */
  readonly stepsPerUnit: number;
  /** Returns SCANNED_VALUES values in steps, ascending, from the start to the end of the range, with a nearly constant ratio. */
  readonly scan: () => readonly number[];
  /** True when the search may end with these two neighbouring values, in steps. */
  isFine(low: number, high: number): boolean;
  /** Returns the value between two neighbours that is tried next, in steps. */
  middle(low: number, high: number): number;
}

// How a bracket is halved, in steps.
const halfway = (low: number, high: number): number => Math.floor((low + high) / 2);
const areNeighbours = (low: number, high: number): boolean => high - low <= 1;
// The steps of each unit. A fee or a slippage has whole tens of ppm.
const STEPS_PER_BP = 10;
const PPM_PER_STEP = 10;
const STEPS_PER_SIZE = 10_000;
/** The search for a size ends when its two values differ by at most this ratio, one percent. */
const SIZE_RATIO = 1.01;
/** Common settings of fee and slippage: from a tenth of a basis point to a tenth of the price. */
const RATE_SETTINGS: Pick<Cost, 'unit' | 'stepsPerUnit' | 'scan' | 'isFine' | 'middle'> = {
  unit: 'bp',
  stepsPerUnit: STEPS_PER_BP,
  scan: once(() => [0, ...geometricSteps(1, 1000 * STEPS_PER_BP, SCANNED_VALUES - 1)]),
  isFine: areNeighbours,
  middle: halfway,
};

/** The costs in the order of the report. */
export const COSTS: readonly Cost[] = [
  { name: 'fee', ...RATE_SETTINGS },
  { name: 'slippage', ...RATE_SETTINGS },
  {
    name: 'latency',
    unit: 'ms',
    stepsPerUnit: 1,
    scan: once(() => [0, ...geometricSteps(1, 86_400_000, SCANNED_VALUES - 1)]),
    isFine: areNeighbours,
    middle: halfway,
  },
  {
    name: 'size',
    unit: 'x',
    stepsPerUnit: STEPS_PER_SIZE,
    scan: once(() => geometricSteps(STEPS_PER_SIZE / 8, 4096 * STEPS_PER_SIZE, SCANNED_VALUES)),
    isFine: (low, high) => high <= low * SIZE_RATIO,
    middle: (low, high) => Math.round(Math.sqrt(low * high)),
  },
];

/** Returns a function that computes its values at the first call. Powers of decimals take 20 ms, and most runs have no search. */
function once(make: () => readonly number[]): () => readonly number[] {
  let memoisedSteps: readonly number[] | null = null;
  return () => (memoisedSteps ??= make());
}

/** Returns `count` whole numbers from `first` to `last`, strictly ascending, with a ratio as constant as whole numbers allow. */
function geometricSteps(first: number, last: number, count: number): readonly number[] {
  const values: number[] = [];
  const ratio = new Decimal(last).div(first);
  for (let index = 0; index < count; index++) {
    // Use decimals, so that the values are the same in every version of Node.
    const even = ratio.pow(new Decimal(index).div(count - 1)).times(first);
    values.push(Math.max((values[index - 1] ?? 0) + 1, even.round().toNumber()));
  }
  return values;
}

/** Returns the plan of a run in which a cost has the value `steps` instead of its own. */
export function planWith(plan: RunPlan, name: BreakEvenCost, steps: number): RunPlan {
  switch (name) {
    case 'fee': {
      const ppm = steps * PPM_PER_STEP;
      const fees: FeesPlan = { ...plan.fees, makerPpm: ppm, takerPpm: ppm, contractPpm: ppm };
      return { ...plan, fees, ...modelsWithout(plan, 'fees') };
    }
    case 'slippage': {
      const ppm = steps * PPM_PER_STEP;
      // A model that replaces the slippage of the definition does not read its rate. So the rate is added to the result of the model.
      const slippage: Partial<FillsPlan> = isReplaced(plan, 'slippage') ? { addedSlippagePpm: ppm } : { slippagePpm: ppm };
      return { ...plan, fills: { ...plan.fills, ...slippage } };
    }
    case 'latency':
      return {
        ...plan,
        fills: { ...plan.fills, latencyMs: steps },
        ...(isReplaced(plan, 'latency') ? modelsWithout(plan, 'latency') : {}),
      };
    case 'size':
      return { ...plan, sizeScale: steps / STEPS_PER_SIZE };
    default:
      return assertNever(name);
  }
}

/** True when a model or a module of the run replaces a part. A module that only wraps the part still uses the value of the definition. */
function isReplaced({ models }: RunPlan, part: 'slippage' | 'latency'): boolean {
  if (models === undefined) return false;
  if (part === 'slippage' && models.slippage !== null) return true;
  return (models.modules ?? []).some(({ module }) => module.bindings.some((binding) => binding.part === part && !binding.isWrapping));
}

/** Returns the models of a run without those that determine a part. */
function modelsWithout({ models }: RunPlan, part: 'fees' | 'latency'): { readonly models?: ModelsPlan } {
  if (models === undefined) return {};
  const { modules = [], fees } = models;
  const others = modules.map((plan) => ({
    ...plan,
    module: { ...plan.module, bindings: plan.module.bindings.filter((binding) => binding.part !== part) },
  }));
  return { models: { ...models, fees: part === 'fees' ? null : fees, modules: others } };
}

/** Returns the value of a cost in the run itself, in the unit of the cost. */
export function ownValue(plan: RunPlan, name: BreakEvenCost): BreakEvenPoint['own'] {
  const { fees, fills } = plan;
  switch (name) {
    case 'fee': {
      const contracts = plan.feeds.flatMap(({ bars }) => bars.instrument.contract ?? []);
      const maker = contracts.flatMap((contract) => [contract.openMakerFeePpm, contract.closeMakerFeePpm]);
      const taker = contracts.flatMap((contract) => [contract.openTakerFeePpm, contract.closeTakerFeePpm]);
      return { maker: bpOf(Math.max(fees.makerPpm, largestOf(maker))), taker: bpOf(Math.max(fees.takerPpm, largestOf(taker))) };
    }
    case 'slippage':
      return { rate: bpOf(fills.slippagePpm), ticks: fills.slippageTicks, model: isReplaced(plan, 'slippage') };
    case 'latency':
      return { ms: fills.latencyMs, model: isReplaced(plan, 'latency') };
    case 'size':
      return { scale: 1, impact: fills.impactPpm / 1_000_000 };
    default:
      return assertNever(name);
  }
}

/** Converts millionths to basis points. */
const bpOf = (ppm: number): number => ppm / 100;
