// What strategies asked for during a run: entries with their brackets, exits and cancels, in the order in which they were asked.

/** The kinds of decisions in columns: the position in this list. */
export const DECISIONS = ['order', 'exit', 'cancel'] as const;
export type DecisionKind = (typeof DECISIONS)[number];

/** One row a decision. Integers in the instrument's scales; 0 for a price that was not given. Arrays are `length` long. */
export interface DecisionColumns {
  readonly length: number;
  /** Index into DECISIONS. */
  readonly kind: Float64Array;
  /** The order's id, or that of the order to cancel; 0 for an exit. */
  readonly id: Float64Array;
  readonly strategy: Float64Array;
  readonly instrument: Float64Array;
  readonly timeMs: Float64Array;
  /** 1 for a buy, -1 for a sell. */
  readonly sign: Float64Array;
  readonly lots: Float64Array;
  readonly quoteUnits: Float64Array;
  /** The limit. For a market order: the collar, if it has one. */
  readonly limit: Float64Array;
  readonly takeProfit: Float64Array;
  readonly stopLoss: Float64Array;
  readonly trailing: Float64Array;
  readonly trigger: Float64Array;
  /** Sum of DECISION_FLAGS. */
  readonly flags: Float64Array;
}

/** `trailsOtherwise`: by a trailing stop in percent, or only from a price on. `ladder`: several targets. */
export const DECISION_FLAGS = {
  limit: 1,
  reduceOnly: 2,
  triggersAbove: 4,
  timeInForce: 8,
  sizedByEquity: 16,
  trailsOtherwise: 32,
  ladder: 64,
} as const;

/** What the strategies of a run decided. */
export interface RunDecisions extends DecisionColumns {
  /** What the decisions depended on besides bars, as text: `its position`, `its equity`. Empty: on bars alone. */
  readonly dependsOn: readonly string[];
}
