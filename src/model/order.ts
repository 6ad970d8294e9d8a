// Orders: what a strategy wants (intent), what the bot believes (order), and the type that only risk can make.

import type { Brand, Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Instrument } from './instrument.ts';

/** Counts up from 1, never reused; its text (client order id) is made by whoever sends or writes. */
export type OrderId = Brand<number, 'OrderId'>;
/** Opaque. Text when it came over a wire (such ids exceed 2^53); a small number when the venue lives in this process. */
export type VenueOrderId = Brand<string | number, 'VenueOrderId'>;
/** Position of the strategy in the run definition, from 0. */
export type StrategyIndex = Brand<number, 'StrategyIndex'>;
export type Side = 'buy' | 'sell';
export type TimeInForce = 'IOC' | 'FOK' | 'POST_ONLY';
/**
 * What an order is to its reader: `market` by amount or by quantity, `limit`, the legs of a bracket, what the exchange does to a position, and a condition
 * order that stops no loss. */
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
  /** Names the decision; at most one unfinished order a slot. */
  readonly slot: string;
}

/** Code of a market buy by quantity whose price cap lay below the open of its row: it rested as a limit order. It is no refusal. */
export const CAPPED = 'CAPPED';

export type Lifecycle = 'draft' | 'sent' | 'unknown' | 'working' | 'cancelSent' | 'done';
export type DoneReason = 'denied' | 'notSent' | 'refused' | 'noEffect' | 'filled' | 'canceled' | 'rejected' | 'expired';

/** The bot's belief of one order: a pooled record that `orders` alone changes. Copy what is needed beyond the call. */
export interface Order extends OrderIntent {
  readonly id: OrderId;
  readonly strategy: StrategyIndex;
  /** Position of the instrument in the run. */
  readonly instrumentIndex: number;
  readonly lifecycle: Lifecycle;
  readonly reason: DoneReason | null;
  readonly confirmed: boolean;
  readonly venueId: VenueOrderId | null;
  /** The order whose bracket this leg belongs to; 0 for an order of its own. */
  readonly parent: OrderId;
  /** Executed so far: base quantity, and its notional in quote units. A fact beside the lifecycle. */
  readonly filledLots: Lots;
  readonly filledUnits: Units;
  readonly createdMs: TimeMs;
  readonly changedMs: TimeMs;
  /** Of an entry, what guards it: prices, and the distance of a trailing stop; of a stop leg, the price that set it off. 0 or absent: none. */
  readonly takeProfit?: Ticks;
  readonly stopLoss?: Ticks;
  readonly trailing?: Ticks;
  /** One of these three is above 0. */
  readonly isGuarded?: boolean;
  readonly firedAtTicks?: Ticks;
  /** Of a condition order, the price that it waits for at the exchange, and whether the price has to rise to it. 0 or absent: none. */
  readonly triggerTicks?: Ticks;
  readonly triggersAbove?: boolean;
  /** Lots, or units of an amount, that were taken off what was wanted, so that no other open order looks the same. Absent: none. */
  readonly fingerprintOffset?: number;
}

declare const approved: unique symbol;
/** An order that risk has approved; `risk/approve.ts` alone can make one. */
export type ApprovedOrder = Order & { readonly [approved]: true };
