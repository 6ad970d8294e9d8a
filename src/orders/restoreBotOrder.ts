// Orders as a restarting bot reads them from its journal, in whole numbers, and the conversion of each into the bot's own record.

import type { Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Ladder, OrderId, OrderIntent, VenueOrderId } from '../model/order.ts';
import type { OrderEnd, ReplacedOrder } from './drafts.ts';
import { STATE } from './lifecycle.ts';
import { BotOrder } from './botOrder.ts';

/** The cause of an order that was journalled and never signed. */
export const NEVER_LEFT = 'no request of it can have left';

/** An order that was unfinished when the bot ended, or that may still arrive. */
export interface RestoredOrder extends OrderIntent {
  readonly id: OrderId;
  readonly strategy: number;
  readonly instrumentIndex: number;
  readonly parent: OrderId;
  readonly takeProfit: Ticks;
  readonly ladder?: Ladder | null;
  readonly stopLoss: Ticks;
  readonly trailing: Ticks;
  readonly trailingPpm: number;
  readonly trailingFrom: Ticks;
  /** For a stop leg, or a stop entry that was sent: the price that triggered it. 0 for any other order. */
  readonly firedAtTicks: Ticks;
  /** For a trigger order: its trigger price. 0 for any other order. */
  readonly triggerTicks: Ticks;
  /** Undefined when a journal of an earlier version does not contain it. */
  readonly triggersAbove: boolean | undefined;
  /** 0: it takes the place of no other order. */
  readonly amends: OrderId;
  readonly createdMs: TimeMs;
  /** The latest time at which its request can have been signed. */
  readonly signMs: number;
  readonly venueId: VenueOrderId | null;
  readonly filledLots: Lots;
  readonly filledUnits: Units;
  /** For an entry with a take-profit: the filled lots for which no take-profit was sent. */
  readonly pendingTargetLots: Lots;
  /**
   * `sent`: its reply is in later records. `notSent`: no byte of its request can have left. `provenAbsent`, `refused`: it ended in this
   * way at `endMs`, not long ago.
   */
  readonly state: 'sent' | 'notSent' | 'unknown' | 'working' | 'cancelSent' | 'provenAbsent' | 'refused';
  /** NaN for an order that has not ended. */
  readonly endMs: number;
}

/** A draft that waits until other orders have ended. */
export interface RestoredDraft {
  readonly order: BotOrder;
  /** Orders that have to end first. */
  readonly ahead: readonly OrderId[];
  /** For a replacement: the old order. */
  readonly replaced: ReplacedOrder | null;
  /** The lots to hold, negative for short; NaN for a replacement. */
  readonly targetLots: number;
  /** How the orders of `ahead` that have ended did so, by id. */
  readonly ended: ReadonlyMap<number, OrderEnd>;
}

/** The orders of a journal that a restarting bot continues with. */
export interface RestoredOrders {
  /** The highest order number used. The next order must exceed it, because its client order id is made of the number. */
  readonly lastOrder: number;
  /** Oldest first. */
  readonly orders: readonly RestoredOrder[];
  /** Oldest first; absent when there are none. */
  readonly drafts?: readonly RestoredDraft[];
}

/** The lifecycle, as a number of `STATE`, in which a restored order continues. */
const RESTORED_STATES = {
  sent: STATE.sent,
  notSent: STATE.sent,
  unknown: STATE.unknown,
  working: STATE.working,
  cancelSent: STATE.cancelSent,
  provenAbsent: STATE.done,
  refused: STATE.done,
};

/** Returns the record of a restored order, as it was when the bot ended. */
export function restoreBotOrder(order: RestoredOrder): BotOrder {
  const record = new BotOrder();
  record.begin(order.id, order.strategy, order.instrument, order.instrumentIndex, order.side, order.createdMs);
  record.role = order.role;
  record.lots = order.lots;
  record.quoteUnits = order.quoteUnits;
  record.limit = order.limit;
  record.reduceOnly = order.reduceOnly;
  record.timeInForce = order.timeInForce;
  record.slot = order.slot;
  record.parent = order.parent;
  record.takeProfit = order.takeProfit;
  record.ladder = order.ladder ?? null;
  record.stopLoss = order.stopLoss;
  record.trailing = order.trailing;
  record.trailingPpm = order.trailingPpm;
  record.trailingFrom = order.trailingFrom;
  record.isGuarded = order.takeProfit > 0 || order.stopLoss > 0 || order.trailing > 0;
  record.firedAtTicks = order.firedAtTicks;
  record.triggerTicks = order.triggerTicks;
  record.triggersAbove = order.triggersAbove === true;
  record.amends = order.amends;
  record.venueId = order.venueId;
  record.filledLots = order.filledLots;
  record.filledUnits = order.filledUnits;
  record.state = RESTORED_STATES[order.state];
  record.wasUnknown = order.state === 'unknown' || order.state === 'provenAbsent';
  if (order.state === 'provenAbsent' || order.state === 'refused') {
    record.reason = order.state === 'provenAbsent' ? 'noEffect' : 'refused';
    record.confirmed = true;
  }
  return record;
}
