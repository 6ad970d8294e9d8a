// The spot exchange's truth: accounts, admission of orders, and one book for each instrument. No clock, no I/O, no promise.

import { listOf } from '../base/listOf.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderIntent } from '../model/order.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';
import { Accounts, noAccount, type Seat } from './accounts.ts';
import { BookVenue } from './bookVenue.ts';
import type { BookContext, VenueSink } from './rowBook.ts';
import { SpotBook } from './spotBook.ts';
import { checkVenueConfig, type VenueConfig } from './venueConfig.ts';
import type { VenueOrder } from './venueOrder.ts';

/** A spot exchange for bars. Time comes in with each call; amounts are whole numbers of the instrument's and the assets' scales. */
export class Venue extends BookVenue<SpotBook> {
  readonly accounts: Accounts;
  /** Of the order checked last: its book, its account's seat there, its side, and the units that it has to hold. */
  private lastBook: SpotBook;
  private lastAccount = -1;
  private lastSeat: Seat | null = null;
  private lastSign: 1 | -1 = 1;
  private needed = 0.5;

  /** Throws ConfigError at a setting or a list of instruments that no venue can run with. */
  constructor(config: VenueConfig, sink: VenueSink) {
    checkVenueConfig(config);
    const accounts = new Accounts(config);
    const context: BookContext = { config, feeModel: config.fees.model ?? null, sink, accounts: accounts.all, lastTradeId: 0 };
    const books = listOf(config.instruments, (instrument, index) => new SpotBook(instrument, index, context, accounts, config.fees));
    super(books, config.state, VENUE_CODES.noSuchOrder.code);
    this.accounts = accounts;
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
    return this.accounts.of(account, this.accounts.asset(asset)).free;
  }

  /** Units of an asset held for open orders. */
  locked(account: number, asset: string): number {
    return this.accounts.of(account, this.accounts.asset(asset)).locked;
  }

  /** Fees taken so far in an asset, of all accounts. */
  feesTaken(asset: string): number {
    return this.accounts.outside[this.accounts.asset(asset)]!.fees;
  }

  override place(account: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null {
    const code = this.check(account, intent);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const order = this.orders.acquire(this.lastBook.instrument, this.lastSeat!.account);
    const { lastBook: book, lastSign: sign, needed } = this;
    const seat = this.lastSeat!;
    if (order.seat !== seat) order.seat = seat;
    order.ref = ref;
    order.account = account;
    order.sign = sign;
    order.limit = intent.limit;
    order.lots = intent.lots;
    order.quoteUnits = intent.quoteUnits;
    order.filledLots = 0;
    order.filledUnits = 0;
    order.lockedUnits = needed;
    order.admittedMs = nowMs;
    order.makerPpm = seat.makerPpm;
    order.takerPpm = seat.takerPpm;
    (sign > 0 ? seat.quote : seat.base).lock(needed);
    book.add(order);
    return order;
  }

  /** The order of the checks is the dialect's (10.1): an operation switched off, then combination, instrument, account, balance. */
  override check(account: number, intent: OrderIntent): number {
    if (this.placeOff === true) return VENUE_CODES.unsupportedOperation.code;
    if (intent.instrument !== this.lastBook.instrument) {
      const book = this.bookOf.get(intent.instrument);
      if (book === undefined) return VENUE_CODES.badSymbol.code;
      this.lastBook = book;
      this.lastAccount = -1;
    }
    const { lastBook: book } = this;
    const { limit, lots, quoteUnits } = intent;
    if (limit < 0) return VENUE_CODES.mandatoryParamEmpty.code;
    const isBuy = intent.side === 'buy';
    // A MARKET BUY is by amount and nothing else is: spec 4.1. Spot has no time in force.
    const byAmount = isBuy && limit === 0;
    const size = byAmount ? quoteUnits : lots;
    if (intent.timeInForce !== null || (byAmount ? lots : quoteUnits) !== 0) return VENUE_CODES.unknownComposition.code;
    const code = this.checkInstrument(book, limit, size, byAmount);
    if (code !== 0) return code;
    if (account !== this.lastAccount) this.sitDown(book, account);
    const seat = this.lastSeat!;
    const { isRestricted, openOrders, mostOpen } = seat.account;
    if (isRestricted === true) return VENUE_CODES.accountRestricted.code;
    if (openOrders >= mostOpen) return VENUE_CODES.tooManyOrders.code;

    let needed = 0;
    let payer = seat.base;
    if (isBuy === true) {
      this.lastSign = 1;
      payer = seat.quote;
      if (byAmount) needed = book.buyHold(quoteUnits, seat.takerPpm);
      else needed = book.buyHold(book.money.notional(limit, lots), Math.max(seat.makerPpm, seat.takerPpm));
    } else {
      this.lastSign = -1;
      needed = lots * book.money.unitsPerLot;
    }
    this.needed = needed;
    return needed <= payer.free ? 0 : VENUE_CODES.balanceNotEnough.code;
  }

  private sitDown(book: SpotBook, account: number): void {
    this.lastSeat = book.seats[account] ?? noAccount(account);
    this.lastAccount = account;
  }

  /** Throws InvariantError unless, in each asset, deposits = balances + fees + what the market took. For tests: it walks all accounts. */
  override assertConserved(): void {
    this.accounts.assertConserved();
  }
}
