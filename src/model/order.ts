// Orders: what a strategy wants (intent), what the bot believes (order), and the type that only risk can make.

import type { Brand, Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Instrument } from './instrument.ts';

/** Counts up from 1, never reused. The code that sends or journals the order makes its text, the client order id. */
export type OrderId = Brand<number, 'OrderId'>;
/** Opaque. Text if it came over a wire, because such ids exceed 2^53; a small number if the venue is in this process. */
export type VenueOrderId = Brand<string | number, 'VenueOrderId'>;
/** Position of the strategy in the run definition, from 0. */
export type StrategyIndex = Brand<number, 'StrategyIndex'>;
export type Side = 'buy' | 'sell';
export type TimeInForce = 'IOC' | 'FOK' | 'POST_ONLY';
/**
 * What an order is for: `market` by amount or by quantity, `limit`, the legs of a bracket, the exchange's `liquidation` of a position, and
 * `condition`, a trigger order that is not a stop-loss.
 */
export type OrderRole = 'market' | 'limit' | 'takeProfit' | 'stopLoss' | 'trailing' | 'liquidation' | 'condition';

/** What a strategy wants, in whole numbers. Exactly one of `lots` and `quoteUnits` is above 0. */
export interface OrderIntent {
  readonly instrument: Instrument;
  readonly side: Side;
  readonly role: OrderRole;
  /** Base quantity; 0 when the order is by amount. */
  readonly lots: Lots;
  /** Quote amount of a market buy; 0 when the order is by quantity. */
  readonly quoteUnits: Units;
  /** Limit price; 0 for a market order without one. */
  readonly limit: Ticks;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce | null;
  /** Names the decision slot; a slot has at most one unfinished order. */
  readonly slot: string;
}

/** Code of a market buy by quantity whose collar lay below the open of its row, so that it rested as a limit order. It is not a refusal. */
export const CAPPED = 'CAPPED';

export type Lifecycle = 'draft' | 'sent' | 'unknown' | 'working' | 'cancelSent' | 'done';
export type DoneReason = 'denied' | 'notSent' | 'refused' | 'noEffect' | 'filled' | 'canceled' | 'rejected' | 'expired';

/** One target of several: its price, and which share of the entry it closes, in millionths. */
export interface Rung {
  readonly at: Ticks;
  readonly sharePpm: number;
}
/** Several targets of one entry, in the order in which they get what it fills. */
export type Ladder = readonly Rung[];

/** The bot's record of one order, pooled and changed only by `orders`. Copy what is needed after the call. */
export interface Order extends OrderIntent {
  readonly id: OrderId;
  readonly strategy: StrategyIndex;
  /** Position of the instrument in the run. */
  readonly instrumentIndex: number;
  readonly lifecycle: Lifecycle;
  readonly reason: DoneReason | null;
  readonly confirmed: boolean;
  readonly venueId: VenueOrderId | null;
  /** The order whose bracket this leg belongs to; 0 if it is not a leg. */
  readonly parent: OrderId;
  /** Filled until now: base quantity, and its notional in quote units. Independent of the lifecycle. */
  readonly filledLots: Lots;
  readonly filledUnits: Units;
  readonly createdMs: TimeMs;
  readonly changedMs: TimeMs;
  /**
   * For an entry, its bracket: prices, and the distance of a trailing stop. For a stop leg, the price that triggered it. 0 or absent: not
   * set.
   */
  readonly takeProfit?: Ticks;
  readonly stopLoss?: Ticks;
  readonly trailing?: Ticks;
  /** Several targets instead of one; `takeProfit` is then the price of the nearest. Null or absent: not several. */
  readonly ladder?: Ladder | null;
  /** For a trailing stop: its distance in millionths of the best price, and the best price from which it holds. */
  readonly trailingPpm?: number;
  readonly trailingFrom?: Ticks;
  /** True when the order has a bracket: one of these three is above 0. */
  readonly isGuarded?: boolean;
  readonly firedAtTicks?: Ticks;
  /** For a trigger order, its trigger price, and whether the price has to rise to it. 0 or absent: not a trigger order. */
  readonly triggerTicks?: Ticks;
  readonly triggersAbove?: boolean;
  /** The trigger order whose place it takes, because the strategy has moved that one. 0 or absent: of none. */
  readonly amends?: OrderId;
  /** How much smaller the order was made for a unique fingerprint, in lots, or in units for an order by amount. Absent: 0. */
  readonly fingerprintOffset?: number;
}

declare const approved: unique symbol;
/** An order that risk has approved. Only `risk/approve.ts` can make one. */
export type ApprovedOrder = Order & { readonly [approved]: true };
