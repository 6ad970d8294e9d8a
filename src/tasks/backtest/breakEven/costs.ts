// The four costs that have a break-even: their ranges, the values of the scan, and the run with another value.

import { Decimal } from '../../../base/number/decimal.ts';
import { assertNever } from '../../../base/assert.ts';
import type { BreakEvenCost, BreakEvenPoint } from '../../../report/metrics/breakEven.ts';
import type { FeesPlan, FillsPlan, ModelsPlan, RunPlan } from '../../../definition/plan/plan.ts';

/** Number of values of a scan. */
const SCANNED = 64;

/** One of the costs: its range, its unit, and the runs that try its values. */
export interface Cost {
  readonly name: BreakEvenCost;
  readonly unit: BreakEvenPoint['unit'];
  /** Values are whole numbers of steps: this many make one unit. */
  readonly stepsPerUnit: number;
  /** In steps, ascending: SCANNED values from the first to the last of the range, each range evenly spread by ratio. */
  readonly scan: () => readonly number[];
  /** True when the search may end with these two neighbouring values, in steps. */
  isFine(low: number, high: number): boolean;
  middle(low: number, high: number): number;
}

const halfway = (low: number, high: number): number => Math.floor((low + high) / 2);
const nextStep = (low: number, high: number): boolean => high - low <= 1;
const STEPS_PER_BP = 10;
const PPM_PER_STEP = 10;
const STEPS_PER_SIZE = 10_000;
/** Sizes are found to a hundredth. */
const SIZE_RATIO = 1.01;
/** A tenth of a basis point to a tenth of the price. */
const RATES: Pick<Cost, 'unit' | 'stepsPerUnit' | 'scan' | 'isFine' | 'middle'> = {
  unit: 'bp',
  stepsPerUnit: STEPS_PER_BP,
  scan: once(() => [0, ...geometricSteps(1, 1000 * STEPS_PER_BP, SCANNED - 1)]),
  isFine: nextStep,
  middle: halfway,
};

/** The costs in the order of the report. */
export const COSTS: readonly Cost[] = [
  { name: 'fee', ...RATES },
  { name: 'slippage', ...RATES },
  {
    name: 'latency',
    unit: 'ms',
    stepsPerUnit: 1,
    scan: once(() => [0, ...geometricSteps(1, 86_400_000, SCANNED - 1)]),
    isFine: nextStep,
    middle: halfway,
  },
  {
    name: 'size',
    unit: 'x',
    stepsPerUnit: STEPS_PER_SIZE,
    scan: once(() => geometricSteps(STEPS_PER_SIZE / 8, 4096 * STEPS_PER_SIZE, SCANNED)),
    isFine: (low, high) => high <= low * SIZE_RATIO,
    middle: (low, high) => Math.round(Math.sqrt(low * high)),
  },
];

/** Returns a function that makes its values at the first call: powers of decimals take 20 ms, and most runs have no search. */
function once(make: () => readonly number[]): () => readonly number[] {
  let memoisedSteps: readonly number[] | null = null;
  return () => (memoisedSteps ??= make());
}

/** Returns `count` whole numbers from `first` to `last`, ascending, with a constant ratio as far as whole numbers can have it. */
function geometricSteps(first: number, last: number, count: number): readonly number[] {
  const values: number[] = [];
  const ratio = new Decimal(last).div(first);
  for (let index = 0; index < count; index++) {
    // Decimals, so that the values are the same in every version of Node.
    const even = ratio.pow(new Decimal(index).div(count - 1)).times(first);
    values.push(Math.max((values[index - 1] ?? 0) + 1, even.round().toNumber()));
  }
  return values;
}

/** Returns the plan of a run with `steps` of a cost in place of its own. */
export function planWith(plan: RunPlan, name: BreakEvenCost, steps: number): RunPlan {
  switch (name) {
    case 'fee': {
      const ppm = steps * PPM_PER_STEP;
      const fees: FeesPlan = { ...plan.fees, makerPpm: ppm, takerPpm: ppm, contractPpm: ppm };
      return { ...plan, fees, ...without(plan, 'fees') };
    }
    case 'slippage': {
      const ppm = steps * PPM_PER_STEP;
      // What replaces the slippage of the definition would not see its rate, so the rate is added to it.
      const slippage: Partial<FillsPlan> = isReplaced(plan, 'slippage') ? { addedSlippagePpm: ppm } : { slippagePpm: ppm };
      return { ...plan, fills: { ...plan.fills, ...slippage } };
    }
    case 'latency':
      return { ...plan, fills: { ...plan.fills, latencyMs: steps }, ...(isReplaced(plan, 'latency') ? without(plan, 'latency') : {}) };
    case 'size':
      return { ...plan, sizeScale: steps / STEPS_PER_SIZE };
    default:
      return assertNever(name);
  }
}

/** True when a model or a module of the run replaces a part. One that wraps it still sees what the definition says. */
function isReplaced({ models }: RunPlan, part: 'slippage' | 'latency'): boolean {
  if (models === undefined) return false;
  if (part === 'slippage' && models.slippage !== null) return true;
  return (models.modules ?? []).some(({ module }) => module.bindings.some((each) => each.part === part && !each.isWrapping));
}

/** Returns the models of a run without those that decide a part. */
function without({ models }: RunPlan, part: 'fees' | 'latency'): { readonly models?: ModelsPlan } {
  if (models === undefined) return {};
  const { modules = [], fees } = models;
  const others = modules.map((plan) => ({
    ...plan,
    module: { ...plan.module, bindings: plan.module.bindings.filter((each) => each.part !== part) },
  }));
  return { models: { ...models, fees: part === 'fees' ? null : fees, modules: others } };
}

/** Returns what the run itself has of a cost, in the unit of the cost. */
export function ownValue(plan: RunPlan, name: BreakEvenCost): BreakEvenPoint['own'] {
  const { fees, fills } = plan;
  switch (name) {
    case 'fee': {
      const contracts = plan.feeds.flatMap(({ bars }) => bars.instrument.contract ?? []);
      const maker = contracts.flatMap((contract) => [contract.openMakerFeePpm, contract.closeMakerFeePpm]);
      const taker = contracts.flatMap((contract) => [contract.openTakerFeePpm, contract.closeTakerFeePpm]);
      return { maker: bpOf(Math.max(fees.makerPpm, ...maker)), taker: bpOf(Math.max(fees.takerPpm, ...taker)) };
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

const bpOf = (ppm: number): number => ppm / 100;
