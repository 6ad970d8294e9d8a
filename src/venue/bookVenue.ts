// The base class of the spot and futures venues for bars: the table of orders, the books, and cancels. No clock, no I/O, no promises.

import * as checks from '../base/assert.ts';
import { InvariantError } from '../base/errors.ts';
import { mulDiv } from '../base/number/exact.ts';
import { type Instrument, MAX_PRICE_TICKS } from '../model/instrument.ts';
import type { OrderIntent } from '../model/order.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';
import type { Account } from './account.ts';
import type { BarBook } from './barBook.ts';
import type { InstrumentState, VenueState } from './venueConfig.ts';
import { type OrderImage, type VenueOrderRecord, OrderTable, type VenueOrder } from './venueOrder.ts';

// hot: docs/performance.md#imported-constants
const {
  badPrecision,
  cancelNotAllowed,
  exchangeLock,
  marketNotSupported,
  noSuchOrder,
  priceVolumePrecision,
  priceWaveExceed,
  quantityTooSmall,
  unsupportedOperation,
} = VENUE_CODES;
const assert: typeof checks.assert = checks.assert;
const HIGHEST_TICKS = MAX_PRICE_TICKS;

/** The caller passes the time with each call. Amounts are whole numbers in the scales of the instrument and the assets. */
export abstract class BookVenue<Book extends BarBook> {
  /** Code of the last refusal (spec part 7); undefined after a call that succeeded. */
  refusal = 0;
  protected readonly orders = new OrderTable();
  protected readonly books: readonly Book[];
  protected readonly bookByInstrument: ReadonlyMap<Instrument, Book>;
  protected readonly isPlaceOff: boolean;
  private readonly isCancelOff: boolean;
  private readonly missingOrderCode: number;

  protected constructor(books: readonly Book[], state: VenueState | undefined, missingOrderCode: number) {
    this.books = books;
    this.bookByInstrument = new Map(books.map((book) => [book.instrument, book]));
    for (const book of books) book.state = state?.instruments?.[book.instrument.id] ?? null;
    this.isPlaceOff = state?.off?.includes('place') ?? false;
    this.isCancelOff = state?.off?.includes('cancel') ?? false;
    this.missingOrderCode = state?.missingOrderCode ?? missingOrderCode;
  }

  /**
   * Places an order, which matches rows that open at `nowMs` or later. Null: refused, see `refusal`. `ref` is the caller's own number and
   * is stored on the record. A `limit` of 0 makes a MARKET order, one above 0 a LIMIT order. The venue ignores `slot`.
   */
  abstract place(accountIndex: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null;
  /** Returns the code with which `place` would refuse, or 0. Changes no order and no balance. */
  abstract check(accountIndex: number, intent: OrderIntent): number;
  /** Throws InvariantError when any money appeared or vanished. For tests and ends of runs, because it visits all accounts. */
  abstract assertConserved(): void;

  /** True when the venue has a book of this instrument. */
  trades(instrument: Instrument): boolean {
    return this.bookByInstrument.has(instrument);
  }
  /** Returns the book of an instrument. `instrument` must be the record of the config itself, not a copy. */
  book(instrument: Instrument): Book {
    const book = this.bookByInstrument.get(instrument);
    if (book === undefined) throw new InvariantError(`${instrument.id} is not an instrument of this venue`);
    return book;
  }

  /**
   * Step 14 of the order of checks (exchange dialect, 10.1), and whether the account may order. A number finer than its scale appears as a
   * fraction. `size` is an amount or a quantity.
   */
  protected checkTerms(book: Book, account: Account, limit: number, size: number, isByAmount: boolean): number {
    const code = book.state === null ? checkNumbers(book, limit, size, isByAmount) : checkState(book, book.state, limit, size, isByAmount);
    return code !== 0 ? code : account.refusal();
  }

  /** Restores an order of an earlier process. The restored balances already include what it holds. */
  restore(instrument: Instrument, image: OrderImage): VenueOrder {
    const book = this.book(instrument);
    const order = this.orders.acquire(instrument, book.accounts[image.account]!);
    const { status, ...fields } = image;
    Object.assign(order, fields);
    book.readmit(order);
    order.isCanceling = status === 'PENDING_CANCEL';
    return order;
  }

  /** Cancels at once: `requestCancel` and `finishCancel` together. False: refused, see `refusal`. */
  cancel(order: VenueOrder, nowMs: number): boolean {
    return this.requestCancel(order) && this.finishCancel(order, nowMs);
  }

  /**
   * Marks an open order PENDING_CANCEL; it may still fill until `finishCancel`. A second call gives the same result. False: see `refusal`.
   */
  requestCancel(order: VenueOrderRecord): boolean {
    if (this.isCancelOff) return this.refuse(unsupportedOperation.code);
    if (!order.isOpen) return this.refuse(cancelNotAllowed.code);
    order.isCanceling = true;
    return true;
  }

  /** Ends an order that is PENDING_CANCEL as CANCELED, and reports it to the sink. False when it filled meanwhile (-1145). */
  finishCancel(order: VenueOrderRecord, nowMs: number): boolean {
    if (!order.isOpen || !order.isCanceling) return this.refuse(cancelNotAllowed.code);
    this.book(order.instrument).cancel(order, nowMs);
    return true;
  }

  /** `requestCancel` by id. Null: refused, see `refusal`. */
  requestCancelById(accountIndex: number, id: number): VenueOrder | null {
    const order = this.find(accountIndex, id);
    if (order === null) this.refusal = this.isCancelOff ? unsupportedOperation.code : this.missingOrderCode;
    return order !== null && this.requestCancel(order) ? order : null;
  }

  /** Returns the order of an account with this id, open or ended but not yet released; null: `refusal` is -2013. */
  find(accountIndex: number, id: number): VenueOrder | null {
    const order = this.orders.find(id);
    if (order !== null && order.account === accountIndex) return order;
    this.refusal = noSuchOrder.code;
    return null;
  }

  /** Returns the record of an ended order to the pool. Its id is never found again. */
  release(order: VenueOrderRecord): void {
    assert(order.isOpen === false, 'an order has ended before it is released');
    this.orders.release(order);
  }

  /** Sets the refusal code. Returns false, as the result of the call that is refused. */
  protected refuse(code: number): false {
    this.refusal = code;
    return false;
  }
}

/** Returns the error code of a price or size that is not whole, too small or too high. 0 if both are valid. */
function checkNumbers({ minLots }: BarBook, limit: number, size: number, isByAmount: boolean): number {
  if (Math.floor(limit) !== limit) return priceVolumePrecision.code;
  if (Math.floor(size) !== size) return isByAmount ? badPrecision.code : priceVolumePrecision.code;
  if (!(size >= (isByAmount ? 1 : minLots))) return quantityTooSmall.code;
  return limit < HIGHEST_TICKS ? 0 : priceWaveExceed.code;
}

/** Does the same for an instrument with special settings of the exchange. */
function checkState(book: BarBook, state: InstrumentState, limit: number, size: number, isByAmount: boolean): number {
  if (state.frozen === true) return exchangeLock.code;
  if (limit === 0 && state.marketTrading === false) return marketNotSupported.code;
  const code = checkNumbers(book, limit, size, isByAmount);
  if (code !== 0) return code;
  const { lastPrice } = book;
  const { priceBandPpm = 0 } = state;
  if (priceBandPpm === 0 || limit === 0 || lastPrice === 0) return 0;
  const furthest = mulDiv(lastPrice, priceBandPpm, 1_000_000, 'down');
  return Math.abs(limit - lastPrice) > furthest ? priceWaveExceed.code : 0;
}
