// One side of the exchange, spot or futures: its orders, order books and venue. Requests act now, and their effects follow after delays.

import { InvariantError } from '../../base/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { VenueOrder, VenueSink } from '../../venue/venueOrder.ts';
import type { AccountConfig, Delays } from '../dialect/config.ts';
import { type IsSpent, Matcher, type Match } from '../matching/matcher.ts';
import { Tape } from '../market/tape.ts';
import type { BarRows, TradedMarket } from '../market/tradedMarket.ts';
import { PendingWrites } from './pendingWrites.ts';
import type { PagedRow } from './pagedList.ts';
import { CODES_AFTER_CAP, OpenCounts } from '../limits/openCounts.ts';
import { imageOf, type OpenOrderRecord } from './orderRecords.ts';
import { idMapsOf, OrderRows, type RowKind, type ArchiveSource } from './orderRows.ts';
import { type OrderStart, type OwnTrade, type UserOrder, UserOrders, visibleStateOf, wireOrderId } from './userOrder.ts';

/** Prefix of the ids of background orders, which belong to no account. */
const BACKGROUND_PREFIX = '1874';

/** The settings and collaborators of one side of the exchange. */
export interface ExchangeSideDeps {
  readonly market: Market;
  /** Prefix of its order ids. */
  readonly prefix: string;
  readonly delays: Delays;
  readonly accounts: readonly AccountConfig[];
  readonly scheduler: Scheduler;
  readonly archive: ArchiveSource;
  /** Maximum number of open orders of one account on one instrument. */
  readonly maxOpenOrdersPerSymbol: number;
}

/** Counters of ids and orders. */
export interface Counters {
  orders: number;
  trades: number;
  background: number;
  /** Orders that have rested in the book. */
  rested: number;
}

/** The orders and markets of one side, with their ids, delays and pending writes. */
export abstract class ExchangeSide<O extends UserOrder, T extends OwnTrade> implements VenueSink {
  abstract readonly venue: BookVenue<BarBook>;
  readonly orders: UserOrders<O, T>;
  readonly orderRows: OrderRows<O, T>;
  readonly changes = new PendingWrites<O, T>();
  /** Code of the last refusal. */
  refusalCode = 0;
  /** The delays of the config, unless a fault replaces them. */
  delays: Delays;
  protected readonly scheduler: Scheduler;
  readonly #prefix: string;
  readonly #openCounts: OpenCounts;
  readonly #marketByName = new Map<string, TradedMarket>();
  readonly #marketByInstrument = new Map<Instrument, TradedMarket>();
  readonly #tradeIds = { lastTradeId: 0 };
  #lastOrder = 0;
  #backgroundIds = 0;
  #restedOrders = 0;
  /** Until this time reads show nothing new, ms UTC. */
  #frozenUntilMs = 0;
  /** The match that the venue's current fills belong to. */
  #match: Match | null = null;

  protected constructor(
    { market, prefix, delays, accounts, scheduler, archive, maxOpenOrdersPerSymbol }: ExchangeSideDeps,
    kind: RowKind<O, T>,
  ) {
    this.#prefix = prefix;
    this.#openCounts = new OpenCounts(maxOpenOrdersPerSymbol);
    this.delays = delays;
    this.scheduler = scheduler;
    const names = idMapsOf(market, accounts, (name) => this.#marketByName.get(name)?.instrument);
    this.orderRows = new OrderRows(prefix, names, kind, archive);
    this.orders = new UserOrders(prefix, this.orderRows);
  }

  /** Creates this side's record of an order that the venue has accepted. */
  protected abstract newOrder(start: OrderStart): O;
  /** Creates the own trade of an order, from the fields common to both markets. */
  protected abstract newTrade(order: O, trade: OwnTrade, fill: Fill): T;
  /** Called after each match, before its fills are reported. */
  protected onTrade(_market: TradedMarket, _match: Match): void {}
  /** Called when an order reaches the book. */
  protected onAdmission(_order: O): void {}

  /** The markets of all instruments. */
  get markets(): readonly TradedMarket[] {
    return Array.from(this.#marketByInstrument.values());
  }

  /** Finds a market by its wire name, in upper case. */
  market(name: string): TradedMarket | undefined {
    return this.#marketByName.get(name);
  }

  /** Returns the market of an instrument. Throws InvariantError if this side does not trade it. */
  marketOf(instrument: Instrument): TradedMarket {
    const market = this.#marketByInstrument.get(instrument);
    if (market === undefined) throw new InvariantError(`${instrument.id} is not traded here`);
    return market;
  }

  /** Market time, ms UTC. */
  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** Returns the orders that have not ended, including those still on their way to the book. */
  unendedOrders(): readonly O[] {
    return this.orders.unended();
  }

  /** Marks open orders to be written to the store again. */
  noteOpenOrders(): void {
    for (const order of this.unendedOrders()) this.changes.note(order);
  }
  /** Removes open orders from the pending writes. */
  forgetOpenOrders(): void {
    this.changes.forget(({ ended }) => ended === null);
  }

  /** The latest trade id; 0 before the first trade. */
  get lastTradeId(): number {
    return this.#tradeIds.lastTradeId;
  }

  get counters(): Counters {
    return { orders: this.#lastOrder, trades: this.#tradeIds.lastTradeId, background: this.#backgroundIds, rested: this.#restedOrders };
  }
  set counters({ orders, trades, background, rested }: Counters) {
    this.#lastOrder = orders;
    this.#tradeIds.lastTradeId = trades;
    this.#backgroundIds = background;
    this.#restedOrders = rested;
  }

  /**
   * Restores the open orders of an earlier process, oldest first. Resting orders keep their priority in the book. Pending admissions and
   * cancels take effect now.
   */
  restoreOpenOrders(records: readonly OpenOrderRecord[]): void {
    const resting: O[] = [];
    for (const stored of records) {
      const order = this.orderRows.restoreOrder(stored);
      order.venueOrder = this.venue.restore(order.instrument, imageOf(stored, order.account));
      order.restSequence = stored.rested;
      this.orders.add(order);
      this.#openCounts.add(order, 1);
      this.orders.show(order, visibleStateOf(order, order.venueOrder));
      if (!order.isAdmitted) this.schedule(0, () => this.#admit(order));
      else if (order.restSequence > 0) resting.push(order);
      if (order.venueOrder.status === 'PENDING_CANCEL') this.schedule(0, () => this.#finishCancel(order));
    }
    for (const order of resting.toSorted((a, b) => a.restSequence - b.restSequence)) {
      const { id, venueOrder, instrument, intent } = order;
      const { book } = this.marketOf(instrument).matcher;
      if (venueOrder !== null)
        order.resting = book.add(id, venueOrder, intent.side, venueOrder.limit, venueOrder.lots - venueOrder.filledLots);
    }
  }
  /** Returns the code with which `place` would refuse an order, or 0. Changes nothing. */
  refusalCodeFor(accountIndex: number, intent: OrderIntent): number {
    const code = this.venue.check(accountIndex, intent);
    // A refusal by an earlier check wins: those concern the order itself, and whether the account may order (exchange dialect, 10.1).
    const isCapChecked = code === 0 || CODES_AFTER_CAP.has(code);
    return isCapChecked && this.#openCounts.wouldExceed(accountIndex, intent) ? VENUE_CODES.tooManyOrders.code : code;
  }

  /**
   * Places an order: its funds are held at once, and it reaches the book after the admission delay. Returns null if refused: see `refusalCode`.
   */
  place(accountIndex: number, intent: OrderIntent, clientOrderId: string | null): O | null {
    if (this.#openCounts.wouldExceed(accountIndex, intent)) {
      this.refusalCode = this.refusalCodeFor(accountIndex, intent);
      return null;
    }
    const { nowMs } = this;
    const barRows = this.#barRowsOf(intent.instrument);
    const isPrompt = barRows?.isActing === true;
    const arrivedMs = barRows?.sentMs(nowMs) ?? nowMs;
    const admittedMs = arrivedMs + (isPrompt ? 0 : this.delays.admissionMs);
    // The venue stores the order number, by which the order is found later.
    const venueOrder = this.venue.place(accountIndex, this.#lastOrder + 1, intent, barRows === null ? nowMs : admittedMs);
    if (venueOrder === null) {
      this.refusalCode = this.venue.refusal;
      return null;
    }
    const order = this.newOrder({ id: this.nextOrderId(), account: accountIndex, clientOrderId, intent, placedMs: nowMs, venueOrder });
    this.orders.add(order);
    this.#openCounts.add(order, 1);
    this.publish(order);
    // An order that reacts to a row takes part in the rest of it, whatever time it has within the row.
    this.schedule(isPrompt ? 0 : Math.max(0, admittedMs - nowMs), () => this.#admit(order));
    return order;
  }

  /** Withdraws an order that no client has been informed of. */
  withdraw(order: O): void {
    if (order.venueOrder !== null) this.venue.cancel(order.venueOrder, this.nowMs);
  }

  /**
   * Requests the cancellation of an order, which ends after the cancel delay. Until then it may still fill. Returns false if refused: see
   * `refusalCode`. `acceptsRepeat`: a second request for the same order succeeds too.
   */
  cancel(order: O, acceptsRepeat: boolean): boolean {
    const { venueOrder } = order;
    if (venueOrder?.status === 'PENDING_CANCEL') return acceptsRepeat || this.refuse(VENUE_CODES.cancelNotAllowed.code);
    if (venueOrder === null || !this.venue.requestCancel(venueOrder)) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    this.publish(order);
    this.runAfterCancelDelay(order.instrument, () => this.#finishCancel(order));
    return true;
  }

  /** Runs `finish` when a cancel takes effect: after the cancel delay, or at once while a row is processed. */
  protected runAfterCancelDelay(instrument: Instrument, finish: () => void): void {
    const barRows = this.#barRowsOf(instrument);
    if (barRows?.isActing === true) {
      this.schedule(0, finish);
      return;
    }
    const { nowMs } = this;
    const { cancelMs } = this.delays;
    const effectMs = (barRows?.sentMs(nowMs) ?? nowMs) + cancelMs;
    this.schedule(Math.max(0, effectMs - nowMs), () => {
      if (cancelMs > 0 && barRows?.isMidBar(effectMs) === true) barRows.runAfterRow(finish);
      else finish();
    });
  }

  /** Called by the venue for each fill: books the trade, and shows or ends the order. */
  filled(venueOrder: VenueOrder, fill: Fill): void {
    const order = this.#orderOf(venueOrder);
    const market = this.marketOf(order.instrument);
    const match = market.barRows === null ? this.#match : this.#matchWithRow(order, venueOrder, fill);
    if (match === null) throw new InvariantError('the venue reported a fill without a match');
    if (market.barRows !== null) market.tape.addTradeOfBar(match);
    order.feeUnits += fill.fee;
    const { tradeId, bidId, askId } = match;
    const { instrument, side } = venueOrder;
    const { price, lots, timeMs, isMaker, fee, feeInBase } = fill;
    const commonFields = { instrument, tradeId, bidId, askId, price, lots, timeMs, isBuyer: side === 'buy', isMaker, fee, feeInBase };
    const trade = this.newTrade(order, commonFields, fill);
    this.bookTrade(order.account, trade);
    if (venueOrder.status === 'FILLED') this.#endOrder(order);
    else this.publish(order);
  }

  /** Books a trade of an account. It is written to the store from now on, and reads show it after the visibility delay. */
  protected bookTrade(accountIndex: number, trade: T): void {
    const pagedRow: PagedRow<T> = { row: trade, tag: this.orderRows.tagOf(trade.instrument), storeOffset: -1 };
    this.changes.trades.push({ account: accountIndex, pagedRow });
    this.runAfterVisibilityDelay(() => this.orders.showTrade(accountIndex, pagedRow));
  }

  /** Called by the venue when the funds that an order holds have changed. Reads do not show this. */
  onHoldChange(venueOrder: VenueOrder): void {
    this.changes.note(this.#orderOf(venueOrder));
  }

  /** Called by the venue when an order has ended without a last fill. */
  ended(venueOrder: VenueOrder): void {
    this.#endOrder(this.#orderOf(venueOrder));
  }

  /** Opens the order book of an instrument of the venue. */
  protected openMarket(instrument: Instrument, isSpent: IsSpent): void {
    const book = this.venue.book(instrument);
    const tape = new Tape();
    const listener = {
      onMatch: (match: Match): void => {
        this.#match = match;
        book.lastPrice = match.price;
        tape.addTrade(match);
        this.onTrade(market, match);
      },
      backgroundId: () => this.nextBackgroundId(),
    };
    const matcher = new Matcher(book, isSpent, listener, this.#tradeIds);
    const market: TradedMarket = { instrument, matcher, tape, referencePrice: 0, barRows: null };
    this.#marketByName.set(instrument.wireName, market);
    this.#marketByInstrument.set(instrument, market);
  }

  protected nextOrderId(): string {
    return wireOrderId(this.#prefix, ++this.#lastOrder);
  }
  protected nextTradeId(): number {
    return ++this.#tradeIds.lastTradeId;
  }
  protected nextBackgroundId(): string {
    return wireOrderId(BACKGROUND_PREFIX, ++this.#backgroundIds);
  }

  #barRowsOf(instrument: Instrument): BarRows | null {
    // The venue refuses an instrument that is not traded here.
    return this.#marketByInstrument.get(instrument)?.barRows ?? null;
  }

  /** Returns the match behind a fill by a row. The row is the counterparty. */
  #matchWithRow(order: O, { side }: VenueOrder, { price, lots, timeMs, isMaker }: Fill): Match {
    const isBuy = side === 'buy';
    const otherId = this.nextBackgroundId();
    const takerSide = isBuy === isMaker ? 'sell' : 'buy';
    const [bidId, askId] = isBuy ? [order.id, otherId] : [otherId, order.id];
    return { tradeId: this.nextTradeId(), bidId, askId, takerSide, price, lots, timeMs };
  }

  /** Enters an order into the book at the end of its admission delay. */
  #admit(order: O): void {
    const { venueOrder } = order;
    if (venueOrder === null) return;
    const { matcher, barRows } = this.marketOf(order.instrument);
    order.isAdmitted = true;
    this.changes.note(order);
    this.onAdmission(order);
    if (barRows !== null) return barRows.onAdmission(venueOrder);
    order.resting = matcher.enter(order.id, venueOrder, this.nowMs);
    if (order.resting !== null) order.restSequence = ++this.#restedOrders;
    // An order that finds no counterparty and may not rest is cancelled (exchange dialect, 10.3).
    if (venueOrder.isOpen && order.resting === null) this.venue.cancel(venueOrder, this.nowMs);
  }

  #finishCancel({ venueOrder }: O): void {
    if (venueOrder !== null) this.venue.finishCancel(venueOrder, this.nowMs);
  }

  /** Ends an order: it leaves the book and the open counts, and its final state is published. */
  #endOrder(order: O): void {
    const { venueOrder, resting } = order;
    if (venueOrder === null) throw new InvariantError('an order has ended twice');
    if (resting !== null) this.marketOf(order.instrument).matcher.book.remove(resting);
    order.resting = null;
    order.ended = visibleStateOf(order, venueOrder);
    this.publish(order);
    order.venueOrder = null;
    this.#openCounts.add(order, -1);
    // Released only after the matcher, which may be processing this order, has seen that it is closed.
    this.scheduler.at(this.nowMs, () => this.venue.release(venueOrder));
  }

  /** Shows the current state of an order to reads, after the visibility delay. */
  protected publish(order: O): void {
    this.changes.note(order);
    const visible = order.ended ?? (order.venueOrder === null ? null : visibleStateOf(order, order.venueOrder));
    if (visible !== null) this.runAfterVisibilityDelay(() => this.orders.show(order, visible));
  }

  /** Runs a change of what reads show, after the visibility delay. */
  protected runAfterVisibilityDelay(change: () => void): void {
    const delayMs = Math.max(this.delays.visibilityMs, this.#frozenUntilMs - this.nowMs);
    if (delayMs === 0) change();
    else this.schedule(delayMs, change);
  }

  /** Freezes what reads show for `ms`. After that, reads catch up. */
  holdReads(ms: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.nowMs + ms);
  }

  protected schedule(delayMs: number, onDue: () => void): void {
    this.scheduler.at(this.nowMs + delayMs, onDue);
  }

  #orderOf(venueOrder: VenueOrder): O {
    const order = this.orders.orderNumbered(venueOrder.ref);
    if (order === null) throw new InvariantError(`the venue has order ${venueOrder.ref}, which the exchange does not know`);
    return order;
  }

  /** Notes the code of a refusal. Returns false. */
  protected refuse(code: number): false {
    this.refusalCode = code;
    return false;
  }
}
