// The pooled record of one order: made once, used again by later orders, changed by `orders` alone.

import type { Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Instrument } from '../model/instrument.ts';
import type { DoneReason, Lifecycle, OrderId, OrderRole, Side, StrategyIndex, TimeInForce, VenueOrderId } from '../model/order.ts';
import { LIFECYCLES, STATE } from './lifecycle.ts';
import type { Reserved } from './reservation.ts';

/** What a strategy wants, filled in by the engine and copied by `draft`: one object for all intents of a run. */
export interface IntentDraft {
  instrument: Instrument;
  /** Position of the instrument in the run. */
  instrumentIndex: number;
  side: Side;
  role: OrderRole;
  lots: Lots;
  quoteUnits: Units;
  limit: Ticks;
  reduceOnly: boolean;
  timeInForce: TimeInForce | null;
  slot: string;
  /** The entry whose bracket leg this is; 0 for an order of its own. */
  parent: OrderId;
  /** Bracket prices and trailing distance in ticks; 0 for none. */
  takeProfit: Ticks;
  stopLoss: Ticks;
  trailing: Ticks;
  /** The price that set a stop leg off; 0 for an order of its own. For readers: the leg itself is a market order. */
  trigger: Ticks;
}

export class OrderRecord implements Reserved, IntentDraft {
  id = 0 as OrderId;
  strategy = 0 as StrategyIndex;
  instrument!: Instrument;
  instrumentIndex = 0;
  side: Side = 'buy';
  role: OrderRole = 'market';
  lots = 0 as Lots;
  quoteUnits = 0 as Units;
  limit = 0 as Ticks;
  reduceOnly = false;
  timeInForce: TimeInForce | null = null;
  slot = '';
  parent = 0 as OrderId;
  takeProfit = 0 as Ticks;
  stopLoss = 0 as Ticks;
  trailing = 0 as Ticks;
  trigger = 0 as Ticks;

  /** Position of the lifecycle in LIFECYCLES. */
  state: number = STATE.draft;
  reason: DoneReason | null = null;
  confirmed = false;
  venueId: VenueOrderId | null = null;
  filledLots = 0 as Lots;
  filledUnits = 0 as Units;
  createdMs = 0 as TimeMs;
  changedMs = 0 as TimeMs;
  /** When the venue had it; NaN until then. */
  arrivedMs = NaN;
  /** Worst case of what is still open: written by the reservations alone (reservation.ts says what each is). */
  worstTicks = 0;
  worstLots = 0;
  worstUnits = 0;
  worstCash = 0;
  reserved = false;
  /** A cancel is wanted but the venue's id is not known yet. */
  cancelWanted = false;
  wasUnknown = false;
  /** The stable code of a denial or refusal. */
  code: string | null = null;

  get lifecycle(): Lifecycle {
    return LIFECYCLES[this.state]!;
  }

  /** Makes the record a new draft of `intent`. */
  begin(id: number, strategy: number, intent: IntentDraft, nowMs: number): void {
    this.id = id as OrderId;
    this.strategy = strategy as StrategyIndex;
    this.instrument = intent.instrument;
    this.instrumentIndex = intent.instrumentIndex;
    this.side = intent.side;
    this.role = intent.role;
    this.lots = intent.lots;
    this.quoteUnits = intent.quoteUnits;
    this.limit = intent.limit;
    this.reduceOnly = intent.reduceOnly;
    this.timeInForce = intent.timeInForce;
    this.slot = intent.slot;
    this.parent = intent.parent;
    this.takeProfit = intent.takeProfit;
    this.stopLoss = intent.stopLoss;
    this.trailing = intent.trailing;
    this.trigger = intent.trigger;
    this.state = STATE.draft;
    this.reason = null;
    this.confirmed = false;
    this.venueId = null;
    this.filledLots = 0 as Lots;
    this.filledUnits = 0 as Units;
    this.createdMs = this.changedMs = nowMs as TimeMs;
    this.arrivedMs = NaN;
    this.worstTicks = this.worstLots = this.worstUnits = this.worstCash = 0;
    this.reserved = false;
    this.cancelWanted = false;
    this.wasUnknown = false;
    this.code = null;
  }
}
