// Tracked orders: for each order the request as sent, its venue order id, what was read about it, and whether to cancel it.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Lifecycle, OrderId } from '../../../model/order.ts';
import type { BelievedOrder, OrderRequest, RestoredTrackedOrder } from '../calls/types.ts';
import { isTriggerOrder, triggerTrackId, parseTriggerTrackId } from '../calls/triggers.ts';
import type { StatusReading } from './confirm.ts';

const NO_LOTS = new Decimal(0);

export class TrackedOrder {
  readonly request: OrderRequest;
  readonly cid: string;
  /** X-CH-TS of its create. */
  readonly signMs: number;
  /** The order manager's record. The manager changes it in the same call as it gets an event, so it is never behind. */
  readonly order: BelievedOrder;
  /** True once its create request was given to the wire. */
  isOnWire = false;
  venueId: string | null = null;
  filledLots = 0;
  filledUnits = 0;
  /** The part of its fills that is smaller than a lot. The account holds it. Usually 0. */
  restLots = NO_LOTS;
  /** The venue has used its id for another order too, and it is not known yet which one has it. */
  isContested = false;
  contestedId = '';
  /** When the order manager ended it, ms of our clock; NaN before, and if it was proven absent. */
  endedMs = NaN;
  /** Venue time of its last fill, ms; NaN before the first. */
  lastFillMs = NaN;
  /** The first of two equal terminal reads; null if none was read. */
  terminal: StatusReading | null = null;
  /** Queries in a row without information, and our time of the first one, ms. */
  emptyReads = 0;
  silentMs = NaN;
  /** The status included unknown fills, and reading new trades has not found them yet. */
  lackedFills = false;
  isCancelWanted = false;
  /** Our time at which its id became known, ms, and what the lists have shown of it since. */
  knownMs = NaN;
  listed: 'not yet' | 'missed' | 'seen' = 'not yet';

  constructor(wanted: OrderRequest, cid: string, signMs: number, order: BelievedOrder) {
    this.request = wanted;
    this.cid = cid;
    this.signMs = signMs;
    this.order = order;
  }

  get id(): OrderId {
    return this.request.id;
  }
  /** The order manager's lifecycle. `done` if it uses the record for another order by now. */
  get lifecycle(): Lifecycle {
    return this.order.id === this.id ? this.order.lifecycle : 'done';
  }
  /** True if it waits for the disk or its turn. */
  get isWaiting(): boolean {
    return !this.isOnWire && this.lifecycle !== 'done';
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

export function copyRequest(order: OrderRequest): OrderRequest {
  const { id, instrumentIndex, instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce, triggerTicks, triggersAbove } =
    order;
  const plain = { id, instrumentIndex, instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce };
  return triggerTicks === undefined || triggerTicks === 0 ? plain : { ...plain, triggerTicks, triggersAbove: triggersAbove === true };
}

/** All orders that may still matter, indexed by each of their ids. */
export class TrackedOrders {
  readonly #byId = new Map<number, TrackedOrder>();
  readonly #byCid = new Map<string, TrackedOrder>();
  readonly #byVenueId = new Map<string, TrackedOrder>();
  /** Unfinished orders, by instrument. */
  readonly #open: Set<TrackedOrder>[];
  readonly #triggers: Set<TrackedOrder>[];

  constructor(instruments: number) {
    this.#open = Array.from({ length: instruments }, () => new Set());
    this.#triggers = Array.from({ length: instruments }, () => new Set());
  }

  add(track: TrackedOrder): void {
    this.#byId.set(track.id, track);
    this.#byCid.set(track.cid.toUpperCase(), track);
    if (isTriggerOrder(track.request)) this.#triggers[track.request.instrumentIndex]!.add(track);
    if (track.venueId !== null) this.#byVenueId.set(placeOf(track.venueId), track);
    if (Number.isNaN(track.endedMs)) this.openOf(track.request.instrumentIndex).add(track);
  }

  /** All trigger orders of an instrument: waiting, fired or not yet known. */
  triggersOf(instrument: number): ReadonlySet<TrackedOrder> {
    return this.#triggers[instrument]!;
  }
  byId(id: OrderId): TrackedOrder | undefined {
    return this.#byId.get(id);
  }
  /** Case-insensitive, because a service may change the case. */
  byCid(cid: string): TrackedOrder | undefined {
    return this.#byCid.get(cid.toUpperCase());
  }
  /** For a waiting trigger order, only its id in that list counts: the venue may use one id for two orders. */
  byVenueId(venueId: string): TrackedOrder | undefined {
    return this.#byVenueId.get(placeOf(venueId));
  }
  openOf(instrument: number): Set<TrackedOrder> {
    return this.#open[instrument]!;
  }
  get all(): Iterable<TrackedOrder> {
    return this.#byId.values();
  }

  /** Sets the venue order id once it is known. */
  setVenueId(track: TrackedOrder, venueId: string): void {
    track.venueId = venueId;
    track.isContested = false;
    this.#byVenueId.set(placeOf(venueId), track);
  }
  /** Removes a venue order id that turned out not to identify the order. Its outcome is unknown again. */
  removeVenueId(track: TrackedOrder): void {
    if (track.venueId !== null && this.byVenueId(track.venueId) === track) this.#byVenueId.delete(placeOf(track.venueId));
    track.contestedId = track.venueId ?? track.contestedId;
    track.venueId = null;
    track.terminal = null;
    track.listed = 'not yet';
    track.isContested = true;
    this.openOf(track.request.instrumentIndex).add(track);
  }
  /** True if an open order of the instrument has a contested id. */
  hasContested(instrument: number): boolean {
    return Array.from(this.openOf(instrument)).some(({ isContested, isBelievedAbsent }) => isContested && !isBelievedAbsent);
  }
  /** Watches the order, perhaps again, because the venue has shown it. One that has ended is watched until it is forgotten. */
  watch(track: TrackedOrder): void {
    if (!track.hasEnded) track.endedMs = NaN;
    track.terminal = null;
    this.openOf(track.request.instrumentIndex).add(track);
  }
  /** Moves an order that has ended to the memory of ended orders. */
  retire(track: TrackedOrder, nowMs: number): void {
    track.endedMs = nowMs;
    this.openOf(track.request.instrumentIndex).delete(track);
  }

  /** Removes orders that ended before `endedMs`, and refused orders before `absentMs`. Orders proven absent are kept. */
  forget(endedMs: number, absentMs: number): void {
    for (const track of this.#byId.values()) {
      if (!(track.endedMs < (track.isBelievedAbsent ? absentMs : endedMs))) continue;
      this.#byId.delete(track.id);
      this.#byCid.delete(track.cid.toUpperCase());
      this.openOf(track.request.instrumentIndex).delete(track);
      this.#triggers[track.request.instrumentIndex]!.delete(track);
      if (track.venueId !== null && this.byVenueId(track.venueId) === track) this.#byVenueId.delete(placeOf(track.venueId));
    }
  }
}

/** Returns the id of an order, or the list id of a waiting trigger order. */
function placeOf(venueId: string): string {
  const waiting = parseTriggerTrackId(venueId);
  return waiting === null ? venueId : triggerTrackId(waiting.triggerId, '');
}

/** Returns the tracked order of an earlier run. Orders proven absent are kept permanently. */
export function restoreTrackedOrder(order: RestoredTrackedOrder, record: BelievedOrder): TrackedOrder {
  const track = new TrackedOrder(order.request, order.cid, order.signMs, record);
  track.isOnWire = true;
  track.venueId = order.venueId;
  track.filledLots = order.filledLots;
  track.filledUnits = order.filledUnits;
  track.lastFillMs = order.lastFillMs ?? NaN;
  track.isCancelWanted = order.state === 'cancelSent';
  track.endedMs = order.state === 'provenAbsent' ? Infinity : NaN;
  if (order.state === 'unknown' && order.contestedId != null) {
    track.isContested = true;
    track.contestedId = order.contestedId;
  }
  return track;
}
