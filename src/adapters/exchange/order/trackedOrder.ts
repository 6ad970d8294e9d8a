// What this side of the wire knows of each order: copies of what was asked for, the exchange's id, what was read and what is still wanted.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { RestoredTrackedOrder, OrderRequest } from '../calls/types.ts';
import { isTriggerOrder, triggerTrackId, parseTriggerTrackId } from '../calls/triggers.ts';
import type { StatusReading } from './confirm.ts';

/**
 * `waiting`: for the disk or its turn; `sent`: on the wire, no answer; `unknown`: told as such; `live`: it has an id and may still fill;
 * `ended`: told as over; `dead`: never happened, as far as is known: refused, not sent, or proved without effect.
 */
export type TrackingStage = 'waiting' | 'sent' | 'unknown' | 'live' | 'ended' | 'dead';

const NO_LOTS = new Decimal(0);

export class TrackedOrder {
  readonly request: OrderRequest;
  readonly cid: string;
  /** X-CH-TS of its create. */
  readonly signMs: number;
  stage: TrackingStage = 'waiting';
  venueId: string | null = null;
  filledLots = 0;
  filledUnits = 0;
  /** Of its fills: less than a lot that no order can hold, and that the account has. 0 as a rule. */
  restLots = NO_LOTS;
  /** The exchange has given its id to another order too, and nothing has said since which of them has it. */
  isContested = false;
  contestedId = '';
  /** When it ended or died, ms of our clock. */
  endedMs = NaN;
  /** The time of its last fill, ms of the exchange; NaN before. */
  lastFillMs = NaN;
  /** The record of the order manager while its outcome is not known: only that says when it was proved without effect. */
  order: Order | null = null;
  /** The first of two equal terminal readings; null: there is none. */
  terminal: StatusReading | null = null;
  /** Queries in a row that gave no information, and when the first of them did, ms of our clock. */
  emptyReads = 0;
  silentMs = NaN;
  /** Its status said more fills than were known, and reading what was new has not brought them yet. */
  lackedFills = false;
  isCancelWanted = false;
  /** When its id became known, ms of our clock, and what the lists have shown of it since. */
  knownMs = NaN;
  listed: 'not yet' | 'missed' | 'seen' = 'not yet';

  constructor(wanted: OrderRequest, cid: string, signMs: number) {
    this.request = wanted;
    this.cid = cid;
    this.signMs = signMs;
  }

  get id(): OrderId {
    return this.request.id;
  }
  /** It may still fill, or stand at the exchange without our knowing. */
  get isOpen(): boolean {
    return this.stage === 'sent' || this.stage === 'unknown' || this.stage === 'live';
  }
  /** Nothing of it remains: what was asked for is filled. Never true of an order by amount. */
  get isFull(): boolean {
    return this.request.lots > 0 && this.filledLots >= this.request.lots;
  }
  /** Those in charge believe that it never happened. */
  get isBelievedAbsent(): boolean {
    if (this.stage === 'dead') return true;
    return this.stage === 'unknown' && this.order !== null && this.order.id === this.id && this.order.lifecycle === 'done';
  }
}

export function copyRequest(order: OrderRequest): OrderRequest {
  const { id, instrumentIndex, instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce, triggerTicks, triggersAbove } =
    order;
  const plain = { id, instrumentIndex, instrument, side, role, lots, quoteUnits, limit, reduceOnly, timeInForce };
  return triggerTicks === undefined || triggerTicks === 0 ? plain : { ...plain, triggerTicks, triggersAbove: triggersAbove === true };
}

/** All orders that may still matter, by every name that they have. */
export class TrackedOrders {
  readonly #byId = new Map<number, TrackedOrder>();
  readonly #byCid = new Map<string, TrackedOrder>();
  readonly #byVenueId = new Map<string, TrackedOrder>();
  /** Those that are not over, by instrument. */
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
    if (track.stage !== 'ended' && track.stage !== 'dead') this.openOf(track.request.instrumentIndex).add(track);
  }

  /** Orders of an instrument that wait for a price, or did, or were to. */
  triggersOf(instrument: number): ReadonlySet<TrackedOrder> {
    return this.#triggers[instrument]!;
  }
  byId(id: OrderId): TrackedOrder | undefined {
    return this.#byId.get(id);
  }
  /** A service may change the case of letters. */
  byCid(cid: string): TrackedOrder | undefined {
    return this.#byCid.get(cid.toUpperCase());
  }
  /** Of an id under which an order waits its place in that list counts: the exchange may give one place to two orders. */
  byVenueId(venueId: string): TrackedOrder | undefined {
    return this.#byVenueId.get(placeOf(venueId));
  }
  openOf(instrument: number): Set<TrackedOrder> {
    return this.#open[instrument]!;
  }
  get all(): Iterable<TrackedOrder> {
    return this.#byId.values();
  }

  /** The exchange's id has become known. */
  setVenueId(track: TrackedOrder, venueId: string): void {
    track.venueId = venueId;
    track.isContested = false;
    this.#byVenueId.set(placeOf(venueId), track);
  }
  /** The exchange's id has turned out to be no proof of where it is. */
  unnamed(track: TrackedOrder): void {
    if (track.venueId !== null && this.byVenueId(track.venueId) === track) this.#byVenueId.delete(placeOf(track.venueId));
    track.contestedId = track.venueId ?? track.contestedId;
    track.venueId = null;
    track.terminal = null;
    track.listed = 'not yet';
    track.isContested = true;
    track.stage = 'unknown';
    this.openOf(track.request.instrumentIndex).add(track);
  }
  /** Orders of the instrument whose id another one has too. */
  hasContested(instrument: number): boolean {
    return Array.from(this.openOf(instrument)).some(({ isContested, isBelievedAbsent }) => isContested && !isBelievedAbsent);
  }
  /** It lives, perhaps again. */
  markLive(track: TrackedOrder): void {
    track.stage = 'live';
    track.endedMs = NaN;
    track.terminal = null;
    this.openOf(track.request.instrumentIndex).add(track);
  }
  markEnded(track: TrackedOrder, stage: 'ended' | 'dead', nowMs: number): void {
    track.stage = stage;
    track.endedMs = nowMs;
    track.order = null;
    this.openOf(track.request.instrumentIndex).delete(track);
  }

  /** Forgets what ended before `endedMs`, and refused orders that died before `deadMs`; those proved without effect are `unknown` to the last. */
  forget(endedMs: number, deadMs: number): void {
    for (const track of this.#byId.values()) {
      const bound = track.stage === 'ended' ? endedMs : track.stage === 'dead' ? deadMs : -Infinity;
      if (!(track.endedMs < bound)) continue;
      this.#byId.delete(track.id);
      this.#byCid.delete(track.cid.toUpperCase());
      this.#triggers[track.request.instrumentIndex]!.delete(track);
      if (track.venueId !== null && this.byVenueId(track.venueId) === track) this.#byVenueId.delete(placeOf(track.venueId));
    }
  }
}

/** The id of an order, or its place in the list of those that wait. */
function placeOf(venueId: string): string {
  const waiting = parseTriggerTrackId(venueId);
  return waiting === null ? venueId : triggerTrackId(waiting.triggerId, '');
}

/** The track of an order of an earlier life. Tombs are kept for ever, so they never come of age. */
export function restoreTrackedOrder(order: RestoredTrackedOrder): TrackedOrder {
  const track = new TrackedOrder(order.request, order.cid, order.signMs);
  track.venueId = order.venueId;
  track.filledLots = order.filledLots;
  track.filledUnits = order.filledUnits;
  track.isCancelWanted = order.state === 'cancelSent';
  track.stage = order.state === 'tomb' ? 'dead' : order.state === 'unknown' ? 'unknown' : 'live';
  track.endedMs = order.state === 'tomb' ? Infinity : NaN;
  if (order.state === 'unknown' && order.contestedId != null) {
    track.isContested = true;
    track.contestedId = order.contestedId;
  }
  return track;
}
