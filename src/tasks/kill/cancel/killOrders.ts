// The orders of a bot that a kill knows at its beginning.

import type { InstrumentId, Market } from '../../../model/instrument.ts';
import type { OwnOrders } from '../plan/killPlan.ts';

/** Orders from the bot or from its journal. */
export interface KillOrders {
  /** Null: there is no journal that shows which orders are own ones. */
  readonly own: OwnOrders | null;
  /** Venue order ids of orders that may be open. */
  readonly open: ReadonlyMap<InstrumentId, readonly string[]>;
  /** Ids of trigger orders that wait, or may wait. */
  readonly waiting: ReadonlyMap<InstrumentId, readonly string[]>;
  /** Instruments for which the bot may have sent trigger orders. Lists of waiting ones are read for these contracts alone. */
  readonly triggered: ReadonlySet<InstrumentId>;
  /** Latest time at which the exchange may have admitted an order of unknown outcome, by market; venue ms. */
  readonly unknownUntilMs: Readonly<Partial<Record<Market, number>>>;
}

/** Without a journal, no order is known. */
export const NOTHING_KNOWN: KillOrders = { own: null, open: new Map(), waiting: new Map(), triggered: new Set(), unknownUntilMs: {} };
