// Break-even of a run: the fee, slippage, latency and size at which its net profit falls to 0 (docs/breakeven.md).

import type { Money } from '../series/money.ts';

/** The costs that a break-even search can raise until the result is 0. */
export const BREAK_EVEN_COSTS = ['fee', 'slippage', 'latency', 'size'] as const;
/** One of these costs. */
export type BreakEvenCost = (typeof BREAK_EVEN_COSTS)[number];

/**
 * The reason for a missing value. `already-negative`: the net profit is at most 0 at the start of the range. `never`: it is above 0 at
 * every scanned value. `no-impact-model`: without market impact a larger size costs nothing more.
 */
export type BreakEvenReason = 'already-negative' | 'never' | 'no-impact-model';

/** Two neighbouring values: the net profit is above 0 at `low` and at most 0 at `high`. */
export interface BreakEvenBracket {
  readonly low: number;
  readonly high: number;
  readonly netLow: Money;
  readonly netHigh: Money;
  /** Number of fills at both values. 0: the account could not pay for the orders, or they were below the smallest size. */
  readonly fillsLow: number;
  readonly fillsHigh: number;
}

/** The break-even of one cost. */
export interface BreakEvenPoint {
  /** The smallest value found at which the net profit is at most 0, in `unit`. Null without a break-even: `reason` says why. */
  readonly value: number | null;
  readonly reason: BreakEvenReason | null;
  /** How often the net profit changes between above 0 and at most 0 over the scanned values. */
  readonly crossings: number;
  /** True when the net profit never rises from one scanned value to the next. Null when nothing was scanned. */
  readonly monotone: boolean | null;
  /** `bp`: hundredths of a percent. `x`: multiples of the order sizes that the strategies chose. */
  readonly unit: 'bp' | 'ms' | 'x';
  /** The first and the last scanned value. Null when nothing was scanned. */
  readonly range: readonly [number, number] | null;
  /** The two scanned values around the break-even. Null without a break-even. */
  readonly bracket: BreakEvenBracket | null;
  /** The costs of the run itself, in `unit`. The key `ticks` is in ticks. */
  readonly own: Readonly<Record<string, number | boolean>>;
}

/** The break-even of each cost. */
export type BreakEven = Readonly<Record<BreakEvenCost, BreakEvenPoint>>;
