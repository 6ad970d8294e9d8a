// The exchange's truth: accounts, admission of orders, cancels, and one book for each instrument. No clock, no I/O, no promise.

import { assert } from '../base/assert.ts';
import { InvariantError } from '../base/errors.ts';
import { mulDiv } from '../base/exact.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderIntent } from '../model/order.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';
import { Accounts } from './accounts.ts';
import { type BookContext, InstrumentBook, type VenueSink } from './instrumentBook.ts';
import { checkVenueConfig, type InstrumentState, type VenueConfig } from './venueConfig.ts';
import { type OrderRecord, OrderTable, type VenueOrder } from './venueOrder.ts';

const OPEN: InstrumentState = {};

/** A spot exchange for bars. Time comes in with each call; amounts are whole numbers of the instrument's and the assets' scales. */
export class Venue {
  /** Code of the last refusal (spec part 7); of no meaning after a call that succeeded. */
  refusal = 0;
  private readonly accounts: Accounts;
  private readonly orders = new OrderTable();
  private readonly books: readonly InstrumentBook[];
  private readonly bookOf: ReadonlyMap<Instrument, InstrumentBook>;
  /** By index of the instrument. */
  private readonly states: readonly InstrumentState[];
  private readonly maxOpenOrders: number;
  private readonly placeOff: boolean;
  private readonly cancelOff: boolean;
  private readonly missingOrderCode: number;
  /** The book of the last order, and the units that the last admitted order has to hold. */
  private lastBook: InstrumentBook;
  private needed = 0.5;

  /** Throws ConfigError at a setting or a list of instruments that no venue can run with. */
  constructor(config: VenueConfig, sink: VenueSink) {
    checkVenueConfig(config);
    const { instruments, state } = config;
    this.accounts = new Accounts(config);
    const context: BookContext = { config, accounts: this.accounts, sink, lastTradeId: 0 };
    this.books = instruments.map((instrument, index) => new InstrumentBook(instrument, index, context));
    this.bookOf = new Map(this.books.map((book) => [book.instrument, book]));
    this.states = instruments.map(({ id }) => state?.instruments?.[id] ?? OPEN);
    this.maxOpenOrders = config.maxOpenOrders;
    this.placeOff = state?.off?.includes('place') ?? false;
    this.cancelOff = state?.off?.includes('cancel') ?? false;
    this.missingOrderCode = state?.missingOrderCode ?? VENUE_CODES.noSuchOrder.code;
    this.lastBook = this.books[0]!;
  }

  /** The index of the new account. Throws ConfigError when the name is taken. */
  openAccount(name: string): number {
    return this.accounts.open(name);
  }

  /** Fee rates of one account on one instrument, in millionths, for orders placed from now on. */
  setFees(account: number, instrument: Instrument, makerPpm: number, takerPpm: number): void {
    this.accounts.setFees(account, this.book(instrument).index, makerPpm, takerPpm);
  }

  /** Adds units of an asset from outside. Throws ConfigError for an asset that no instrument trades. */
  deposit(account: number, asset: string, units: number): void {
    this.accounts.deposit(account, this.accounts.asset(asset), units);
  }

  /** Units of an asset at the account's disposal. */
  free(account: number, asset: string): number {
    return this.accounts.free[this.accounts.at(account, this.accounts.asset(asset))]!;
  }

  /** Units of an asset held for open orders. */
  locked(account: number, asset: string): number {
    return this.accounts.locked[this.accounts.at(account, this.accounts.asset(asset))]!;
  }

  /** Fees taken so far in an asset, of all accounts. */
  feesTaken(asset: string): number {
    return this.accounts.fees[this.accounts.asset(asset)]!;
  }

  /** The book of an instrument: the very record of the config, not a copy. */
  book(instrument: Instrument): InstrumentBook {
    const book = this.bookOf.get(instrument);
    if (book === undefined) throw new InvariantError(`${instrument.id} is no instrument of this venue`);
    return book;
  }

  /**
   * Takes an order; it matches rows that open at `nowMs` or later. null: refused, `refusal` says why. `ref` is the caller's own number
   * and comes back on the record. Whether an order is MARKET or LIMIT is told by `limit` (0 or above); `reduceOnly` and `slot` are the
   * bot's own and mean nothing here.
   */
  place(account: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null {
    const code = this.check(account, intent);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const { accounts, lastBook: book } = this;
    const order = this.orders.acquire(book.instrument);
    order.ref = ref;
    order.account = account;
    order.side = intent.side;
    order.limit = intent.limit;
    order.lots = intent.lots;
    order.quoteUnits = intent.quoteUnits;
    order.status = 'NEW';
    order.filledLots = 0;
    order.filledUnits = 0;
    order.lockedUnits = this.needed;
    order.admittedMs = nowMs;
    const rate = account * this.books.length + book.index;
    order.makerPpm = accounts.makerPpm[rate]!;
    order.takerPpm = accounts.takerPpm[rate]!;
    accounts.lock(account * accounts.width + (intent.side === 'buy' ? book.quoteAsset : book.baseAsset), this.needed);
    book.add(order);
    return order;
  }

  /**
   * The code with which `place` would refuse, or 0; changes no order and no balance. The order of the checks is the dialect's (10.1): an
   * operation switched off, then combination, instrument, account, balance; the first that fails answers.
   */
  check(account: number, intent: OrderIntent): number {
    if (this.placeOff) return VENUE_CODES.unsupportedOperation.code;
    if (intent.instrument !== this.lastBook.instrument) {
      const book = this.bookOf.get(intent.instrument);
      if (book === undefined) return VENUE_CODES.badSymbol.code;
      this.lastBook = book;
    }
    const { accounts, lastBook: book } = this;
    const { limit, lots, quoteUnits } = intent;
    if (limit < 0) return VENUE_CODES.mandatoryParamEmpty.code;
    const isBuy = intent.side === 'buy';
    // A MARKET BUY is by amount and nothing else is: spec 4.1. Spot has no time in force.
    const byAmount = isBuy && limit === 0;
    if (intent.timeInForce !== null || (byAmount ? lots !== 0 : quoteUnits !== 0)) return VENUE_CODES.unknownComposition.code;
    const code = this.checkInstrument(book, limit, byAmount ? quoteUnits : lots, byAmount);
    if (code !== 0) return code;
    const balance = accounts.at(account, isBuy ? book.quoteAsset : book.baseAsset);
    if (accounts.restricted[account] === 1) return VENUE_CODES.accountRestricted.code;
    if (accounts.openOrders[account]! >= this.maxOpenOrders) return VENUE_CODES.tooManyOrders.code;

    const rate = account * this.books.length + book.index;
    const taker = accounts.takerPpm[rate]!;
    if (!isBuy) this.needed = lots * book.money.unitsPerLot;
    else if (byAmount) this.needed = book.buyHold(quoteUnits, taker);
    else this.needed = book.buyHold(book.money.notional(limit, lots), Math.max(accounts.makerPpm[rate]!, taker));
    return this.needed <= accounts.free[balance]! ? 0 : VENUE_CODES.balanceNotEnough.code;
  }

  /** Step 14 of the order of checks. A number finer than its scale is a fraction here: `size` is an amount or a quantity. */
  private checkInstrument(book: InstrumentBook, limit: number, size: number, byAmount: boolean): number {
    const { frozen, marketTrading, priceBandPpm } = this.states[book.index]!;
    if (frozen === true) return VENUE_CODES.exchangeLock.code;
    if (limit === 0 && marketTrading === false) return VENUE_CODES.marketNotSupported.code;
    if (Math.floor(limit) !== limit) return VENUE_CODES.priceVolumePrecision.code;
    if (Math.floor(size) !== size) return byAmount ? VENUE_CODES.badPrecision.code : VENUE_CODES.priceVolumePrecision.code;
    if (size <= 0 || (!byAmount && size < book.instrument.minLots)) return VENUE_CODES.quantityTooSmall.code;
    if (limit > 0 && priceBandPpm !== undefined && priceBandPpm > 0 && book.lastPrice > 0) {
      const furthest = mulDiv(book.lastPrice, priceBandPpm, 1_000_000, 'down');
      if (Math.abs(limit - book.lastPrice) > furthest) return VENUE_CODES.priceWaveExceed.code;
    }
    return 0;
  }

  /** Cancels at once: `requestCancel` and `finishCancel` in one. False: refused, see `refusal`. */
  cancel(order: VenueOrder, nowMs: number): boolean {
    return this.requestCancel(order) && this.finishCancel(order, nowMs);
  }

  /** Marks an open order PENDING_CANCEL: it may still fill until `finishCancel`. Asked twice, it answers alike. False: see `refusal`. */
  requestCancel(order: OrderRecord): boolean {
    if (this.cancelOff) return this.refuse(VENUE_CODES.unsupportedOperation.code);
    if (!order.isOpen) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    order.status = 'PENDING_CANCEL';
    return true;
  }

  /** Ends an order that waits for it: CANCELED, told to the sink. False when it filled meanwhile (-1145). */
  finishCancel(order: OrderRecord, nowMs: number): boolean {
    if (!order.isOpen || order.status !== 'PENDING_CANCEL') return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    this.book(order.instrument).cancel(order, nowMs);
    return true;
  }

  /** `requestCancel` by id; null: refused, `refusal` says why. */
  requestCancelById(account: number, id: number): VenueOrder | null {
    const order = this.find(account, id);
    if (order === null) this.refusal = this.cancelOff ? VENUE_CODES.unsupportedOperation.code : this.missingOrderCode;
    return order !== null && this.requestCancel(order) ? order : null;
  }

  /** The order of an account with this id, open or ended but not yet released; null: `refusal` is -2013. */
  find(account: number, id: number): VenueOrder | null {
    const order = this.orders.find(id);
    if (order !== null && order.account === account) return order;
    this.refusal = VENUE_CODES.noSuchOrder.code;
    return null;
  }

  /** Gives the record of an ended order back to the pool: the caller is done with it, its id is never found again. */
  release(order: OrderRecord): void {
    assert(!order.isOpen, 'an order has ended before it is released');
    this.orders.release(order);
  }

  /** Throws InvariantError unless, in each asset, deposits = balances + fees + what the market took. For tests: it walks all accounts. */
  assertConserved(): void {
    this.accounts.assertConserved();
  }

  private refuse(code: number): false {
    this.refusal = code;
    return false;
  }
}
