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
  /** The order manager's record of the order. It is always current, because the manager changes it while it handles an event. */
  readonly order: BelievedOrder;
  /** True once the create request of the order was given to the wire. */
  isOnWire = false;
  /** Venue order id, or the tracking id of a waiting trigger order; null if it is not known. */
  venueId: string | null = null;
  /** Sum of the booked fills, in lots. */
  filledLots = 0;
  /** Sum of the booked fills, in units of the quote or settlement asset. */
  filledUnits = 0;
  /** The lots of its fills that the account holds: a fraction of a lot, and what the books of its strategy could not take. Usually 0. */
  accountLots = NO_LOTS;
  /** True while it is unknown whether this order has the id `contestedId`, because the venue has used that id for another order too. */
  isContested = false;
  /** The venue order id that was contested last; empty without one. */
  contestedId = '';
  /** True for a foreign order that the operator has adopted. The exchange may show another client order id with it. */
  isAdopted = false;
  /** True once the exchange has shown the venue order id with this order. A row shows it, or a reply that has the client order id. */
  isIdShown = false;
  /**
   * Another id under which a row has named the order before `isIdShown`. Either the acknowledged id is wrong, or this one is that of a second
   * copy. Null without one.
   */
  otherId: string | null = null;
  /** When the order manager ended the order, ms of our clock; NaN before. Infinity if an earlier process has proven the order absent. */
  endedMs = NaN;
  /** Venue time of the last fill, ms; NaN before the first one. */
  lastFillMs = NaN;
  /** The first of the equal reads that showed a terminal status; null without one. A second, equal read confirms it. */
  terminalReading: StatusReading | null = null;
  /** Number of consecutive queries that did not find the order. */
  emptyReads = 0;
  /** Our time of the first of these queries, ms. */
  firstEmptyReadMs = NaN;
  /** True if the last status of the order included fills that the read of the new trades has not found yet. */
  hadUnbookedFills = false;
  /** True once the bot has asked to cancel the order. */
  isCancelWanted = false;
  /** Our time at which the venue order id became known, ms. */
  idKnownMs = NaN;
  /**
   * Whether lists have shown the order since its id is known. Either none was read yet, or one was read and missed it, or one has shown it.
   */
  listSighting: 'not yet' | 'missed' | 'seen' = 'not yet';

  constructor(request: OrderRequest, clientOrderId: string, signMs: number, order: BelievedOrder) {
    this.request = request;
    this.clientOrderId = clientOrderId;
    this.signMs = signMs;
    this.order = order;
  }

  /** Lots of its fills, those of the account included. */
  get executedLots(): number {
    return this.filledLots + this.accountLots.floor().toNumber();
  }
  /** The number of the order. */
  get id(): OrderId {
    return this.request.id;
  }
  /** The lifecycle of the order. `done` if the order manager uses the record for another order by now. */
  get lifecycle(): Lifecycle {
    return this.order.id === this.id ? this.order.lifecycle : 'done';
  }
  /** True if the venue has acknowledged the order and it may still fill. */
  get isLive(): boolean {
    const { lifecycle } = this;
    return lifecycle === 'working' || lifecycle === 'cancelSent';
  }
  /** True if the order may still fill. In contrast to `isLive`, this includes an order that may not exist at the venue. */
  get isOpen(): boolean {
    return this.isOnWire && this.lifecycle !== 'done';
  }
  /** True when the order manager has concluded that the venue never had this order. */
  get isBelievedAbsent(): boolean {
    if (this.lifecycle !== 'done') return false;
    const { reason } = this.order;
    return reason === 'noEffect' || reason === 'refused' || reason === 'notSent';
  }
  /** True if lists are searched for the order: its outcome is unknown, or it was proven absent. */
  get isSought(): boolean {
    return this.lifecycle === 'unknown' || (this.isBelievedAbsent && this.order.reason === 'noEffect');
  }
  /** True if the venue had the order and it has ended. */
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

/** Returns the lots of the fills of an order, by its venue order id, that the account holds. */
type AccountLotsOf = (request: OrderRequest, venueId: string) => Decimal;

/** All orders that may still matter, indexed by each of their ids. */
export class TrackedOrders {
  /** How long after its timestamp the venue may still admit a create request, ms of venue time. */
  readonly recvWindowMs: number;
  readonly #byId = new Map<number, TrackedOrder>();
  readonly #byClientOrderId = new Map<string, TrackedOrder>();
  readonly #byVenueId = new Map<string, TrackedOrder>();
  /** Unfinished orders, by instrument. */
  readonly #open: Set<TrackedOrder>[];
  readonly #triggers: Set<TrackedOrder>[];

  readonly #accountLotsOf: AccountLotsOf;

  /** `accountLotsOf`: returns the lots of the fills of an order that the account holds; default none. */
  constructor(instrumentCount: number, recvWindowMs: number, accountLotsOf: AccountLotsOf = () => NO_LOTS) {
    this.recvWindowMs = recvWindowMs;
    this.#accountLotsOf = accountLotsOf;
    this.#open = Array.from({ length: instrumentCount }, () => new Set());
    this.#triggers = Array.from({ length: instrumentCount }, () => new Set());
  }

  /** Adds an order to all indexes. */
  add(tracked: TrackedOrder): void {
    this.#byId.set(tracked.id, tracked);
    this.#byClientOrderId.set(tracked.clientOrderId.toUpperCase(), tracked);
    if (isTriggerOrder(tracked.request)) this.#triggers[tracked.request.instrumentIndex]!.add(tracked);
    if (tracked.venueId !== null) {
      this.#byVenueId.set(indexKeyOf(tracked.venueId), tracked);
      tracked.accountLots = this.#accountLotsOf(tracked.request, tracked.venueId);
    }
    if (Number.isNaN(tracked.endedMs)) this.openOf(tracked.request.instrumentIndex).add(tracked);
  }

  /** Returns all trigger orders of an instrument: waiting, fired or not yet known. */
  triggersOf(instrumentIndex: number): ReadonlySet<TrackedOrder> {
    return this.#triggers[instrumentIndex]!;
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
  openOf(instrumentIndex: number): Set<TrackedOrder> {
    return this.#open[instrumentIndex]!;
  }
  /** All tracked orders, oldest first. */
  get all(): Iterable<TrackedOrder> {
    return this.#byId.values();
  }

  /** Sets the venue order id once it is known. */
  setVenueId(tracked: TrackedOrder, venueId: string): void {
    tracked.venueId = venueId;
    tracked.accountLots = this.#accountLotsOf(tracked.request, venueId);
    tracked.isContested = false;
    this.#byVenueId.set(indexKeyOf(venueId), tracked);
  }
  /** Removes a venue order id that turned out not to identify the order. The outcome of the order is unknown again. */
  removeVenueId(tracked: TrackedOrder): void {
    if (tracked.venueId !== null && this.byVenueId(tracked.venueId) === tracked) this.#byVenueId.delete(indexKeyOf(tracked.venueId));
    tracked.contestedId = tracked.venueId ?? tracked.contestedId;
    tracked.venueId = null;
    tracked.accountLots = NO_LOTS;
    tracked.isIdShown = false;
    tracked.otherId = null;
    tracked.emptyReads = 0;
    tracked.terminalReading = null;
    tracked.listSighting = 'not yet';
    tracked.isContested = true;
    this.openOf(tracked.request.instrumentIndex).add(tracked);
  }
  /** True if an open order of the instrument has a contested id and may exist at the venue. */
  hasContested(instrumentIndex: number): boolean {
    return Array.from(this.openOf(instrumentIndex)).some(({ isContested, isBelievedAbsent }) => isContested && !isBelievedAbsent);
  }
  /** Marks the order as open, because the venue has shown it. The end time of an order that has ended stays, so that `forget` removes it. */
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

/** Returns the key of a venue order id in the index: the id, or for a waiting trigger order its tracking id without the client order id. */
function indexKeyOf(venueId: string): string {
  const waiting = parseTriggerTrackId(venueId);
  return waiting === null ? venueId : triggerTrackId(waiting.triggerId, '');
}

/** Returns the tracked order of an earlier run. Orders proven absent are kept permanently. */
export function restoreTrackedOrder(restored: RestoredTrackedOrder, order: BelievedOrder): TrackedOrder {
  const tracked = new TrackedOrder(restored.request, restored.clientOrderId, restored.signMs, order);
  tracked.isOnWire = true;
  tracked.venueId = restored.venueId;
  tracked.isAdopted = restored.isAdopted === true;
  tracked.filledLots = restored.filledLots;
  tracked.filledUnits = restored.filledUnits;
  tracked.lastFillMs = restored.lastFillMs ?? NaN;
  tracked.isCancelWanted = restored.state === 'cancelSent';
  tracked.endedMs = restored.state === 'provenAbsent' ? Infinity : NaN;
  if (restored.state === 'unknown' && restored.contestedId != null) {
    tracked.isContested = true;
    tracked.contestedId = restored.contestedId;
  }
  return tracked;
}
