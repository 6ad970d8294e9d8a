// What a book reports of the rules by which it fills and ends orders, for a run that is made again to be explained.

import type { Fill } from '../../model/fill.ts';
import type { Side, TimeInForce } from '../../model/order.ts';

/** Rules of docs/matching.md, by their numbers there. */
export const MATCHING_RULE = {
  /** A market order at the next open, or one that buys nothing or lies beyond its collar. */
  market: 4,
  /** A limit that is marketable at the open. */
  open: 5,
  /** A resting limit that the open has jumped over. */
  gap: 6,
  /** A resting limit that the row trades through. */
  limit: 7,
  /** A stop at its level, or at an open beyond it. */
  stop: 8,
  /** Legs of an entry that filled at the open of the same row, or inside it. */
  legAtOpen: 9,
  legMidBar: 10,
  /** What the cap on the share of a row's volume allows. */
  share: 11,
  slippage: 12,
  /** IOC and FOK. */
  inForce: 13,
  postOnly: 14,
  /** What the account can back. */
  funds: 15,
  /** The row fires a trigger order. */
  fired: 16,
  /** The order of a trigger is executed at once. */
  child: 17,
  /** A position without its margin, and the price at which it is closed. */
  liquidation: 19,
  liquidationPrice: 20,
  /** A stop entry that the bot watches, at its level or at an open beyond it. */
  stopEntry: 30,
} as const;
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

/** Called while a book works. Nothing that it does may change the book. */
export interface MatchTracer {
  /** The book is about to act on an order by a rule, at the price `quoted` before slippage. What it does follows. */
  acts(order: TracedOrder, rule: MatchingRule, quoted: number, timeMs: number): void;
  /** A fill is booked. `budgetLots`: what the cap on volume leaves of the row; Infinity without a cap. */
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
