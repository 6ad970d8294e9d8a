// The interface by which a book reports the rules that fill and end orders, for a run that is repeated to be explained.

import type { Fill } from '../../model/fill.ts';
import type { Side, TimeInForce } from '../../model/order.ts';

/** Rules of docs/matching.md, by their numbers there. */
export const MATCHING_RULE = {
  /** A market order at the next open; also one that buys nothing or whose collar the open lies beyond. */
  market: 4,
  /** A limit that is marketable at the open. */
  open: 5,
  /** A resting limit that the open has jumped over. */
  gap: 6,
  /** A resting limit that the row trades through. */
  limit: 7,
  /** A stop at its level, or at an open beyond it. */
  stop: 8,
  /** Legs of an entry that filled at the open of the same row. */
  legAtOpen: 9,
  /** Legs of an entry that filled inside the row, after its open. */
  legMidBar: 10,
  /** The cap on the share of a row's volume. */
  share: 11,
  /** Slippage of a taker. */
  slippage: 12,
  /** IOC and FOK. */
  inForce: 13,
  /** POST_ONLY. */
  postOnly: 14,
  /** The funds of the account. */
  funds: 15,
  /** A trigger order that the row triggers. */
  fired: 16,
  /** The order that a trigger order places, executed at once. */
  child: 17,
  /** The liquidation of a position, and its price. */
  liquidation: 19,
  liquidationPrice: 20,
  /** A stop entry that the bot watches, at its level or at an open beyond it. */
  stopEntry: 30,
} as const;
/** The number of a matching rule. */
export type MatchingRule = (typeof MATCHING_RULE)[keyof typeof MATCHING_RULE];

/** What a tracer reads of an order of the venue. Prices in ticks, times in ms UTC. */
export interface TracedOrder {
  /** The caller's own number of the order. */
  readonly ref: number;
  readonly instrument: { readonly id: string };
  readonly side: Side;
  /** 0 for a market order. */
  readonly limit: number;
  readonly lots: number;
  readonly quoteUnits: number;
  readonly filledLots: number;
  readonly timeInForce: TimeInForce | null;
  readonly isOpen: boolean;
  /** Arrival at the venue. */
  readonly admittedMs: number;
}

/** Receives reports while a book works. It must not change the book. */
export interface MatchTracer {
  /** The book is about to act on an order by a rule, at the price `quoted` before slippage. The result is reported next. */
  acts(order: TracedOrder, rule: MatchingRule, quoted: number, timeMs: number): void;
  /** A fill is booked. `budgetLots`: the lots that the cap on volume leaves of the row; Infinity without a cap. */
  filled(order: TracedOrder, fill: Fill, budgetLots: number): void;
  /** The order has ended as canceled. */
  ended(order: TracedOrder, timeMs: number, budgetLots: number): void;
  /** A position is liquidated. */
  liquidated(instrument: { readonly id: string }, fill: Fill): void;
}

/** Returns the rule by which the open fills an order without a time in force. */
export function openRule({ limit }: TracedOrder): MatchingRule {
  return limit === 0 ? MATCHING_RULE.market : MATCHING_RULE.open;
}

/** Returns the rule of a time in force. */
export function forceRule(timeInForce: TimeInForce): MatchingRule {
  return timeInForce === 'POST_ONLY' ? MATCHING_RULE.postOnly : MATCHING_RULE.inForce;
}
