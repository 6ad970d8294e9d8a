// What a kill knows about the orders of its bot.

import type { InstrumentId, Market } from '../../../model/instrument.ts';
import type { OwnOrders } from '../plan/killPlan.ts';

/** What the bot or its journal knows when a kill begins. */
export interface KillOrders {
  /** Null: there is no journal that shows which orders are own ones. */
  readonly own: OwnOrders | null;
  /** Venue order ids of orders that may be open. */
  readonly open: ReadonlyMap<InstrumentId, readonly string[]>;
  /** Ids of trigger orders that wait, or may wait. */
  readonly waiting: ReadonlyMap<InstrumentId, readonly string[]>;
  /** By market: until when the exchange may have admitted an order of unknown outcome, venue ms. */
  readonly unknownUntilMs: Readonly<Partial<Record<Market, number>>>;
}

export const NOTHING_KNOWN: KillOrders = { own: null, open: new Map(), waiting: new Map(), unknownUntilMs: {} };
