// The simulated spot venue: accounts, admission of orders, and one book for each instrument. No clock, no I/O, no promises.

import { listOf } from '../base/memory/listOf.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderIntent } from '../model/order.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';
import { Account } from './account.ts';
import { Accounts, Balance, noAccount, InstrumentAccount } from './accounts.ts';
import { BookVenue } from './bookVenue.ts';
import { SpotBook } from './spotBook.ts';
import { checkVenueConfig, type VenueConfig } from './venueConfig.ts';
import type { BookContext, VenueOrder, VenueSink } from './venueOrder.ts';

// hot: docs/performance.md#imported-constants
const { badSymbol, balanceNotEnough, mandatoryParamEmpty, noSuchOrder, unknownComposition, unsupportedOperation } = VENUE_CODES;

const NO_INSTRUMENT_ACCOUNT = new InstrumentAccount(new Account('', true, 0), new Balance(), new Balance(), 0, 0);

/**
 * A spot exchange for bars. The caller passes the time with each call. Amounts are whole numbers in the scales of instrument and assets.
 */
export class Venue extends BookVenue<SpotBook> {
  readonly accounts: Accounts;
  /** For the order checked last: its book, its account there, its side, and the units to hold for it. */
  private lastBook: SpotBook;
  private lastAccount = -1;
  private lastInstrumentAccount = NO_INSTRUMENT_ACCOUNT;
  private lastSign: 1 | -1 = 1;
  private neededUnits = 0.5;

  /** `Book`: the class that books fills. Throws ConfigError for an invalid setting or list of instruments. */
  constructor(config: VenueConfig, sink: VenueSink, Book: typeof SpotBook = SpotBook) {
    checkVenueConfig(config);
    const accounts = new Accounts(config);
    const context: BookContext = { config, feeModel: config.fees.model ?? null, sink, accounts: accounts.all, lastTradeId: 0 };
    const books = listOf(config.instruments, (instrument, index) => new Book(instrument, index, context, accounts, config.fees));
    super(books, config.state, noSuchOrder.code);
    this.accounts = accounts;
    this.lastBook = this.books[0]!;
  }

  /** Opens an account and returns its index. Throws ConfigError when the name is taken. */
  openAccount(name: string): number {
    return this.accounts.open(name);
  }

  /** Sets the fee rates of one account on one instrument, ppm, for orders placed from now on. */
  setFees(accountIndex: number, instrument: Instrument, makerPpm: number, takerPpm: number): void {
    this.accounts.setFees(accountIndex, this.book(instrument).index, makerPpm, takerPpm);
  }

  /** Adds units of an asset from outside. Throws ConfigError for an asset that no instrument trades. */
  deposit(accountIndex: number, asset: string, units: number): void {
    this.accounts.deposit(accountIndex, this.accounts.asset(asset), units);
  }

  /** Returns the units of an asset that are available to the account. */
  free(accountIndex: number, asset: string): number {
    return this.accounts.of(accountIndex, this.accounts.asset(asset)).free;
  }

  /** Returns the units of an asset that open orders hold. */
  locked(accountIndex: number, asset: string): number {
    return this.accounts.of(accountIndex, this.accounts.asset(asset)).locked;
  }

  /** Returns the fees taken in an asset until now, over all accounts. */
  feesTaken(asset: string): number {
    return this.accounts.external[this.accounts.asset(asset)]!.fees;
  }

  override place(accountIndex: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null {
    const code = this.check(accountIndex, intent);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const { lastBook: book, lastInstrumentAccount: instrumentAccount, lastSign: sign, neededUnits: lockedUnits } = this;
    const order = this.orders.acquire(book.instrument, instrumentAccount.account);
    if (order.instrumentAccount !== instrumentAccount) order.instrumentAccount = instrumentAccount;
    order.ref = ref;
    order.account = accountIndex;
    order.sign = sign;
    order.limit = intent.limit;
    order.lots = intent.lots;
    order.quoteUnits = intent.quoteUnits;
    order.filledLots = 0;
    order.filledUnits = 0;
    order.lockedUnits = lockedUnits;
    order.admittedMs = nowMs;
    order.makerPpm = instrumentAccount.makerPpm;
    order.takerPpm = instrumentAccount.takerPpm;
    (sign > 0 ? instrumentAccount.quote : instrumentAccount.base).lock(lockedUnits);
    book.add(order);
    return order;
  }

  /** The sequence of the checks is that of the dialect (10.1): an operation switched off, then combination, instrument, account, balance. */
  override check(accountIndex: number, intent: OrderIntent): number {
    if (accountIndex !== this.lastAccount || intent.instrument !== this.lastBook.instrument) {
      const code = this.bindAccount(accountIndex, intent.instrument);
      if (code !== 0) return code;
    }
    const { lastBook: book, lastInstrumentAccount: instrumentAccount } = this;
    const { limit, lots } = intent;
    if (limit < 0) return mandatoryParamEmpty.code;
    const isBuy = intent.side === 'buy';
    if (limit === 0 && isBuy === true) return this.checkAmount(intent);
    if (intent.timeInForce !== null || intent.quoteUnits !== 0) return unknownComposition.code;
    const code = this.checkTerms(book, instrumentAccount.account, limit, lots, false);
    if (code !== 0) return code;
    if (isBuy === false) return this.checkFunds(-1, lots * book.money.unitsPerLot, instrumentAccount.base);
    return this.checkFunds(1, book.buyHold(book.money.notional(limit, lots), instrumentAccount.maxFeePpm), instrumentAccount.quote);
  }

  /** Returns the code of a refusal of a MARKET BUY, or 0. Only a MARKET BUY is by amount, and it always is: spec 4.1. */
  private checkAmount({ lots, quoteUnits, timeInForce }: OrderIntent): number {
    const { lastBook: book, lastInstrumentAccount: instrumentAccount } = this;
    // A market buy on spot has no time in force.
    if (timeInForce !== null || lots !== 0) return unknownComposition.code;
    const code = this.checkTerms(book, instrumentAccount.account, 0, quoteUnits, true);
    return code !== 0 ? code : this.checkFunds(1, book.buyHold(quoteUnits, instrumentAccount.takerPpm), instrumentAccount.quote);
  }

  /** Notes the side and the units to hold, which `place` reads. Returns the code of a refusal if the balance is too small, or 0. */
  private checkFunds(sign: 1 | -1, neededUnits: number, payer: Balance): number {
    this.lastSign = sign;
    this.neededUnits = neededUnits;
    return neededUnits <= payer.free ? 0 : balanceNotEnough.code;
  }

  /** Finds the account and book for the checks of an order. Returns the code of a refusal, or 0. */
  private bindAccount(accountIndex: number, instrument: Instrument): number {
    if (this.isPlaceOff) return unsupportedOperation.code;
    const book = this.bookByInstrument.get(instrument);
    if (book === undefined) return badSymbol.code;
    this.lastInstrumentAccount = book.instrumentAccounts[accountIndex] ?? noAccount(accountIndex);
    this.lastBook = book;
    this.lastAccount = accountIndex;
    return 0;
  }

  /** Throws InvariantError unless, in each asset, deposits = balances + fees + market. For tests, because it visits all accounts. */
  override assertConserved(): void {
    this.accounts.assertConserved();
  }
}
