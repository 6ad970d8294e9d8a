// What a kill knows of the orders of its bot.

import type { InstrumentId, Market } from '../../../model/instrument.ts';
import type { OwnOrders } from '../plan/killPlan.ts';

/** What the bot, or its journal, knows when a kill begins. */
export interface KillOrders {
  /** Null: no journal tells which orders are ours. */
  readonly own: OwnOrders | null;
  /** Venue ids of orders that may be open. */
  readonly open: ReadonlyMap<InstrumentId, readonly string[]>;
  /** Ids under which condition orders wait, or may. */
  readonly waiting: ReadonlyMap<InstrumentId, readonly string[]>;
  /** By market: until when the exchange can have admitted an order whose fate is not known, venue ms. */
  readonly unknownUntilMs: Readonly<Partial<Record<Market, number>>>;
}

export const NOTHING_KNOWN: KillOrders = { own: null, open: new Map(), waiting: new Map(), unknownUntilMs: {} };
