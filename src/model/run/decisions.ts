// The decisions of strategies during a run: entries with their brackets, exits and cancels, oldest first.

import type { Ladder } from '../order.ts';

/** The kinds of decisions. Columns have the position in this list. */
export const DECISIONS = ['order', 'exit', 'cancel'] as const;
/** One of the kinds of decisions. */
export type DecisionKind = (typeof DECISIONS)[number];

/** Decisions as columns of `length` rows. Figures are integers in the scales of the instrument. A price is 0 if the strategy gave none. */
export interface DecisionColumns {
  readonly length: number;
  /** Index into DECISIONS. */
  readonly kind: Float64Array;
  /** Id of the order, or of the order to cancel. 0 for an exit. */
  readonly id: Float64Array;
  readonly strategy: Float64Array;
  readonly instrument: Float64Array;
  readonly timeMs: Float64Array;
  /** 1 for a buy, -1 for a sell. */
  readonly sign: Float64Array;
  readonly lots: Float64Array;
  readonly quoteUnits: Float64Array;
  /** Limit price. For a market order, the price of its collar, or 0. */
  readonly limit: Float64Array;
  readonly takeProfit: Float64Array;
  readonly stopLoss: Float64Array;
  readonly trailing: Float64Array;
  readonly trigger: Float64Array;
  /** Sum of DECISION_FLAGS. */
  readonly flags: Float64Array;
  /** By the id of the order: its several targets. */
  readonly ladders: ReadonlyMap<number, Ladder>;
}

/** `trailsOtherwise` marks a trailing stop in percent, or one that begins at a price. */
export const DECISION_FLAGS = {
  limit: 1,
  reduceOnly: 2,
  triggersAbove: 4,
  timeInForce: 8,
  sizedByEquity: 16,
  trailsOtherwise: 32,
} as const;

/** The decisions of a run. */
export interface RunDecisions extends DecisionColumns {
  /** Inputs of the decisions besides bars, as text: `its position`, `its equity`. Empty if they depended only on bars. */
  readonly dependsOn: readonly string[];
}
