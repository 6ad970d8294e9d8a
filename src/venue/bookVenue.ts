// What every exchange for bars has: the table of orders, the books, cancels. No clock, no I/O, no promise.

import * as checks from '../base/assert.ts';
import { InvariantError } from '../base/errors.ts';
import { mulDiv } from '../base/exact.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderIntent } from '../model/order.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';
import type { RowBook } from './rowBook.ts';
import type { VenueState } from './venueConfig.ts';
import { type OrderImage, type OrderRecord, OrderTable, type VenueOrder } from './venueOrder.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const assert: typeof checks.assert = checks.assert;

/** Time comes in with each call; amounts are whole numbers of the instrument's and the assets' scales. */
export abstract class BookVenue<Book extends RowBook> {
  /** Code of the last refusal (spec part 7); of no meaning after a call that succeeded. */
  refusal = 0;
  protected readonly orders = new OrderTable();
  protected readonly books: readonly Book[];
  protected readonly bookOf: ReadonlyMap<Instrument, Book>;
  protected readonly placeOff: boolean;
  private readonly cancelOff: boolean;
  private readonly missingOrderCode: number;

  protected constructor(books: readonly Book[], state: VenueState | undefined, missingOrderCode: number) {
    this.books = books;
    this.bookOf = new Map(books.map((book) => [book.instrument, book]));
    for (const book of books) book.state = state?.instruments?.[book.instrument.id] ?? null;
    this.placeOff = state?.off?.includes('place') ?? false;
    this.cancelOff = state?.off?.includes('cancel') ?? false;
    this.missingOrderCode = state?.missingOrderCode ?? missingOrderCode;
  }

  /**
   * Takes an order; it matches rows that open at `nowMs` or later. null: refused, `refusal` says why. `ref` is the caller's own number
   * and comes back on the record. Whether an order is MARKET or LIMIT is told by `limit` (0 or above); `slot` is the bot's own and means
   * nothing here.
   */
  abstract place(account: number, ref: number, intent: OrderIntent, nowMs: number): VenueOrder | null;
  /** The code with which `place` would refuse, or 0; changes no order and no balance. */
  abstract check(account: number, intent: OrderIntent): number;
  /** Throws InvariantError when money was made or lost anywhere. For tests and ends of runs: it walks all accounts. */
  abstract assertConserved(): void;

  trades(instrument: Instrument): boolean {
    return this.bookOf.has(instrument);
  }
  /** The book of an instrument: the very record of the config, not a copy. */
  book(instrument: Instrument): Book {
    const book = this.bookOf.get(instrument);
    if (book === undefined) throw new InvariantError(`${instrument.id} is no instrument of this venue`);
    return book;
  }

  /** Step 14 of the order of checks. A number finer than its scale is a fraction here: `size` is an amount or a quantity. */
  protected checkInstrument(book: Book, limit: number, size: number, byAmount: boolean): number {
    const { state } = book;
    if (state !== null) {
      if (state.frozen === true) return VENUE_CODES.exchangeLock.code;
      if (limit === 0 && state.marketTrading === false) return VENUE_CODES.marketNotSupported.code;
    }
    if (Math.floor(limit) !== limit) return VENUE_CODES.priceVolumePrecision.code;
    if (Math.floor(size) !== size) return byAmount ? VENUE_CODES.badPrecision.code : VENUE_CODES.priceVolumePrecision.code;
    if (size <= 0 || (!byAmount && size < book.instrument.minLots)) return VENUE_CODES.quantityTooSmall.code;
    const priceBandPpm = state === null ? 0 : (state.priceBandPpm ?? 0);
    if (priceBandPpm > 0 && limit > 0 && book.lastPrice > 0) {
      const furthest = mulDiv(book.lastPrice, priceBandPpm, 1_000_000, 'down');
      if (Math.abs(limit - book.lastPrice) > furthest) return VENUE_CODES.priceWaveExceed.code;
    }
    return 0;
  }

  /** An order of a venue that ended, as it was: what it holds stands in the restored balances already. */
  restore(instrument: Instrument, image: OrderImage): VenueOrder {
    const book = this.book(instrument);
    const order = this.orders.acquire(instrument, book.accounts[image.account]!);
    const { status, ...fields } = image;
    Object.assign(order, fields);
    book.readmit(order);
    order.isCanceling = status === 'PENDING_CANCEL';
    return order;
  }

  /** Cancels at once: `requestCancel` and `finishCancel` in one. False: refused, see `refusal`. */
  cancel(order: VenueOrder, nowMs: number): boolean {
    return this.requestCancel(order) && this.finishCancel(order, nowMs);
  }

  /** Marks an open order PENDING_CANCEL: it may still fill until `finishCancel`. Asked twice, it answers alike. False: see `refusal`. */
  requestCancel(order: OrderRecord): boolean {
    if (this.cancelOff) return this.refuse(VENUE_CODES.unsupportedOperation.code);
    if (!order.isOpen) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    order.isCanceling = true;
    return true;
  }

  /** Ends an order that waits for it: CANCELED, told to the sink. False when it filled meanwhile (-1145). */
  finishCancel(order: OrderRecord, nowMs: number): boolean {
    if (!order.isOpen || !order.isCanceling) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
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
    assert(order.isOpen === false, 'an order has ended before it is released');
    this.orders.release(order);
  }

  protected refuse(code: number): false {
    this.refusal = code;
    return false;
  }
}
