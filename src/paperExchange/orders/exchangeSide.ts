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
import type { Rows, TradedMarket } from '../market/tradedMarket.ts';
import { PendingWrites } from './pendingWrites.ts';
import type { PagedRow } from './pagedList.ts';
import { CODES_AFTER_CAP, OpenCounts } from '../limits/openCounts.ts';
import { imageOf, type OpenOrderRecord } from './orderRecords.ts';
import { idMapsOf, OrderRows, type RowKind, type ArchiveSource } from './orderRows.ts';
import { type OrderStart, type OwnTrade, type VisibleState, type UserOrder, UserOrders, wireOrderId } from './userOrder.ts';

/** Prefix of the ids of background orders, which belong to no account. */
const BACKGROUND_PREFIX = '1874';

/** What one side of the exchange takes. */
export interface ExchangeSideDeps {
  readonly market: Market;
  /** Prefix of its order ids. */
  readonly prefix: string;
  readonly delays: Delays;
  readonly accounts: readonly AccountConfig[];
  readonly scheduler: Scheduler;
  readonly archive: ArchiveSource;
  /** Maximum of open orders of one account on one instrument. */
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
  readonly rows: OrderRows<O, T>;
  readonly changes = new PendingWrites<O, T>();
  /** Code of the last refusal. */
  refusal = 0;
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
    this.rows = new OrderRows(prefix, names, kind, archive);
    this.orders = new UserOrders(prefix, this.rows);
  }

  /** Creates this side's record of an order that the venue has accepted. */
  protected abstract newOrder(start: OrderStart): O;
  /** Creates the own trade of an order, from the fields common to both markets. */
  protected abstract newTrade(order: O, trade: OwnTrade, fill: Fill): T;
  /** Called after each match, before its fills are reported. */
  protected onTrade(_market: TradedMarket, _match: Match): void {}
  /** Called when an order reaches the book. */
  protected onAdmission(_order: O): void {}

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

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** Returns the orders that have not ended, including those still on their way to the book. */
  live(): readonly O[] {
    return this.orders.live();
  }

  /** Marks open orders to be written to the store again. */
  noteOpen(): void {
    for (const order of this.live()) this.changes.note(order);
  }
  /** Removes open orders from the pending writes. */
  forgetOpen(): void {
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
  restoreOpen(records: readonly OpenOrderRecord[]): void {
    const resting: O[] = [];
    for (const stored of records) {
      const order = this.rows.restoreOrder(stored);
      order.live = this.venue.restore(order.instrument, imageOf(stored, order.account));
      order.rested = stored.rested;
      this.orders.add(order);
      this.#openCounts.add(order, 1);
      this.orders.show(order, visibleStateOf(order, order.live));
      if (!order.isAdmitted) this.schedule(0, () => this.#admit(order));
      else if (order.rested > 0) resting.push(order);
      if (order.live.status === 'PENDING_CANCEL') this.schedule(0, () => this.#finishCancel(order));
    }
    for (const order of resting.toSorted((a, b) => a.rested - b.rested)) {
      const { id, live, instrument, intent } = order;
      const { book } = this.marketOf(instrument).matcher;
      if (live !== null) order.resting = book.add(id, live, intent.side, live.limit, live.lots - live.filledLots);
    }
  }
  /** Returns the code with which `place` would refuse an order, or 0. Changes nothing. */
  check(account: number, intent: OrderIntent): number {
    const code = this.venue.check(account, intent);
    // A refusal by an earlier check wins: those concern the order itself, and whether the account may order (exchange dialect, 10.1).
    const isCapChecked = code === 0 || CODES_AFTER_CAP.has(code);
    return isCapChecked && this.#openCounts.isFull(account, intent) ? VENUE_CODES.tooManyOrders.code : code;
  }

  /**
   * Places an order: its funds are held at once, and it reaches the book after the admission delay. Returns null if refused: see `refusal`.
   */
  place(account: number, intent: OrderIntent, clientOrderId: string | null): O | null {
    const rows = this.#rowsOf(intent.instrument);
    const isPrompt = rows?.isActing === true;
    const { nowMs } = this;
    const sentMs = rows?.sentMs(nowMs) ?? nowMs;
    const delayMs = isPrompt ? 0 : this.delays.admissionMs;
    if (this.#openCounts.isFull(account, intent)) {
      this.refusal = this.check(account, intent);
      return null;
    }
    // The venue stores the order number, by which the order is found later.
    const live = this.venue.place(account, this.#lastOrder + 1, intent, rows === null ? nowMs : sentMs + delayMs);
    if (live === null) {
      this.refusal = this.venue.refusal;
      return null;
    }
    const order = this.newOrder({ id: this.nextOrderId(), account, clientOrderId, intent, placedMs: nowMs, live });
    this.orders.add(order);
    this.#openCounts.add(order, 1);
    this.publish(order);
    this.schedule(isPrompt ? 0 : Math.max(0, sentMs + delayMs - nowMs), () => this.#admit(order));
    return order;
  }

  /** Withdraws an order that no client has been informed of. */
  withdraw(order: O): void {
    if (order.live !== null) this.venue.cancel(order.live, this.nowMs);
  }

  /**
   * Requests the cancellation of an order, which ends after the cancel delay. Until then it may still fill. Returns false if refused: see
   * `refusal`.
   */
  cancel(order: O, isRepeated: boolean): boolean {
    const { live } = order;
    if (live?.status === 'PENDING_CANCEL') return isRepeated || this.refuse(VENUE_CODES.cancelNotAllowed.code);
    if (live === null || !this.venue.requestCancel(live)) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    this.publish(order);
    this.runAfterCancelDelay(order.instrument, () => this.#finishCancel(order));
    return true;
  }

  /** Runs `finish` when a cancel takes effect: after the cancel delay, or at once while a row is processed. */
  protected runAfterCancelDelay(instrument: Instrument, finish: () => void): void {
    const rows = this.#rowsOf(instrument);
    const isPrompt = rows?.isActing === true;
    const { cancelMs } = this.delays;
    const { nowMs } = this;
    const effectMs = (rows?.sentMs(nowMs) ?? nowMs) + cancelMs;
    this.schedule(isPrompt ? 0 : Math.max(0, effectMs - nowMs), () => {
      if (!isPrompt && cancelMs > 0 && rows?.isMidBar(effectMs) === true) rows.runAfterRow(finish);
      else finish();
    });
  }

  filled(live: VenueOrder, fill: Fill): void {
    const order = this.#orderOf(live);
    const market = this.marketOf(order.instrument);
    const match = market.rows === null ? this.#match : this.#withRow(order, live, fill);
    if (match === null) throw new InvariantError('the venue reported a fill without a match');
    if (market.rows !== null) market.tape.note(match);
    order.feeUnits += fill.fee;
    const { tradeId, bidId, askId } = match;
    const { instrument, side } = live;
    const { price, lots, timeMs, isMaker, fee, feeInBase } = fill;
    const common = { instrument, tradeId, bidId, askId, price, lots, timeMs, isBuyer: side === 'buy', isMaker, fee, feeInBase };
    const trade = this.newTrade(order, common, fill);
    this.book(order.account, trade);
    if (live.status === 'FILLED') this.#end(order);
    else this.publish(order);
  }

  /** Books a trade of an account. It is written to the store from now on, and reads show it after the visibility delay. */
  protected book(account: number, trade: T): void {
    const stored: PagedRow<T> = { row: trade, tag: this.rows.tagOf(trade.instrument), storeOffset: -1 };
    this.changes.trades.push({ account, pagedRow: stored });
    this.runAfterVisibilityDelay(() => this.orders.showTrade(account, stored));
  }

  /** Called when the funds that an order holds have changed. Reads do not show this. */
  onHoldChange(live: VenueOrder): void {
    this.changes.note(this.#orderOf(live));
  }

  ended(live: VenueOrder): void {
    this.#end(this.#orderOf(live));
  }

  /** Opens the order book of an instrument of the venue. */
  protected openMarket(instrument: Instrument, isSpent: IsSpent): void {
    const book = this.venue.book(instrument);
    const tape = new Tape();
    const listener = {
      onMatch: (match: Match): void => {
        this.#match = match;
        book.lastPrice = match.price;
        tape.print(match);
        this.onTrade(market, match);
      },
      backgroundId: () => this.nextBackgroundId(),
    };
    const matcher = new Matcher(book, isSpent, listener, this.#tradeIds);
    const market: TradedMarket = { instrument, matcher, tape, referencePrice: 0, rows: null };
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

  #rowsOf(instrument: Instrument): Rows | null {
    // The venue refuses an instrument that is not traded here.
    return this.#marketByInstrument.get(instrument)?.rows ?? null;
  }

  /** Returns the match behind a fill by a row. The row is the counterparty. */
  #withRow(order: O, { side }: VenueOrder, { price, lots, timeMs, isMaker }: Fill): Match {
    const isBuy = side === 'buy';
    const otherId = this.nextBackgroundId();
    const takerSide = isBuy === isMaker ? 'sell' : 'buy';
    const [bidId, askId] = isBuy ? [order.id, otherId] : [otherId, order.id];
    return { tradeId: this.nextTradeId(), bidId, askId, takerSide, price, lots, timeMs };
  }

  /** Enters an order into the book at the end of its admission delay. */
  #admit(order: O): void {
    const { live } = order;
    if (live === null) return;
    const { matcher, rows } = this.marketOf(order.instrument);
    order.isAdmitted = true;
    this.changes.note(order);
    this.onAdmission(order);
    if (rows !== null) return rows.onAdmission(live);
    order.resting = matcher.enter(order.id, live, this.nowMs);
    if (order.resting !== null) order.rested = ++this.#restedOrders;
    // An order that finds no counterparty and may not rest is cancelled (exchange dialect, 10.3).
    if (live.isOpen && order.resting === null) this.venue.cancel(live, this.nowMs);
  }

  #finishCancel({ live }: O): void {
    if (live !== null) this.venue.finishCancel(live, this.nowMs);
  }

  /** Ends an order: it leaves the book and the open counts, and its final state is published. */
  #end(order: O): void {
    const { live, resting } = order;
    if (live === null) throw new InvariantError('an order has ended twice');
    if (resting !== null) this.marketOf(order.instrument).matcher.book.remove(resting);
    order.resting = null;
    order.ended = visibleStateOf(order, live);
    this.publish(order);
    order.live = null;
    this.#openCounts.add(order, -1);
    // Released only after the matcher, which may be processing this order, has seen that it is closed.
    this.scheduler.at(this.nowMs, () => this.venue.release(live));
  }

  /** Shows the current state of an order to reads, after the visibility delay. */
  protected publish(order: O): void {
    this.changes.note(order);
    const visible = order.ended ?? (order.live === null ? null : visibleStateOf(order, order.live));
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

  #orderOf(live: VenueOrder): O {
    const order = this.orders.orderNumbered(live.ref);
    if (order === null) throw new InvariantError(`the venue has order ${live.ref}, which the exchange does not know`);
    return order;
  }

  /** Notes the code of a refusal. Returns false. */
  protected refuse(code: number): false {
    this.refusal = code;
    return false;
  }
}

/** What reads show of a new order. */
const NEW_ORDER: VisibleState = {
  status: 'NEW',
  isAdmitted: false,
  filledLots: 0,
  filledUnits: 0,
  feeUnits: 0,
  profitUnits: 0,
  averageTicks: 0,
};

/** Returns what reads are to show of an open order. */
function visibleStateOf(
  { isAdmitted, feeUnits, profitUnits, averageTicks }: UserOrder,
  { status, filledLots, filledUnits }: VenueOrder,
): VisibleState {
  if (status === 'NEW' && !isAdmitted && filledLots === 0) return NEW_ORDER;
  return { status, isAdmitted, filledLots, filledUnits, feeUnits, profitUnits, averageTicks };
}
