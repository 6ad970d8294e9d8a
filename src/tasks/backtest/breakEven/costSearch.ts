// The search for the smallest value of one cost at which the net profit is at most 0: a scan, then bisection inside the first bracket.

import { assert } from '../../../base/assert.ts';
import type { BreakEvenReason } from '../../../report/metrics/breakEven.ts';
import type { Cost } from './costs.ts';

/** The result of a run with one value of a cost. */
export interface VariantResult {
  readonly netUnits: number;
  readonly fills: number;
}

/** A tried value of a cost, and the result of the run with it. */
export interface ProfitAtCost extends VariantResult {
  /** The value, in steps of the cost. */
  readonly steps: number;
}

/** The result of a search. */
export interface SearchOutcome {
  /** Why there is no break-even; null: there is one. */
  readonly reason: BreakEvenReason | null;
  /** Number of sign changes of the net profit between neighbouring scanned values. */
  readonly crossings: number;
  /** True when the net profit never rises from one scanned value to the next. */
  readonly isMonotone: boolean;
  /** First and last scanned value, in steps. */
  readonly firstSteps: number;
  readonly lastSteps: number;
  /** Two neighbouring values: the net profit is above 0 at the first and at most 0 at the second. Null with a reason. */
  readonly bracket: readonly [low: ProfitAtCost, high: ProfitAtCost] | null;
  /** The two values that decide the outcome: the bracket, or the first and the last scanned value. */
  readonly decisive: readonly [low: ProfitAtCost, high: ProfitAtCost];
}

/** The search for one cost. The caller runs the values of `next`, passes the results to `addResults`, and reads `outcome` at the end. */
export class CostSearch {
  /** The cost that is searched. */
  readonly cost: Cost;
  /** The scanned values, from the start of the range on. */
  private scanned: readonly ProfitAtCost[] = [];
  /** The neighbours between which the profit falls to 0; null: none. */
  private bracket: readonly [low: ProfitAtCost, high: ProfitAtCost] | null = null;

  constructor(cost: Cost) {
    this.cost = cost;
  }

  /** Returns the values to try next, in steps; none: the search has ended. */
  next(): readonly number[] {
    const { cost, bracket } = this;
    if (this.scanned.length === 0) return cost.scan();
    if (bracket === null || cost.isFine(bracket[0].steps, bracket[1].steps)) return [];
    return [cost.middle(bracket[0].steps, bracket[1].steps)];
  }

  /** Adds the results of the values that `next` has returned, in their order. */
  addResults(results: readonly VariantResult[]): void {
    const triedValues = this.next().map((steps, index): ProfitAtCost => ({ steps, ...results[index]! }));
    assert(results.length === triedValues.length && triedValues.length > 0, 'a search takes a result for each value that it asked for');
    if (this.scanned.length === 0) this.addScan(triedValues);
    else this.addMiddle(triedValues[0]!);
  }

  /** Adds the results of the scan, and finds the two neighbours between which the profit falls to 0. */
  private addScan(triedValues: readonly ProfitAtCost[]): void {
    const { name } = this.cost;
    // A size at which nothing fills has no meaning for the strategy. So the range begins at the first size that trades.
    const firstTrading = triedValues.findIndex(({ fills }) => fills > 0);
    const start = name === 'size' ? Math.max(0, firstTrading) : 0;
    this.scanned = triedValues.slice(start);
    const firstLoss = this.scanned.findIndex((tried) => !isGain(tried));
    this.bracket = firstLoss > 0 ? [this.scanned[firstLoss - 1]!, this.scanned[firstLoss]!] : null;
  }

  /** Replaces one end of the bracket by the value between both. */
  private addMiddle(middle: ProfitAtCost): void {
    const [low, high] = this.bracket!;
    this.bracket = isGain(middle) ? [middle, high] : [low, middle];
  }

  /** Returns the result. Call it only when `next` returns no more values. */
  outcome(): SearchOutcome {
    const { scanned, bracket } = this;
    assert(scanned.length > 0 && this.next().length === 0, 'the search has ended');
    const neighbours = scanned.slice(1).map((tried, index) => ({ lower: scanned[index]!, higher: tried }));
    const first = scanned[0]!;
    const last = scanned.at(-1)!;
    const reasonWithoutBracket = isGain(first) ? 'never' : 'already-negative';
    return {
      reason: bracket === null ? reasonWithoutBracket : null,
      crossings: neighbours.filter(({ lower, higher }) => isGain(lower) !== isGain(higher)).length,
      isMonotone: neighbours.every(({ lower, higher }) => higher.netUnits <= lower.netUnits),
      firstSteps: first.steps,
      lastSteps: last.steps,
      bracket,
      decisive: bracket ?? [first, last],
    };
  }
}

/** True when a run made a profit. */
const isGain = ({ netUnits }: VariantResult): boolean => netUnits > 0;
