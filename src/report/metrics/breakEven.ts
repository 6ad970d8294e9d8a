// Break-even of a run: the fee, slippage, latency and size at which its net profit is used up (docs/breakeven.md).

import type { Money } from '../series/money.ts';

export const BREAK_EVEN_COSTS = ['fee', 'slippage', 'latency', 'size'] as const;
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
  /** Number of fills at both values. Without any, the account could not pay for the orders, or they were below the smallest size. */
  readonly fillsLow: number;
  readonly fillsHigh: number;
}

export interface BreakEvenPoint {
  /** The smallest value found at which the net profit is at most 0; null: see `reason`. In `unit`. */
  readonly value: number | null;
  readonly reason: BreakEvenReason | null;
  /** How often the net profit changes between above 0 and at most 0 over the scanned values. */
  readonly crossings: number;
  /** True when the net profit never rises from one scanned value to the next; null: nothing was scanned. */
  readonly monotone: boolean | null;
  /** bp: hundredths of a percent; x: multiples of the sizes that the strategies ask for. */
  readonly unit: 'bp' | 'ms' | 'x';
  /** The first and the last scanned value; null: nothing was scanned. */
  readonly range: readonly [number, number] | null;
  readonly bracket: BreakEvenBracket | null;
  /** What the run itself has, in `unit`; `ticks` is in ticks. */
  readonly own: Readonly<Record<string, number | boolean>>;
}

export type BreakEven = Readonly<Record<BreakEvenCost, BreakEvenPoint>>;
