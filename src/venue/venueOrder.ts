// Orders as the venue keeps them: pooled records, ids that count up, and the way from an id back to its record.

import * as checks from '../base/assert.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side, TimeInForce } from '../model/order.ts';
import type { Account } from './account.ts';
import type { InstrumentAccount } from './accounts.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const assert: typeof checks.assert = checks.assert;

/** The specification's words (part 3). REJECTED is never made here: a refused create is an error, not an order (dialect 10.3). */
export const VENUE_STATUSES = ['NEW', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED', 'PENDING_CANCEL'] as const;
export type VenueStatus = (typeof VENUE_STATUSES)[number];

/**
 * One record of the pool. `place` hands it out, the venue alone changes it, `release` takes it back: copy what is needed beyond that.
 * Amounts and times start as a fraction so that V8 keeps each as a double field, written in place, from its first value on. What counts up
 * starts as a small integer, which is passed on as it is: a double is put into a box of its own at each call.
 */
export class VenueOrderRecord {
  /** Counts up from 1, never reused; 0 while the record lies in the pool. */
  id = 0;
  /** The caller's own number; means nothing to the venue. */
  ref = 0;
  /** Index of the account. */
  account = 0;
  /** The account itself, and on spot what it pays and is paid by. Found once, and not at each use. */
  owner: Account;
  instrumentAccount: InstrumentAccount | null = null;
  instrument: Instrument;
  /** 1 of a buy, -1 of a sell: kept and compared in a third of the steps of the side, which is a text. */
  sign: 1 | -1 = 1;
  /** Limit price in ticks; 0 for MARKET. */
  limit = 0.5;
  /** Wanted base quantity; 0 for a MARKET BUY, which is by amount. */
  lots = 0.5;
  /** Wanted quote amount of a MARKET BUY, else 0. */
  quoteUnits = 0.5;
  /** Futures: CLOSE, it may only reduce a position; and how many of its lots still count on one that it reduces. */
  closes = false;
  offsetLots = 0;
  /** Futures limits alone have one. */
  timeInForce: TimeInForce | null = null;
  /** A POST_ONLY that was not reached by the open of its first row: it is a maker from then on. */
  rests = false;
  /** It stands in its book and can still fill: NEW, PARTIALLY_FILLED or PENDING_CANCEL. */
  isOpen = false;
  /** Its cancel was asked for, or has ended it. */
  isCanceling = false;
  filledLots = 0.5;
  /** Notional of the fills in quote units. */
  filledUnits = 0.5;
  /** Held for this order: base units for a sell, quote units for a buy. */
  lockedUnits = 0.5;
  /** Rates at admission, in millionths. */
  makerPpm = 0;
  takerPpm = 0;
  /** Arrival at the venue: rows that open earlier do not concern the order. */
  admittedMs = 0.5;
  /** Neighbours in the book, by arrival: of no meaning in none. */
  prev: VenueOrderRecord;
  next: VenueOrderRecord;

  constructor(instrument: Instrument, owner: Account) {
    this.instrument = instrument;
    this.owner = owner;
    this.prev = this.next = this;
  }

  get side(): Side {
    return this.sign > 0 ? 'buy' : 'sell';
  }
  set side(side: Side) {
    this.sign = side === 'buy' ? 1 : -1;
  }

  /** What its other fields say, in the specification's words. */
  get status(): VenueStatus {
    if (!this.isOpen) return this.isCanceling ? 'CANCELED' : 'FILLED';
    if (this.isCanceling) return 'PENDING_CANCEL';
    return this.filledLots > 0 ? 'PARTIALLY_FILLED' : 'NEW';
  }
}

/** An order as everyone but the venue sees it. */
export type VenueOrder = Readonly<VenueOrderRecord>;

/** What of an open order outlives the process; its id and its place in the pool do not. */
export type OrderImage = Readonly<
  Omit<VenueOrderRecord, 'id' | 'instrument' | 'owner' | 'instrumentAccount' | 'sign' | 'isOpen' | 'isCanceling' | 'prev' | 'next'>
>;

/** Slots at the start; a power of two, so that the low bits of an id say where its order lies. */
const SLOTS = 512;
/** The low bits of an id; a bit operation keeps them for ids above 2^31 too. */
const MASK = SLOTS - 1;

/**
 * The pool, and the records in use by id. An order that is followed by another while it is in use lies in a slot by the low bits of its id;
 * one that is still in use when its slot comes round again moves to a map, where few are, for most orders end soon. What is released stays
 * in its slot: its id says that it is, and once it is used again, that it stands in another slot, or in none.
 */
export class OrderTable {
  private lastId = 0;
  private readonly freeList: VenueOrderRecord[] = [];
  /** In no slot yet. Most orders are over before the next one comes, which then is given the same record, and nothing is moved. */
  private newest: VenueOrderRecord | null = null;
  private readonly slots: (VenueOrderRecord | null)[] = Array.from({ length: SLOTS }, () => null);
  private readonly overflow = new Map<number, VenueOrderRecord>();

  /** A record with a new id, its other fields to be set by the caller. */
  acquire(instrument: Instrument, owner: Account): VenueOrderRecord {
    let order = this.newest;
    if (order === null || order.id !== 0) order = this.allocate(instrument, owner);
    // Compared, for they are mostly what they were, and to write a reference costs three times as much.
    if (order.instrument !== instrument) order.instrument = instrument;
    if (order.owner !== owner) order.owner = owner;
    order.id = ++this.lastId;
    return order;
  }
  private allocate(instrument: Instrument, owner: Account): VenueOrderRecord {
    if (this.newest !== null) this.storeInSlot(this.newest);
    return (this.newest = this.freeList.pop() ?? new VenueOrderRecord(instrument, owner));
  }
  private storeInSlot(order: VenueOrderRecord): void {
    const slot = order.id & MASK;
    const older = this.slots[slot] ?? null;
    if (older !== null && older !== order && older.id !== 0 && (older.id & MASK) === slot) this.overflow.set(older.id, older);
    this.slots[slot] = order;
  }

  find(id: number): VenueOrderRecord | null {
    if (id === 0) return null;
    if (this.newest?.id === id) return this.newest;
    const order = this.slots[id & MASK];
    return order?.id === id ? order : (this.overflow.get(id) ?? null);
  }

  release(order: VenueOrderRecord): void {
    assert(order.id !== 0, 'an order is released once');
    if (order !== this.newest) this.recycle(order);
    order.id = 0;
  }
  private recycle(order: VenueOrderRecord): void {
    this.overflow.delete(order.id);
    this.freeList.push(order);
  }
}
