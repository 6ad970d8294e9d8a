// Tests the search for a break-even over known curves: its scan, its bracket, its reasons, and where it begins.

import { describe, expect, test } from 'vitest';
import { COSTS, planWith, type Cost } from './costs.ts';
import { CostSearch, type SearchOutcome } from './costSearch.ts';
import { runPlan } from '../../../../test/fixtures/runPlan.ts';

const costOf = (name: Cost['name']): Cost => COSTS.find((cost) => cost.name === name)!;

/** The outcome of a search, and what it tried. */
interface SearchResult extends SearchOutcome {
  /** Tried values in steps of the cost, in the order of the search. */
  readonly tried: readonly number[];
}

/** Searches a profit curve. The arguments of `netOf` and `fillsOf` (number of fills) are in the unit of the cost. */
function searchOver(name: Cost['name'], netOf: (value: number) => number, fillsOf: (value: number) => number = () => 1): SearchResult {
  const cost = costOf(name);
  const search = new CostSearch(cost);
  const triedSteps: number[] = [];
  for (let steps = search.next(); steps.length > 0; steps = search.next()) {
    triedSteps.push(...steps);
    search.addResults(
      steps.map((stepCount) => ({ netUnits: netOf(stepCount / cost.stepsPerUnit), fills: fillsOf(stepCount / cost.stepsPerUnit) })),
    );
  }
  return { ...search.outcome(), tried: triedSteps };
}

const endsOf = ({ bracket }: SearchResult) => bracket?.map(({ steps }) => steps);

describe('the scan', () => {
  test.each(COSTS)(
    'the scan of $name has 64 whole numbers of steps, ascending, over the documented range',
    ({ name, scan: scanOf, stepsPerUnit }) => {
      const scan = scanOf();
      expect(scan).toHaveLength(64);
      expect(scan.every((steps, index) => Number.isInteger(steps) && (index === 0 || steps > scan[index - 1]!))).toBe(true);
      const ends = { fee: [0, 1000], slippage: [0, 1000], latency: [0, 86_400_000], size: [1 / 8, 4096] }[name];
      expect([scan[0]! / stepsPerUnit, scan[63]! / stepsPerUnit]).toEqual(ends);
    },
  );
});

describe('the search', () => {
  test.each([
    ['fee', 12.34, 123, 124],
    ['fee', 12.3, 122, 123],
    ['slippage', 999.95, 9999, 10_000],
    ['latency', 59_999.5, 59_999, 60_000],
    ['latency', 1, 0, 1],
  ] as const)('the search of a %s whose profit is used up at %d ends with its two neighbours', (name, breakEven, low, high) => {
    const result = searchOver(name, (value) => breakEven - value);
    expect(result).toMatchObject({ reason: null, crossings: 1, isMonotone: true });
    expect(endsOf(result)).toEqual([low, high]);
  });

  test('the search of a size ends within one percent, and reports that a profit that rises first is not monotone', () => {
    const result = searchOver('size', (value) => value - value ** 1.5 / 10);
    expect(result).toMatchObject({ reason: null, crossings: 1, isMonotone: false });
    const [low, high] = endsOf(result)!.map((steps) => steps / 10_000) as [number, number];
    expect(low).toBeLessThan(100);
    expect(high).toBeGreaterThanOrEqual(100);
    expect(high / low).toBeLessThanOrEqual(1.01);
  });

  test('the search takes the first of several brackets, and counts all changes of sign in the scan', () => {
    const result = searchOver('fee', (value) => (value < 3 || (value > 20 && value < 200) ? 5 : -5));
    expect(result).toMatchObject({ reason: null, crossings: 3, isMonotone: false });
    expect(endsOf(result)).toEqual([29, 30]);
  });

  test('the search reports already-negative if the start of the range has no profit', () => {
    expect(searchOver('fee', () => -1)).toMatchObject({ reason: 'already-negative', bracket: null, crossings: 0, isMonotone: true });
    expect(searchOver('fee', () => 0)).toMatchObject({ reason: 'already-negative', bracket: null });
    expect(searchOver('fee', (value) => value - 1)).toMatchObject({ reason: 'already-negative', crossings: 1, isMonotone: false });
  });

  test('the search finds no value if every scanned value has a profit', () => {
    const result = searchOver('latency', () => 1);
    expect(result).toMatchObject({ reason: 'never', bracket: null, crossings: 0, isMonotone: true });
    expect(result.tried).toHaveLength(64);
  });

  test('the search counts a profit of 0 as used up', () => {
    expect(endsOf(searchOver('fee', (value) => Math.max(0, 7 - value)))).toEqual([69, 70]);
  });

  test('the search of a size begins at the first size that trades, and that of a fee at 0', () => {
    const netOf = (value: number) => (value < 2 ? 0 : 40 - value);
    const fillsOf = (value: number) => (value < 2 ? 0 : 9);
    const result = searchOver('size', netOf, fillsOf);
    expect(result).toMatchObject({ reason: null, crossings: 1 });
    const firstSize = result.firstSteps / 10_000;
    expect(firstSize).toBeGreaterThanOrEqual(2);
    expect(firstSize).toBeLessThan(2.4);
    expect(searchOver('fee', netOf, fillsOf)).toMatchObject({ reason: 'already-negative', firstSteps: 0 });
    const nothing = (): number => 0;
    expect(searchOver('size', nothing, nothing)).toMatchObject({ reason: 'already-negative', firstSteps: 1250 });
  });

  test('the search halves its bracket at each step', () => {
    const { tried: triedSteps } = searchOver('latency', (value) => 50_000_000.5 - value);
    expect(triedSteps.length).toBeLessThanOrEqual(64 + 25);
  });
});

describe('the run with another cost', () => {
  const plan = runPlan([], [], { fills: { slippagePpm: 200, slippageTicks: 2, latencyMs: 250 } });

  test('the run with another fee has that fee for makers, takers and contracts, and no fee model', () => {
    const models = { slippage: null, fees: { kind: 'fees', rate: () => 0 }, rules: [], records: [] } as const;
    const changedPlan = planWith({ ...plan, models }, 'fee', 125);
    expect(changedPlan.fees).toMatchObject({
      makerPpm: 1250,
      takerPpm: 1250,
      contractPpm: 1250,
      in: plan.fees.in,
      rounding: plan.fees.rounding,
    });
    expect(changedPlan.models?.fees).toBeNull();
    expect(changedPlan.fills).toEqual(plan.fills);
  });

  test('the run with another slippage replaces the share of the price, and keeps the ticks', () => {
    expect(planWith(plan, 'slippage', 31).fills).toMatchObject({ slippagePpm: 310, slippageTicks: 2, latencyMs: 250 });
  });

  test('the run with another slippage adds it to a slippage model', () => {
    const models = { slippage: { kind: 'slippage', worse: () => 1 }, fees: null, rules: [], records: [] } as const;
    expect(planWith({ ...plan, models }, 'slippage', 31).fills).toMatchObject({ addedSlippagePpm: 310, slippagePpm: 200 });
  });

  test.each([
    [true, 1],
    [false, 0],
  ])(
    'the run with another latency keeps a latency module only if it wraps the built-in part (wraps: %s)',
    (isWrapping, remainingBindings) => {
      const binding = { part: 'latency', isWrapping, needs: [], make: () => null };
      const modules = [{ module: { kind: 'module', name: 'slow', bindings: [binding] }, place: 'run.yaml' }] as const;
      const changedPlan = planWith({ ...plan, models: { slippage: null, fees: null, rules: [], records: [], modules } }, 'latency', 90);
      expect(changedPlan.fills.latencyMs).toBe(90);
      expect(changedPlan.models?.modules?.[0]?.module.bindings).toHaveLength(remainingBindings);
    },
  );

  test('the run with another size multiplies the sizes of orders only', () => {
    expect(planWith(plan, 'size', 12_345).sizeScale).toBe(1.2345);
    expect(planWith(plan, 'size', 12_345)).toMatchObject({ cash: plan.cash, size: plan.size, fees: plan.fees, fills: plan.fills });
  });
});
