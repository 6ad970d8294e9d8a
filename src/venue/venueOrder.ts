// The orders of the venue: pooled records with ascending ids, the table that finds them by id, and the events about them.

import * as checks from '../base/assert.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Side, TimeInForce } from '../model/order.ts';
import type { Account } from './account.ts';
import type { InstrumentAccount } from './accounts.ts';
import type { FeeModel } from './feeModel.ts';
import type { FillTerms } from './venueConfig.ts';

// hot: docs/performance.md#imported-constants
const assert: typeof checks.assert = checks.assert;

/** The specification's words (part 3). REJECTED is never used here: a refused create is an error, not an order (dialect 10.3). */
export const VENUE_STATUSES = ['NEW', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED', 'PENDING_CANCEL'] as const;
/** The status of an order at the venue. */
export type VenueStatus = (typeof VENUE_STATUSES)[number];

/**
 * One record of the pool. `place` returns it, only the venue changes it, and `release` returns it to the pool, so copy what is needed
 * later. Amounts and times start as a fraction, counters as a small integer. Hot: docs/performance.md#double-fields.
 */
export class VenueOrderRecord {
  /** Counts up from 1, never reused; 0 while the record is in the pool. */
  id = 0;
  /** The caller's own number; the venue does not use it. */
  ref = 0;
  /** Index of the account. */
  account = 0;
  /** The account itself, and for spot its balances in the instrument. Stored here to save look-ups. */
  owner: Account;
  instrumentAccount: InstrumentAccount | null = null;
  instrument: Instrument;
  /** 1 for a buy, -1 for a sell. Hot: docs/performance.md#number-codes. */
  sign: 1 | -1 = 1;
  /** Limit price in ticks; 0 for MARKET. */
  limit = 0.5;
  /** Requested base quantity; 0 for a MARKET BUY, which is by amount. */
  lots = 0.5;
  /** Requested quote amount of a MARKET BUY, else 0. */
  quoteUnits = 0.5;
  /** Futures: true for CLOSE, which may only reduce a position; and the number of its lots that will reduce a position. */
  closes = false;
  offsetLots = 0;
  /** Only futures limits have one. */
  timeInForce: TimeInForce | null = null;
  /** True for a POST_ONLY order once the open of its first row did not reach it: it is a maker from then on. */
  rests = false;
  /** True while it is in its book and can still fill: NEW, PARTIALLY_FILLED or PENDING_CANCEL. */
  isOpen = false;
  /** True when its cancel was requested, or when a cancel has ended it. */
  isCanceling = false;
  filledLots = 0.5;
  /** Notional of the fills in quote units. */
  filledUnits = 0.5;
  /** Held for this order: base units for a sell, quote units for a buy. */
  lockedUnits = 0.5;
  /** Fee rates at admission, ppm. */
  makerPpm = 0;
  takerPpm = 0;
  /** Arrival at the venue: rows that open earlier do not match the order. */
  admittedMs = 0.5;
  /** Neighbours in the book, by arrival; unused outside a book. */
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

  /** The status that the other fields imply, in the specification's words. */
  get status(): VenueStatus {
    if (!this.isOpen) return this.isCanceling ? 'CANCELED' : 'FILLED';
    if (this.isCanceling) return 'PENDING_CANCEL';
    return this.filledLots > 0 ? 'PARTIALLY_FILLED' : 'NEW';
  }
}

/** An order as all code outside the venue sees it. */
export type VenueOrder = Readonly<VenueOrderRecord>;

/**
 * Events of the venue, called while it works. Everything is booked before a call, so the listener may place, cancel and release orders, but
 * it may not match. All values are whole: price in ticks, quantity in lots, money in units of its asset, times in ms.
 */
export interface VenueSink {
  /** Reports one fill. The book owns the record, which is valid until the listener causes another match. This call alone reports FILLED. */
  filled(order: VenueOrder, fill: Fill): void;
  /** Reports that the order is CANCELED: by its owner, or as the remainder of an order that does not rest. */
  ended(order: VenueOrder, timeMs: number): void;
}

/** What the books of one venue share. */
export interface BookContext {
  readonly config: FillTerms;
  readonly feeModel: FeeModel | null;
  readonly sink: VenueSink;
  /** By account. The list grows with each account that is opened. */
  readonly accounts: readonly Account[];
  lastTradeId: number;
}

/** The fields of an open order that are stored over a restart. Its id and its place in the pool are not. */
export type OrderImage = Readonly<
  Omit<VenueOrderRecord, 'id' | 'instrument' | 'owner' | 'instrumentAccount' | 'sign' | 'isOpen' | 'isCanceling' | 'prev' | 'next'>
>;

/** Number of slots: a power of two, so that the low bits of an id give the slot of its order. */
const SLOT_COUNT = 512;
/** The low bits of an id; a bit operation keeps them for ids above 2^31 too. */
const SLOT_MASK = SLOT_COUNT - 1;

/**
 * The pool, and the records in use by id. When another order follows, an order in use is stored in the slot of the low bits of its id. If
 * that slot is needed again while the order is in use, it moves to a map, which stays small because most orders end soon. A released record
 * stays in its slot until that is overwritten; its id shows that it is free or in use under another id.
 */
export class OrderTable {
  private lastId = 0;
  private readonly freeList: VenueOrderRecord[] = [];
  /** The newest order, in no slot yet. Most orders end before the next one comes, which then reuses the record without a move. */
  private newest: VenueOrderRecord | null = null;
  private readonly slots: (VenueOrderRecord | null)[] = Array.from({ length: SLOT_COUNT }, () => null);
  private readonly overflow = new Map<number, VenueOrderRecord>();

  /** Returns a record with a new id; the caller sets its other fields. */
  acquire(instrument: Instrument, owner: Account): VenueOrderRecord {
    let order = this.newest;
    if (order === null || order.id !== 0) order = this.allocate(instrument, owner);
    // Both are mostly unchanged.
    // hot: docs/performance.md#equal-references
    if (order.instrument !== instrument) order.instrument = instrument;
    if (order.owner !== owner) order.owner = owner;
    order.id = ++this.lastId;
    return order;
  }
  /** Makes a record of the pool, or a new one, the newest order. The order that was the newest moves to its slot. */
  private allocate(instrument: Instrument, owner: Account): VenueOrderRecord {
    if (this.newest !== null) this.storeInSlot(this.newest);
    return (this.newest = this.freeList.pop() ?? new VenueOrderRecord(instrument, owner));
  }
  /** Stores an order in the slot of its id. An order in use that is there moves to the map. */
  private storeInSlot(order: VenueOrderRecord): void {
    const slot = order.id & SLOT_MASK;
    const previousOrder = this.slots[slot] ?? null;
    if (previousOrder !== null && previousOrder !== order && previousOrder.id !== 0 && (previousOrder.id & SLOT_MASK) === slot)
      this.overflow.set(previousOrder.id, previousOrder);
    this.slots[slot] = order;
  }

  /** Returns the order in use with this id. Null without one. */
  find(id: number): VenueOrderRecord | null {
    if (id === 0) return null;
    if (this.newest?.id === id) return this.newest;
    const order = this.slots[id & SLOT_MASK];
    return order?.id === id ? order : (this.overflow.get(id) ?? null);
  }

  /** Returns the record of an ended order to the pool. */
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
