// Tracked orders: the REST exchange's record of each order from its creation until no list can mention it any more.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Lifecycle, OrderId } from '../../../model/order.ts';
import type { BelievedOrder, OrderRequest, RestoredTrackedOrder } from '../calls/types.ts';
import { isTriggerOrder, triggerTrackId, parseTriggerTrackId } from '../calls/triggers.ts';
import type { StatusReading } from './assessStatus.ts';

const NO_LOTS = new Decimal(0);

/** What the exchange knows of one order beyond the order manager's record. */
export class TrackedOrder {
  /** The terms as they were sent. */
  readonly request: OrderRequest;
  /** The id by which lists show the order. */
  readonly clientOrderId: string;
  /** X-CH-TS of its create request, ms. */
  readonly signMs: number;
  /** The order manager's record of it. It is always current, because the manager changes it while it handles an event. */
  readonly order: BelievedOrder;
  /** True once its create request was given to the wire. */
  isOnWire = false;
  /** Venue order id, or the tracking id of a waiting trigger order; null if it is not known. */
  venueId: string | null = null;
  /** What its booked fills add up to: lots and money units. */
  filledLots = 0;
  filledUnits = 0;
  /** The fraction of a lot in its fills, which the account holds. Usually 0. */
  fractionLots = NO_LOTS;
  /** True while it is not known whether this order has the id, because the venue has used the id for another order too. */
  isContested = false;
  /** That id; empty if none was contested. */
  contestedId = '';
  /** When the order manager ended it, ms of our clock; NaN before, and if it was proven absent. */
  endedMs = NaN;
  /** Venue time of its last fill, ms; NaN before the first. */
  lastFillMs = NaN;
  /** The first of two equal terminal reads; null if none was read. */
  terminalReading: StatusReading | null = null;
  /** Queries in a row that did not find it, and our time of the first one, ms. */
  emptyReads = 0;
  firstEmptyReadMs = NaN;
  /** True if its status included fills that reading the new trades has not found yet. */
  hadUnbookedFills = false;
  /** True once the bot has asked to cancel it. */
  isCancelWanted = false;
  /** Our time at which its id became known, ms, and whether a list has shown it since then. */
  idKnownMs = NaN;
  listed: 'not yet' | 'missed' | 'seen' = 'not yet';

  constructor(request: OrderRequest, clientOrderId: string, signMs: number, order: BelievedOrder) {
    this.request = request;
    this.clientOrderId = clientOrderId;
    this.signMs = signMs;
    this.order = order;
  }

  /** The number of the order. */
  get id(): OrderId {
    return this.request.id;
  }
  /** The order manager's lifecycle. `done` if it uses the record for another order by now. */
  get lifecycle(): Lifecycle {
    return this.order.id === this.id ? this.order.lifecycle : 'done';
  }
  /** True if it has an id and may still fill. */
  get isLive(): boolean {
    const { lifecycle } = this;
    return lifecycle === 'working' || lifecycle === 'cancelSent';
  }
  /** True if it may still fill, or may exist at the venue without our knowledge. */
  get isOpen(): boolean {
    return this.isOnWire && this.lifecycle !== 'done';
  }
  /** True when the order manager has concluded that the venue never had this order. */
  get isBelievedAbsent(): boolean {
    if (this.lifecycle !== 'done') return false;
    const { reason } = this.order;
    return reason === 'noEffect' || reason === 'refused' || reason === 'notSent';
  }
  /** True if lists are searched for it: its outcome is unknown, or was until its absence was proven. */
  get isSought(): boolean {
    return this.lifecycle === 'unknown' || (this.isBelievedAbsent && this.order.reason === 'noEffect');
  }
  /** True if the venue had it and it has ended. */
  get hasEnded(): boolean {
    return this.lifecycle === 'done' && !this.isBelievedAbsent;
  }
}

/** Returns a copy of the terms, because the order manager reuses its records. */
export function copyRequest(order: OrderRequest): OrderRequest {
  const { id, instrumentIndex, instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce, triggerTicks, triggersAbove } =
    order;
  const plain = { id, instrumentIndex, instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce };
  return triggerTicks === undefined || triggerTicks === 0 ? plain : { ...plain, triggerTicks, triggersAbove: triggersAbove === true };
}

/** All orders that may still matter, indexed by each of their ids. */
export class TrackedOrders {
  /** How long after its timestamp the venue may still admit a create request, ms of venue time. */
  readonly windowMs: number;
  readonly #byId = new Map<number, TrackedOrder>();
  readonly #byClientOrderId = new Map<string, TrackedOrder>();
  readonly #byVenueId = new Map<string, TrackedOrder>();
  /** Unfinished orders, by instrument. */
  readonly #open: Set<TrackedOrder>[];
  readonly #triggers: Set<TrackedOrder>[];

  constructor(instruments: number, windowMs: number) {
    this.windowMs = windowMs;
    this.#open = Array.from({ length: instruments }, () => new Set());
    this.#triggers = Array.from({ length: instruments }, () => new Set());
  }

  /** Adds an order to all indexes. */
  add(tracked: TrackedOrder): void {
    this.#byId.set(tracked.id, tracked);
    this.#byClientOrderId.set(tracked.clientOrderId.toUpperCase(), tracked);
    if (isTriggerOrder(tracked.request)) this.#triggers[tracked.request.instrumentIndex]!.add(tracked);
    if (tracked.venueId !== null) this.#byVenueId.set(indexKeyOf(tracked.venueId), tracked);
    if (Number.isNaN(tracked.endedMs)) this.openOf(tracked.request.instrumentIndex).add(tracked);
  }

  /** Returns all trigger orders of an instrument: waiting, fired or not yet known. */
  triggersOf(instrument: number): ReadonlySet<TrackedOrder> {
    return this.#triggers[instrument]!;
  }
  /** Returns an order by its number. */
  byId(id: OrderId): TrackedOrder | undefined {
    return this.#byId.get(id);
  }
  /** Returns the order with this client order id in any case, because a service may change the case. */
  byClientOrderId(clientOrderId: string): TrackedOrder | undefined {
    return this.#byClientOrderId.get(clientOrderId.toUpperCase());
  }
  /**
   * Returns the order with this id. A waiting trigger order is found only by its tracking id, because a venue order may have the same
   * number.
   */
  byVenueId(venueId: string): TrackedOrder | undefined {
    return this.#byVenueId.get(indexKeyOf(venueId));
  }
  /** Returns the open orders of an instrument. */
  openOf(instrument: number): Set<TrackedOrder> {
    return this.#open[instrument]!;
  }
  /** All tracked orders, oldest first. */
  get all(): Iterable<TrackedOrder> {
    return this.#byId.values();
  }

  /** Sets the venue order id once it is known. */
  setVenueId(tracked: TrackedOrder, venueId: string): void {
    tracked.venueId = venueId;
    tracked.isContested = false;
    this.#byVenueId.set(indexKeyOf(venueId), tracked);
  }
  /** Removes a venue order id that turned out not to identify the order. Its outcome is unknown again. */
  removeVenueId(tracked: TrackedOrder): void {
    if (tracked.venueId !== null && this.byVenueId(tracked.venueId) === tracked) this.#byVenueId.delete(indexKeyOf(tracked.venueId));
    tracked.contestedId = tracked.venueId ?? tracked.contestedId;
    tracked.venueId = null;
    tracked.terminalReading = null;
    tracked.listed = 'not yet';
    tracked.isContested = true;
    this.openOf(tracked.request.instrumentIndex).add(tracked);
  }
  /** True if an open order of the instrument has a contested id and may exist at the venue. */
  hasContested(instrument: number): boolean {
    return Array.from(this.openOf(instrument)).some(({ isContested, isBelievedAbsent }) => isContested && !isBelievedAbsent);
  }
  /** Marks the order as open, because the venue has shown it. An order that has ended is forgotten later, as planned. */
  watch(tracked: TrackedOrder): void {
    if (!tracked.hasEnded) tracked.endedMs = NaN;
    tracked.terminalReading = null;
    this.openOf(tracked.request.instrumentIndex).add(tracked);
  }
  /** Moves an order that has ended to the memory of ended orders. */
  retire(tracked: TrackedOrder, nowMs: number): void {
    tracked.endedMs = nowMs;
    this.openOf(tracked.request.instrumentIndex).delete(tracked);
  }

  /** Removes orders that ended before `endedMs`, and refused orders before `absentMs`. Orders proven absent are kept. */
  forget(endedMs: number, absentMs: number): void {
    for (const tracked of this.#byId.values()) {
      if (!(tracked.endedMs < (tracked.isBelievedAbsent ? absentMs : endedMs))) continue;
      this.#byId.delete(tracked.id);
      this.#byClientOrderId.delete(tracked.clientOrderId.toUpperCase());
      this.openOf(tracked.request.instrumentIndex).delete(tracked);
      this.#triggers[tracked.request.instrumentIndex]!.delete(tracked);
      if (tracked.venueId !== null && this.byVenueId(tracked.venueId) === tracked) this.#byVenueId.delete(indexKeyOf(tracked.venueId));
    }
  }
}

/** Returns the key of an id in the index: the id, for a waiting trigger order without its client order id. */
function indexKeyOf(venueId: string): string {
  const waiting = parseTriggerTrackId(venueId);
  return waiting === null ? venueId : triggerTrackId(waiting.triggerId, '');
}

/** Returns the tracked order of an earlier run. Orders proven absent are kept permanently. */
export function restoreTrackedOrder(order: RestoredTrackedOrder, record: BelievedOrder): TrackedOrder {
  const tracked = new TrackedOrder(order.request, order.clientOrderId, order.signMs, record);
  tracked.isOnWire = true;
  tracked.venueId = order.venueId;
  tracked.filledLots = order.filledLots;
  tracked.filledUnits = order.filledUnits;
  tracked.lastFillMs = order.lastFillMs ?? NaN;
  tracked.isCancelWanted = order.state === 'cancelSent';
  tracked.endedMs = order.state === 'provenAbsent' ? Infinity : NaN;
  if (order.state === 'unknown' && order.contestedId != null) {
    tracked.isContested = true;
    tracked.contestedId = order.contestedId;
  }
  return tracked;
}
