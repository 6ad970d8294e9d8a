// Trigger orders of the simulated futures venue: which of them a row triggers, in what order, and the orders that they place.

import { removeAt } from '../../base/removeAt.ts';
import { ConfigError } from '../../base/errors.ts';
import { MAX_EXACT } from '../../base/number/exact.ts';
import { type Instrument, MAX_PRICE_TICKS } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import { MATCHING_RULE } from '../trace/matchTracer.ts';
import type { VenueOrder } from '../venueOrder.ts';
import type { FuturesVenue } from './futuresVenue.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Specification 4.2: 1 stop-loss, 2 take-profit (both close), 3 chase-rise, 4 kill-fall. */
export const TRIGGER_KINDS = ['stopLoss', 'takeProfit', 'rise', 'fall'] as const;
/** One of the kinds of trigger orders. */
export type TriggerKind = (typeof TRIGGER_KINDS)[number];
/** The state of a trigger order. Only a pending one can trigger; `failed`: its order was not accepted. */
export type VenueTriggerStatus = 'pending' | 'expired' | 'triggered' | 'failed' | 'canceled';

/** A trigger order in the books of the venue. */
export interface Trigger {
  readonly id: number;
  readonly account: number;
  readonly kind: TriggerKind;
  /** Trigger price in ticks. */
  readonly price: number;
  /** The order that is placed when it triggers. */
  readonly child: OrderIntent;
  /** Rows that open at or after this time may trigger it. */
  readonly sinceMs: number;
  /** Infinity: it does not expire. */
  readonly expiresMs: number;
  readonly status: VenueTriggerStatus;
  /** Once it has triggered: the child's id at the venue, or the code with which it was refused. */
  readonly childId: number | null;
  readonly code: number;
}
/** The queue's own record of a trigger, which it changes. */
type MutableTrigger = { -readonly [Key in keyof Trigger]: Trigger[Key] };

/** Triggers that a row reaches, in the order in which they were placed. */
export interface ReachedTriggers {
  readonly atOpen: MutableTrigger[];
  readonly afterOpen: MutableTrigger[];
}

/** Receives each trigger that has triggered, failed or expired. A cancel is not reported, because the caller requested it. */
export interface TriggerSink {
  /** `trigger.status` says how it ended. */
  triggerEnded(trigger: Trigger, timeMs: number): void;
}

/** Places the order of a trigger that was reached. Null if the venue has refused it; its `refusal` has the code. */
export type PlaceChild = (trigger: Trigger, timeMs: number) => VenueOrder | null;

/** Codes of the checks at or after the count of waiting triggers, in the order of checks. */
const CODES_AFTER_COUNT: ReadonlySet<number> = new Set([
  VENUE_CODES.tooManyOrders.code,
  VENUE_CODES.closeVolumeExceeded.code,
  VENUE_CODES.balanceNotEnough.code,
]);

/** The order in which triggers act that one row reaches: losses first, then entries, then profits. */
const RANK_OF_KIND: Readonly<{ [Kind in TriggerKind]: number }> = { stopLoss: 0, fall: 1, rise: 1, takeProfit: 2 };

/**
 * The waiting triggers. If a row reaches several of them, their order is pessimistic, because a row does not show it. First come the
 * triggers that the open reaches, as placed. Then, inside the row, come stop-losses, then entries, then take-profits; in each group the
 * nearest to the open first. A MARKET child fills at the trigger price (or at an open beyond it) plus slippage. A LIMIT child fills at once
 * if that price allows it; otherwise it rests from the end of the row on.
 */
export class TriggerQueue {
  /** Code of the last refusal. */
  refusal = 0;
  private readonly venue: FuturesVenue;
  private readonly sink: TriggerSink;
  private readonly maxPending: number;
  private readonly pending: MutableTrigger[] = [];
  private lastId = 0;

  /** `maxPending`: limit on waiting triggers of one account; one more is refused with -1015. */
  constructor(venue: FuturesVenue, sink: TriggerSink, maxPending: number) {
    if (!(Number.isSafeInteger(maxPending) && maxPending > 0)) {
      throw new ConfigError(
        `maxTriggers: expected a whole number above 0, got ${maxPending}`,
        'set the largest number of waiting triggers',
      );
    }
    this.venue = venue;
    this.sink = sink;
    this.maxPending = maxPending;
  }

  /**
   * Places a trigger. Null: refused, see `refusal`. Checks that may change until the child is placed are made only then.
   */
  place(accountIndex: number, kind: TriggerKind, price: number, child: OrderIntent, sinceMs: number, expiresMs = INFINITY): Trigger | null {
    const code = this.check(accountIndex, kind, price, child);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const trigger: MutableTrigger = {
      id: ++this.lastId,
      account: accountIndex,
      kind,
      price,
      child: { ...child },
      sinceMs,
      expiresMs,
      status: 'pending',
      childId: null,
      code: 0,
    };
    this.pending.push(trigger);
    return trigger;
  }

  /** Restores a trigger of an earlier process; call it for the oldest first. A trigger that waited continues to wait. */
  restore(trigger: Trigger): void {
    this.lastId = Math.max(this.lastId, trigger.id);
    if (trigger.status === 'pending') this.pending.push(trigger);
  }

  /** Cancels a waiting trigger. Null: there is no such trigger, `refusal` is -1112. */
  cancel(accountIndex: number, id: number): Trigger | null {
    const index = this.pending.findIndex((trigger) => trigger.id === id && trigger.account === accountIndex);
    const trigger = this.pending[index];
    if (trigger === undefined) {
      this.refusal = VENUE_CODES.noPendingOrder.code;
      return null;
    }
    removeAt(this.pending, index);
    trigger.status = 'canceled';
    return trigger;
  }

  /** Returns the waiting triggers, newest first, of one instrument or of all. */
  list(accountIndex: number, instrument: Instrument | null = null): readonly Trigger[] {
    return this.pending
      .filter(({ account: owner, child }) => owner === accountIndex && (instrument === null || child.instrument === instrument))
      .toReversed();
  }

  /** True when a row of the instrument could trigger something. */
  waits(instrument: Instrument): boolean {
    return this.pending.some(({ child }) => child.instrument === instrument);
  }

  /**
   * Call between `matchOpen` and `matchRange` of the book: executes the triggers that the row reaches. Prices in ticks; triggers that
   * arrived after `openMs` wait. `place`: replaces the venue's `place`, for a caller that keeps its own orders; null if the venue has
   * refused.
   */
  fireInRow(
    instrument: Instrument,
    openMs: number,
    closeMs: number,
    open: number,
    high: number,
    low: number,
    place = this.placeChild,
  ): void {
    const { atOpen, afterOpen } = this.reachedBy(instrument, openMs, open, high, low);
    for (const trigger of atOpen) this.fire(trigger, open, openMs, place);
    const distance = (trigger: Trigger): number => Math.abs(trigger.price - open);
    afterOpen.sort((a, b) => triggerRank(a) - triggerRank(b) || distance(a) - distance(b) || a.id - b.id);
    for (const trigger of afterOpen) this.fire(trigger, trigger.price, closeMs, place);
  }

  /** Returns the triggers that a row reaches, as placed: at its open, and inside it. Triggers that expire with the row do so now. */
  reachedBy(instrument: Instrument, openMs: number, open: number, high: number, low: number): ReachedTriggers {
    this.expire(openMs);
    const waiting = this.pending.filter(({ child, sinceMs }) => child.instrument === instrument && sinceMs <= openMs);
    const atOpen = waiting.filter((trigger) => isReached(trigger, open, open));
    return { atOpen, afterOpen: waiting.filter((trigger) => !atOpen.includes(trigger) && isReached(trigger, high, low)) };
  }

  /**
   * For a market in which orders match orders: removes and returns the triggers that prices from `low` to `high` reach, in their order. The
   * caller places the children and reports each result by `reportPlacement`.
   */
  take(instrument: Instrument, high: number, low: number, nowMs: number): readonly Trigger[] {
    this.expire(nowMs);
    const reachedTriggers = this.pending.filter((trigger) => trigger.child.instrument === instrument && isReached(trigger, high, low));
    reachedTriggers.sort((a, b) => RANK_OF_KIND[a.kind] - RANK_OF_KIND[b.kind] || a.id - b.id);
    for (const trigger of reachedTriggers) trigger.status = 'triggered';
    this.dropEnded(reachedTriggers.length);
    return reachedTriggers;
  }

  /** Reports the id of the child of a removed trigger; or null, with the `code` of its refusal. */
  reportPlacement(trigger: MutableTrigger, childId: number | null, code: number): void {
    trigger.childId = childId;
    trigger.code = code;
    if (childId === null) trigger.status = 'failed';
  }

  /** Returns the code with which a trigger order is refused; 0 if it may wait. */
  private check(accountIndex: number, kind: TriggerKind, price: number, child: OrderIntent): number {
    const isExit = kind === 'stopLoss' || kind === 'takeProfit';
    if (isExit && !child.reduceOnly) return VENUE_CODES.unknownComposition.code;
    if (child.timeInForce !== null || child.quoteUnits !== 0) return VENUE_CODES.unknownComposition.code;
    if (Math.floor(price) !== price) return VENUE_CODES.priceVolumePrecision.code;
    if (price <= 0) return VENUE_CODES.mandatoryParamEmpty.code;
    if (price >= MAX_PRICE_TICKS) return VENUE_CODES.priceWaveExceed.code;
    // Margin and closable lots are checked when it triggers, because they may change until then.
    const code = this.venue.check(accountIndex, child);
    if (code !== 0 && !CODES_AFTER_COUNT.has(code)) return code;
    const waitingCount = this.pending.reduce((count, trigger) => count + (trigger.account === accountIndex ? 1 : 0), 0);
    if (waitingCount >= this.maxPending) return VENUE_CODES.tooManyOrders.code;
    // A larger amount cannot be counted exactly, and will not be available later either.
    if (child.lots > MAX_EXACT) return code;
    const mayChangeLater =
      code === VENUE_CODES.balanceNotEnough.code ||
      code === VENUE_CODES.tooManyOrders.code ||
      (code === VENUE_CODES.closeVolumeExceeded.code && !isExit);
    return mayChangeLater ? 0 : code;
  }

  private readonly placeChild: PlaceChild = (trigger, timeMs) => this.venue.place(trigger.account, trigger.id, trigger.child, timeMs);

  /** Executes a trigger at a price; no effect if it no longer waits. */
  fire(trigger: MutableTrigger, price: number, timeMs: number, place: PlaceChild): void {
    // An earlier trigger of the same row may have led to its cancel.
    if (trigger.status !== 'pending') return;
    this.removeAs(trigger, 'triggered');
    const order = place(trigger, timeMs);
    if (order === null) {
      trigger.status = 'failed';
      trigger.code = this.venue.refusal;
    } else trigger.childId = order.id;
    this.sink.triggerEnded(trigger, timeMs);
    if (order === null || !order.isOpen) return;
    const { limit, side } = order;
    if (limit === 0 || (side === 'buy' ? limit >= price : limit <= price))
      this.venue.book(order.instrument).execute(order, price, timeMs, MATCHING_RULE.child);
  }

  /** Removes and reports the triggers that have expired by `nowMs`. */
  private expire(nowMs: number): void {
    const expired = this.pending.filter(({ expiresMs }) => expiresMs <= nowMs);
    for (const trigger of expired) trigger.status = 'expired';
    this.dropEnded(expired.length);
    for (const trigger of expired) this.sink.triggerEnded(trigger, nowMs);
  }

  /** Removes all triggers that no longer wait, in one pass. */
  private dropEnded(count: number): void {
    if (count === 0) return;
    let keptCount = 0;
    for (const trigger of this.pending) if (trigger.status === 'pending') this.pending[keptCount++] = trigger;
    this.pending.length = keptCount;
  }

  /** Removes a trigger from the queue and sets its status. */
  private removeAs(trigger: MutableTrigger, status: VenueTriggerStatus): void {
    removeAt(this.pending, this.pending.indexOf(trigger));
    trigger.status = status;
  }
}

/** Returns 0 for a loss, 1 for an entry and 2 for a profit. */
export function triggerRank({ kind }: Trigger): number {
  return RANK_OF_KIND[kind];
}

/** True when a rising price triggers it. The direction of an exit follows from the side that it closes with. */
export function triggersWhenRising({ kind, child }: Trigger): boolean {
  const isSell = child.side === 'sell';
  return kind === 'rise' || (kind === 'stopLoss' && !isSell) || (kind === 'takeProfit' && isSell);
}

/** True when a price from `low` to `high` reaches the trigger. */
function isReached(trigger: Trigger, high: number, low: number): boolean {
  return triggersWhenRising(trigger) ? high >= trigger.price : low <= trigger.price;
}
