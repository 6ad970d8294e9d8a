// Types of orders: the intent of a strategy, the bot's record of an order, and the approved order that only risk can make.

import type { Brand, Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Instrument } from './instrument.ts';

/** Number of an order, which counts from 1 and is never reused. Sender and journal turn it into text, the client order id. */
export type OrderId = Brand<number, 'OrderId'>;
/** The venue's id of an order. It is text if it came over a wire, because such ids exceed 2^53, and a number in a simulated venue. */
export type VenueOrderId = Brand<string | number, 'VenueOrderId'>;
/** An order that has ended, as a later process knows it. */
export interface EndedOrder {
  /** Id of its instrument. */
  readonly symbol: string;
  /** The venue order id that it had. */
  readonly orderId: string;
  /** True if it closed a position. */
  readonly closes: boolean;
}

/** Position of the strategy in the run definition, from 0. */
export type StrategyIndex = Brand<number, 'StrategyIndex'>;
/** Side of an order. */
export type Side = 'buy' | 'sell';
/**
 * How long an order may work: fill at once what is possible (IOC), fill at once in full or not at all (FOK), rest and never take
 * (POST_ONLY).
 */
export type TimeInForce = 'IOC' | 'FOK' | 'POST_ONLY';
/**
 * The purpose of an order: `market` by amount or by quantity, `limit`, the legs of a bracket, the exchange's `liquidation` of a position, and
 * `condition`, a trigger order that is not a stop-loss.
 */
export type OrderRole = 'market' | 'limit' | 'takeProfit' | 'stopLoss' | 'trailing' | 'liquidation' | 'condition';

/** The trade that a strategy asks for, in whole numbers. Exactly one of `lots` and `quoteUnits` is above 0. */
export interface OrderIntent {
  readonly instrument: Instrument;
  readonly side: Side;
  readonly role: OrderRole;
  /** Base quantity. 0 when the order is by amount. */
  readonly lots: Lots;
  /** Quote amount of a market buy. 0 when the order is by quantity. */
  readonly quoteUnits: Units;
  /** Limit price. 0 for a market order without a limit. */
  readonly limit: Ticks;
  readonly reduceOnly: boolean;
  readonly timeInForce: TimeInForce | null;
  /** Name of the decision slot, which holds at most one unfinished order. */
  readonly slot: string;
}

/** Code of a market buy by quantity that rested as a limit order, because its collar was below the open of its row. It is no refusal. */
export const CAPPED = 'CAPPED';

/** The state of an order as the bot knows it. docs/order-safety.md has the table of its transitions. */
export type Lifecycle = 'draft' | 'sent' | 'unknown' | 'working' | 'cancelSent' | 'done';
/** Why an order is done. `denied` and `notSent` never left the bot, `noEffect` is proven absent, the others come from the venue. */
export type DoneReason = 'denied' | 'notSent' | 'refused' | 'noEffect' | 'filled' | 'canceled' | 'rejected' | 'expired';

/** One of several targets of an entry. */
export interface Rung {
  /** Price of the target. */
  readonly at: Ticks;
  /** Share of the entry that the target closes. */
  readonly sharePpm: number;
}

/** Several targets of one entry. The fills of the entry go to them in this order. */
export type Ladder = readonly Rung[];

/** The bot's record of one order. Only `orders` changes it, and reuses it for later orders, so a callback must copy the fields that it keeps. */
export interface Order extends OrderIntent {
  readonly id: OrderId;
  readonly strategy: StrategyIndex;
  /** Position of the instrument in the run. */
  readonly instrumentIndex: number;
  readonly lifecycle: Lifecycle;
  readonly reason: DoneReason | null;
  readonly confirmed: boolean;
  readonly venueId: VenueOrderId | null;
  /** The entry to whose bracket this leg belongs. 0 for an order that is not a leg. */
  readonly parent: OrderId;
  /** Base quantity filled until now, independent of the lifecycle. */
  readonly filledLots: Lots;
  /** Notional filled until now, in quote units. */
  readonly filledUnits: Units;
  readonly createdMs: TimeMs;
  readonly changedMs: TimeMs;
  /** For an entry, the price of its take-profit. 0 or absent without one. */
  readonly takeProfit?: Ticks;
  /** For an entry, the price of its stop-loss. 0 or absent without one. */
  readonly stopLoss?: Ticks;
  /** For an entry, the distance of its trailing stop in price. 0 or absent without one. */
  readonly trailing?: Ticks;
  /** For an entry, its targets if there are several. `takeProfit` is then the price of the nearest one. Null or absent otherwise. */
  readonly ladder?: Ladder | null;
  /** For a trailing stop in percent, its distance in millionths of the best price. */
  readonly trailingPpm?: number;
  /** For a trailing stop, the best price from which on it trails. */
  readonly trailingFrom?: Ticks;
  /** True when the order has a bracket: `takeProfit`, `stopLoss` or `trailing` is above 0. */
  readonly isGuarded?: boolean;
  /** For a stop leg, the price that triggered it. */
  readonly firedAtTicks?: Ticks;
  /** For a trigger order, its trigger price. 0 or absent for any other order. */
  readonly triggerTicks?: Ticks;
  /** For a trigger order, true if the price has to rise to the trigger. */
  readonly triggersAbove?: boolean;
  /** The trigger order that this one replaces, because the strategy has amended it. 0 or absent for any other order. */
  readonly amends?: OrderId;
  /** Quantity by which the order was made smaller for a unique fingerprint, in lots, or in units for an order by amount. Absent means 0. */
  readonly fingerprintOffset?: number;
}

declare const approved: unique symbol;
/** An order that risk has approved. Only `risk/approve.ts` can make one. */
export type ApprovedOrder = Order & { readonly [approved]: true };
