// The explanation of a bar or an order by `isobar why`, as data. Times are ms UTC; prices, quantities and money are exact decimals as text.

import type { RuleVerdict } from '../../../risk/explain.ts';

/** The question: a bar by a time and a symbol, or an order by its number. */
export interface Question {
  readonly atMs: number | null;
  readonly symbol: string | null;
  readonly order: number | null;
}

/** The bar that is explained. Prices and volume are decimals as numbers. */
export interface ExplainedBar {
  /** Id of the instrument, such as `spot:BTCUSDT`. */
  readonly instrument: string;
  readonly feed: string;
  readonly interval: string;
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** An indicator or a signal at the close of the bar. */
export interface ExplainedValue {
  /** Id of the instrument, and the interval. */
  readonly feed: string;
  /** The name in reports, such as `sma(close, 10)`. */
  readonly name: string;
  /** Names of the strategy's fields that hold the indicator or signal. */
  readonly fields: readonly string[];
  /** Null: not ready. */
  readonly value: number | boolean | null;
  readonly prev: number | boolean | null;
}

/** The state of a signal at the bar. `not-ready`: its indicators have too few bars. */
export type SignalState = 'true' | 'false' | 'not-ready';

/** One operand of a condition. A list of operands has the order of the condition's text, each before its own operands. */
export interface ExplainedOperand {
  readonly text: string;
  /** Nesting depth in the condition; 0 is the condition itself. */
  readonly depth: number;
  readonly state: SignalState;
  /** The numbers that the operand compares, such as `sma(close, 10) 101.5, sma(close, 30) 99.75`; empty for an operand that combines conditions. */
  readonly figures: string;
}

/** Why a condition has not fired since the last trade. */
export interface ExplainedWait {
  /** The first operand that was not true at the first bar after the last trade. `firstMs`: the open of that bar, ms UTC. */
  readonly first: string;
  readonly firstMs: number;
  /** For each operand, the number of bars at which it was the first that was not true. */
  readonly bars: readonly { readonly operand: string; readonly bars: number }[];
}

/** A condition of `when`. */
export interface ExplainedWhen {
  /** The number of the condition in the strategy, from 1. */
  readonly number: number;
  readonly feed: string;
  readonly text: string;
  /** Names of the strategy's fields that hold the condition. */
  readonly fields: readonly string[];
  readonly state: SignalState;
  /** True when its handler was called at this bar. */
  readonly fired: boolean;
  /** The first operand that is not true; null if the condition is true. */
  readonly firstFalse: string | null;
  readonly operands: readonly ExplainedOperand[];
  /** Null when the condition is true at this bar, or no bar has passed since the last trade. */
  readonly sinceTrade: ExplainedWait | null;
}

/** A field of a strategy, or a member of its kept state. */
export interface ExplainedField {
  readonly name: string;
  /** The value as JSON-like text, or a name for a value that is not plain data. */
  readonly before: string;
  readonly after: string;
  readonly isKept: boolean;
  /** True for a feed, a series or a signal, and for a group of them. */
  readonly isView: boolean;
}

/** A value that a strategy read at the bar, or a call that the strategy made. A list of calls is in order of time. */
export interface ExplainedCall {
  /** The callback in which it happened: `when 1`, `onBar`, `onFill`, ... */
  readonly during: string;
  readonly kind: 'read' | 'call';
  readonly text: string;
  /** The value read, or the result of the call; empty for none. */
  readonly result: string;
}

/** What one strategy saw and did at the bar. */
export interface ExplainedStrategy {
  readonly name: string;
  /** Position in the run, from 0. */
  readonly index: number;
  /** Why the strategy got no callbacks; null: the strategy runs. */
  readonly waits: string | null;
  readonly values: readonly ExplainedValue[];
  readonly when: readonly ExplainedWhen[];
  readonly fields: readonly ExplainedField[];
  readonly calls: readonly ExplainedCall[];
  /** Time of the strategy's newest fill before the close of the bar, ms UTC; null: none. */
  readonly lastTradeMs: number | null;
  /** Why the strategy placed no order; null: the strategy placed one. */
  readonly noTrade: readonly string[] | null;
}

/** What happened to an order, with the rule of docs/matching.md that acted. A `liquidation` is the fill of an order that the venue made itself. */
export interface ExplainedEvent {
  readonly timeMs: number;
  readonly order: number | null;
  /** True when the event happened during the bar, or with the decisions at its close. */
  readonly inBar: boolean;
  readonly kind: 'arrived' | 'refused' | 'fill' | 'canceled' | 'liquidation' | 'ended' | 'notSent' | 'unknown';
  /** Number in docs/matching.md; null: no rule of matching acted, or the exchange does not say. */
  readonly rule: number | null;
  /** Numbers of further rules that took part. */
  readonly also: readonly number[];
  readonly price: string | null;
  readonly quantity: string | null;
  readonly fee: string | null;
  readonly isMaker: boolean | null;
  /** The trade id of a fill, as the venue gave it; null for any other event. */
  readonly tradeId: string | null;
  readonly code: string | null;
  readonly text: string;
}

/** An order with its verdict, its terms and its outcome. */
export interface ExplainedOrder {
  readonly order: number;
  readonly strategy: number;
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly role: string;
  readonly quantity: string | null;
  readonly quoteAmount: string | null;
  readonly price: string | null;
  readonly reduceOnly: boolean;
  readonly parent: number | null;
  readonly tag: string;
  readonly createdMs: number;
  readonly verdict: 'approved' | 'denied' | 'none';
  /** The code of a denial or a refusal. */
  readonly code: string | null;
  readonly rules: readonly RuleVerdict[];
  /** As in orders.csv. */
  readonly ending: string;
  readonly filledQuantity: string;
  readonly events: readonly ExplainedEvent[];
}

/** The whole answer of `isobar why`. */
export interface Explanation {
  readonly source: 'run' | 'bot';
  readonly folder: string;
  readonly name: string;
  readonly question: Question;
  readonly bar: ExplainedBar;
  readonly strategies: readonly ExplainedStrategy[];
  /** Orders that were decided at the bar; for a question about an order, that order first. */
  readonly orders: readonly ExplainedOrder[];
  /** The acts of the venue during the bar, for all orders. */
  readonly venue: readonly ExplainedEvent[];
  readonly notes: readonly string[];
}
