// The search for the smallest value of one cost at which the net profit is at most 0: a scan, then bisection inside the first bracket.

import { assert } from '../../../base/assert.ts';
import type { BreakEvenReason } from '../../../report/metrics/breakEven.ts';
import type { Cost } from './costs.ts';

/** The result of a run with one value of a cost. */
export interface VariantResult {
  readonly netUnits: number;
  readonly fills: number;
}

/** A value in steps, and the run with it. */
export interface TriedValue extends VariantResult {
  readonly steps: number;
}

/** What a search has found. */
export interface SearchOutcome {
  readonly reason: BreakEvenReason | null;
  readonly crossings: number;
  readonly isMonotone: boolean;
  readonly first: number;
  readonly last: number;
  /** Net profit above 0 at the first, at most 0 at the second; null with a reason. */
  readonly bracket: readonly [TriedValue, TriedValue] | null;
  /** The two values on which the outcome rests: those of the bracket, or the first and the last. */
  readonly decisive: readonly [TriedValue, TriedValue];
}

/** The search for one cost. `next` says which values to try, `outcome` gives the result. */
export class CostSearch {
  /** The cost that is searched. */
  readonly cost: Cost;
  /** The scanned values, from the start of the range on. */
  private scanned: readonly TriedValue[] = [];
  private bracket: readonly [TriedValue, TriedValue] | null = null;

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

  /** Takes the results of the values that `next` has returned, in their order. */
  take(results: readonly VariantResult[]): void {
    const triedValues = this.next().map((steps, index): TriedValue => ({ steps, ...results[index]! }));
    assert(results.length === triedValues.length && triedValues.length > 0, 'a search takes a result for each value that it asked for');
    if (this.scanned.length === 0) this.takeScan(triedValues);
    else this.takeMiddle(triedValues[0]!);
  }

  /** Takes the results of the first scan, and finds the two neighbours between which the profit falls to 0. */
  private takeScan(triedValues: readonly TriedValue[]): void {
    const { name } = this.cost;
    // Sizes so small that nothing fills say nothing of the strategy: the range begins at the first one that trades.
    const from =
      name === 'size'
        ? Math.max(
            0,
            triedValues.findIndex(({ fills }) => fills > 0),
          )
        : 0;
    this.scanned = triedValues.slice(from);
    const firstLoss = this.scanned.findIndex((each) => !isGain(each));
    this.bracket = firstLoss > 0 ? [this.scanned[firstLoss - 1]!, this.scanned[firstLoss]!] : null;
  }

  private takeMiddle(middle: TriedValue): void {
    const [low, high] = this.bracket!;
    this.bracket = isGain(middle) ? [middle, high] : [low, middle];
  }

  /** Returns the result. Call it only when `next` returns no more values. */
  outcome(): SearchOutcome {
    const { scanned, bracket } = this;
    assert(scanned.length > 0 && this.next().length === 0, 'the search has ended');
    const pairs = scanned.slice(1).map((each, index) => [scanned[index]!, each] as const);
    const first = scanned[0]!;
    const last = scanned.at(-1)!;
    const reasonWithoutBracket = isGain(first) ? 'never' : 'already-negative';
    return {
      reason: bracket === null ? reasonWithoutBracket : null,
      crossings: pairs.filter(([a, b]) => isGain(a) !== isGain(b)).length,
      isMonotone: pairs.every(([a, b]) => b.netUnits <= a.netUnits),
      first: first.steps,
      last: last.steps,
      bracket,
      decisive: bracket ?? [first, last],
    };
  }
}

const isGain = ({ netUnits }: VariantResult): boolean => netUnits > 0;
