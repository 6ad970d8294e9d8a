// The pooled record of one order. The engine writes its intent; from then on only the order manager changes it. Later orders reuse it.

import type { Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Instrument } from '../model/instrument.ts';
import type { DoneReason, Ladder, Lifecycle, OrderId, OrderRole, Side, StrategyIndex, TimeInForce, VenueOrderId } from '../model/order.ts';
import { LIFECYCLES, STATE } from './lifecycle.ts';
import type { ReservedOrder } from './reserve/worstCase.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** First value of amounts, prices and times. Hot: docs/performance.md#double-fields. */
const FRACTION = 0.5;
// hot: docs/performance.md#imported-constants
const DRAFT = STATE.draft;

/**
 * The record of one order. docs/order-safety.md has its lifecycle. `Order` (src/model/order.ts) explains the fields that have no comment here.
 * Prices are in ticks.
 */
export class BotOrder implements ReservedOrder {
  id = 0 as OrderId;
  strategy = 0 as StrategyIndex;
  instrument!: Instrument;
  instrumentIndex = 0;
  side: Side = 'buy';
  sign: 1 | -1 = 1;
  role: OrderRole = 'market';
  lots = FRACTION as Lots;
  quoteUnits = FRACTION as Units;
  limit = FRACTION as Ticks;
  reduceOnly = false;
  timeInForce: TimeInForce | null = null;
  slot = '';
  parent = 0 as OrderId;
  /** Prices of the bracket's legs, and the distance of its trailing stop, in ticks; 0 for none. */
  takeProfit = FRACTION as Ticks;
  stopLoss = FRACTION as Ticks;
  trailing = FRACTION as Ticks;
  /** The trailing distance as millionths of the best price, 0 for none; then `trailing` is the smallest distance. */
  trailingPpm = 0;
  /** The trailing stop begins once the best price has reached this; 0: at the entry. */
  trailingFrom = 0 as Ticks;
  /** Several targets instead of one. `takeProfit` is then the price of the nearest one. */
  ladder: Ladder | null = null;
  /** True when the order has a take-profit, a stop or a trailing stop, so that its fills are protected. */
  isGuarded = false;
  /** The price that triggered a stop leg; 0 for any other order. It is only reported: the leg itself is a market order. */
  firedAtTicks = FRACTION as Ticks;

  /** The trigger price of a trigger order; 0 for any other order. */
  triggerTicks = FRACTION as Ticks;
  /** True when the price has to rise to the trigger. */
  triggersAbove = false;
  /** Id of the trigger order that this one replaces, and that is cancelled once the exchange holds this one (stops/amendedTriggers.ts); 0 for any other order. */
  amends = 0 as OrderId;
  /** How much smaller the order was made to give it a unique fingerprint, in lots, or in units for an order by amount. */
  fingerprintOffset = 0;

  /** The lifecycle, as a number of `STATE`. */
  state: number = DRAFT;
  /** Why the order is done; null before. */
  reason: DoneReason | null = null;
  /** True once the end of the order is certain. */
  confirmed = false;
  venueId: VenueOrderId | null = null;
  filledLots = FRACTION as Lots;
  filledUnits = FRACTION as Units;
  createdMs = FRACTION as TimeMs;
  changedMs = FRACTION as TimeMs;
  /** When the venue received it; NaN until then. */
  arrivedMs = NAN;
  /** Worst case of the unfilled remainder, once it is assessed. Only the reservations write it (`ReservedOrder` explains each field). */
  worstTicks = FRACTION;
  worstLots = FRACTION;
  worstUnits = FRACTION;
  worstCash = FRACTION;
  isReserved = false;
  /** True when a cancel was requested but the venue's id is not known yet. */
  wantsCancel = false;
  /** True once the outcome of the order was unknown, also after it is resolved. */
  wasUnknown = false;
  /** The stable code of a denial or refusal. */
  code: string | null = null;
  /** In the pool: the next free record. */
  nextFree: BotOrder | null = null;
  /** True when no order uses it. */
  isFree = true;

  /** The lifecycle by its name. */
  get lifecycle(): Lifecycle {
    return LIFECYCLES[this.state]!;
  }

  /** True when it ended without having been at the exchange, as far as the bot knows. */
  get isWithoutEffect(): boolean {
    return this.reason === 'noEffect' || this.reason === 'refused' || this.reason === 'notSent';
  }

  /** Makes the record a new draft. The caller then writes the order intent. */
  begin(id: number, strategyIndex: number, instrument: Instrument, instrumentIndex: number, side: Side, nowMs: number): void {
    this.isFree = false;
    this.id = id as OrderId;
    this.strategy = strategyIndex as StrategyIndex;
    // It is mostly the instrument of the order before.
    // hot: docs/performance.md#equal-references
    if (this.instrument !== instrument) this.instrument = instrument;
    this.instrumentIndex = instrumentIndex;
    this.side = side;
    this.sign = side === 'buy' ? 1 : -1;
    this.role = 'market';
    this.lots = 0 as Lots;
    this.quoteUnits = 0 as Units;
    this.limit = 0 as Ticks;
    this.reduceOnly = false;
    this.timeInForce = null;
    this.slot = '';
    this.parent = 0 as OrderId;
    this.takeProfit = 0 as Ticks;
    this.stopLoss = 0 as Ticks;
    this.trailing = 0 as Ticks;
    this.trailingPpm = 0;
    this.trailingFrom = 0 as Ticks;
    if (this.ladder !== null) this.ladder = null;
    this.isGuarded = false;
    this.firedAtTicks = 0 as Ticks;
    this.triggerTicks = 0 as Ticks;
    this.triggersAbove = false;
    this.amends = 0 as OrderId;
    this.fingerprintOffset = 0;
    this.state = DRAFT;
    this.reason = null;
    this.confirmed = false;
    this.venueId = null;
    this.filledLots = 0 as Lots;
    this.filledUnits = 0 as Units;
    this.createdMs = this.changedMs = nowMs as TimeMs;
    this.arrivedMs = NAN;
    this.isReserved = false;
    this.wantsCancel = false;
    this.wasUnknown = false;
    this.code = null;
  }
}

/** True when the exchange's lists cannot distinguish the two orders (order-safety, section 6). */
export function hasSameFingerprint(order: BotOrder, other: BotOrder): boolean {
  return (
    order.instrumentIndex === other.instrumentIndex &&
    order.side === other.side &&
    order.limit === other.limit &&
    order.triggerTicks === other.triggerTicks &&
    order.lots === other.lots &&
    order.quoteUnits === other.quoteUnits
  );
}

/** True when a cancel of the order was requested. */
export const isUnderCancel = ({ state, wantsCancel }: BotOrder): boolean => state === STATE.cancelSent || wantsCancel;
