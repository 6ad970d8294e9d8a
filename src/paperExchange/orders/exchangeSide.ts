// One side of the exchange, spot or futures: orders, books and a venue together; what is asked for now and what happens to it later.

import { InvariantError } from '../../base/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { BarBook, VenueSink } from '../../venue/barBook.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import type { AccountConfig, Delays } from '../dialect/config.ts';
import { type IsSpent, Matcher, type Match } from '../matching/matcher.ts';
import { Tape } from '../market/tape.ts';
import type { Rows, TradedMarket } from '../market/tradedMarket.ts';
import { PendingWrites } from './pendingWrites.ts';
import type { PagedRow } from './pagedList.ts';
import { AFTER_CAP, OpenCounts } from '../limits/openCounts.ts';
import { imageOf, type StoredOrderRow } from './rows.ts';
import { idMapsOf, OrderRows, type RowKind, type ArchiveSource } from './orderRows.ts';
import { type OrderStart, type OwnTrade, type VisibleState, type UserOrder, UserOrders, wireId } from './userOrder.ts';

const BACKGROUND_PREFIX = '1874';

export interface ExchangeSideDeps {
  readonly market: Market;
  /** Of the ids of its orders. */
  readonly prefix: string;
  readonly delays: Delays;
  readonly accounts: readonly AccountConfig[];
  readonly scheduler: Scheduler;
  readonly archive: ArchiveSource;
  /** Open orders of one account on one instrument. */
  readonly maxOpenOrdersPerSymbol: number;
}

/** Numbers that are counted up, by what they count. */
export interface Counters {
  orders: number;
  trades: number;
  background: number;
  /** Orders that have rested. */
  rested: number;
}

export abstract class ExchangeSide<O extends UserOrder, T extends OwnTrade> implements VenueSink {
  abstract readonly venue: BookVenue<BarBook>;
  readonly orders: UserOrders<O, T>;
  readonly rows: OrderRows<O, T>;
  readonly changes = new PendingWrites<O, T>();
  /** Code of the last refusal. */
  refusal = 0;
  /** Those of the config, unless a fault asks for others. */
  delays: Delays;
  protected readonly scheduler: Scheduler;
  readonly #prefix: string;
  readonly #openCounts: OpenCounts;
  readonly #byName = new Map<string, TradedMarket>();
  readonly #byInstrument = new Map<Instrument, TradedMarket>();
  readonly #tradeIds = { lastTradeId: 0 };
  #lastOrder = 0;
  #background = 0;
  #rested = 0;
  /** Reads show nothing new until then. */
  #stillUntilMs = 0;
  /** What the fills that the venue tells of belong to. */
  #match: Match | null = null;

  protected constructor(
    { market, prefix, delays, accounts, scheduler, archive, maxOpenOrdersPerSymbol }: ExchangeSideDeps,
    kind: RowKind<O, T>,
  ) {
    this.#prefix = prefix;
    this.#openCounts = new OpenCounts(maxOpenOrdersPerSymbol);
    this.delays = delays;
    this.scheduler = scheduler;
    const names = idMapsOf(market, accounts, (name) => this.#byName.get(name)?.instrument);
    this.rows = new OrderRows(prefix, names, kind, archive);
    this.orders = new UserOrders(prefix, this.rows);
  }

  /** The order that the venue has taken, as this side keeps it. */
  protected abstract newOrder(start: OrderStart): O;
  /** The own trade of an order, from what all of them have. */
  protected abstract newTrade(order: O, trade: OwnTrade, fill: Fill): T;
  /** After each match, before its fills are told. */
  protected traded(_market: TradedMarket, _match: Match): void {}
  /** An order meets the book now. */
  protected admitted(_order: O): void {}

  get markets(): readonly TradedMarket[] {
    return Array.from(this.#byInstrument.values());
  }

  /** By its name on the wire, in upper case. */
  market(name: string): TradedMarket | undefined {
    return this.#byName.get(name);
  }

  marketOf(instrument: Instrument): TradedMarket {
    const found = this.#byInstrument.get(instrument);
    if (found === undefined) throw new InvariantError(`${instrument.id} is not traded here`);
    return found;
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** Orders that have not ended, those that are still on their way to the book included. */
  live(): readonly O[] {
    return this.orders.live();
  }

  /** Open orders are to be written down again. */
  noteOpen(): void {
    for (const order of this.live()) this.changes.note(order);
  }
  /** Open orders need not be written down. */
  forgetOpen(): void {
    this.changes.forget(({ ended }) => ended === null);
  }

  /** The newest id of a trade; 0 before the first. */
  get lastTradeId(): number {
    return this.#tradeIds.lastTradeId;
  }

  get counters(): Counters {
    return { orders: this.#lastOrder, trades: this.#tradeIds.lastTradeId, background: this.#background, rested: this.#rested };
  }
  set counters({ orders, trades, background, rested }: Counters) {
    this.#lastOrder = orders;
    this.#tradeIds.lastTradeId = trades;
    this.#background = background;
    this.#rested = rested;
  }

  /**
   * Open orders of an exchange that has ended, the oldest first: those in the book stand there as they stood, by price and time. What was
   * on its way - to the book, to its end - arrives now.
   */
  restoreOpen(rows: readonly StoredOrderRow[]): void {
    const resting: O[] = [];
    for (const row of rows) {
      const order = this.rows.fromRow(row);
      const live = row[21];
      if (live === null) throw new InvariantError(`order ${order.id} is over`);
      order.live = this.venue.restore(order.instrument, imageOf(row, live, order.account));
      order.rested = live[6];
      this.orders.add(order);
      this.#openCounts.add(order, 1);
      this.orders.show(order, visibleStateOf(order, order.live));
      if (!order.isAdmitted) this.later(0, () => this.#admit(order));
      else if (order.rested > 0) resting.push(order);
      if (order.live.status === 'PENDING_CANCEL') this.later(0, () => this.#finishCancel(order));
    }
    for (const order of resting.toSorted((a, b) => a.rested - b.rested)) {
      const { id, live, instrument, intent } = order;
      const { book } = this.marketOf(instrument).matcher;
      if (live !== null) order.resting = book.add(id, live, intent.side, live.limit, live.lots - live.filledLots);
    }
  }
  /** The code with which `place` would refuse an order, or 0; changes nothing. */
  check(account: number, intent: OrderIntent): number {
    const code = this.venue.check(account, intent);
    // The checks before it are about the order itself, and about whether the account may order at all (exchange dialect, 10.1).
    return this.#openCounts.isFull(account, intent) && (code === 0 || AFTER_CAP.has(code)) ? VENUE_CODES.tooManyOrders.code : code;
  }

  /** Takes an order: its funds are held at once, it meets the book after the admission delay. Null: refused, see `refusal`. */
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
    // The venue keeps the number of the order for it to be found by.
    const live = this.venue.place(account, this.#lastOrder + 1, intent, rows === null ? nowMs : sentMs + delayMs);
    if (live === null) {
      this.refusal = this.venue.refusal;
      return null;
    }
    const order = this.newOrder({
      id: this.nextOrderId(),
      account,
      clientOrderId,
      intent,
      placedMs: nowMs,
      live,
    });
    this.orders.add(order);
    this.#openCounts.add(order, 1);
    this.publish(order);
    this.later(isPrompt ? 0 : Math.max(0, sentMs + delayMs - nowMs), () => this.#admit(order));
    return order;
  }

  /** Takes an order back that nobody has been told of. */
  withdraw(order: O): void {
    if (order.live !== null) this.venue.cancel(order.live, this.nowMs);
  }

  /** Asks for the end of an order, which follows after the cancel delay; until then it may still fill. False: see `refusal`. */
  cancel(order: O, again: boolean): boolean {
    const { live } = order;
    if (live?.status === 'PENDING_CANCEL') return again || this.refuse(VENUE_CODES.cancelNotAllowed.code);
    if (live === null || !this.venue.requestCancel(live)) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    this.publish(order);
    this.afterCancelDelay(order.instrument, () => this.#finishCancel(order));
    return true;
  }

  /** Runs what a cancel that has just come brings about, when it has its effect: at once where a row is being worked off. */
  protected afterCancelDelay(instrument: Instrument, finish: () => void): void {
    const rows = this.#rowsOf(instrument);
    const isPrompt = rows?.isActing === true;
    const { cancelMs } = this.delays;
    const { nowMs } = this;
    const effectMs = (rows?.sentMs(nowMs) ?? nowMs) + cancelMs;
    this.later(isPrompt ? 0 : Math.max(0, effectMs - nowMs), () => {
      if (!isPrompt && cancelMs > 0 && rows?.isMidBar(effectMs) === true) rows.afterRow(finish);
      else finish();
    });
  }

  filled(live: VenueOrder, fill: Fill): void {
    const order = this.#orderOf(live);
    const market = this.marketOf(order.instrument);
    const match = market.rows === null ? this.#match : this.#withRow(order, live, fill);
    if (match === null) throw new InvariantError('a fill follows its match');
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

  /** A trade of an account has happened: it lasts from now on, and reads show it after the visibility delay. */
  protected book(account: number, trade: T): void {
    const kept: PagedRow<T> = { row: trade, tag: this.rows.tagOf(trade.instrument), place: -1 };
    this.changes.trades.push({ account, kept });
    this.visible(() => this.orders.showTrade(account, kept));
  }

  /** What the order holds has changed, and nothing that reads show. */
  rebacked(live: VenueOrder): void {
    this.changes.note(this.#orderOf(live));
  }

  ended(live: VenueOrder): void {
    this.#end(this.#orderOf(live));
  }

  /** Opens the book of an instrument of the venue. */
  protected openMarket(instrument: Instrument, isSpent: IsSpent): void {
    const book = this.venue.book(instrument);
    const tape = new Tape();
    const listener = {
      matched: (match: Match): void => {
        this.#match = match;
        book.lastPrice = match.price;
        tape.print(match);
        this.traded(market, match);
      },
      backgroundId: () => this.nextBackgroundId(),
    };
    const matcher = new Matcher(book, isSpent, listener, this.#tradeIds);
    const market: TradedMarket = { instrument, matcher, tape, referencePrice: 0, rows: null };
    this.#byName.set(instrument.wireName, market);
    this.#byInstrument.set(instrument, market);
  }

  protected nextOrderId(): string {
    return wireId(this.#prefix, ++this.#lastOrder);
  }
  protected nextTradeId(): number {
    return ++this.#tradeIds.lastTradeId;
  }
  protected nextBackgroundId(): string {
    return wireId(BACKGROUND_PREFIX, ++this.#background);
  }

  #rowsOf(instrument: Instrument): Rows | null {
    // One that is not traded here is for the venue to refuse.
    return this.#byInstrument.get(instrument)?.rows ?? null;
  }

  /** The trade behind a fill that a row has made: the row is its counterparty. */
  #withRow(order: O, { side }: VenueOrder, { price, lots, timeMs, isMaker }: Fill): Match {
    const isBuy = side === 'buy';
    const other = this.nextBackgroundId();
    const takerSide = isBuy === isMaker ? 'sell' : 'buy';
    const [bidId, askId] = isBuy ? [order.id, other] : [other, order.id];
    return { tradeId: this.nextTradeId(), bidId, askId, takerSide, price, lots, timeMs };
  }

  #admit(order: O): void {
    const { live } = order;
    if (live === null) return;
    const { matcher, rows } = this.marketOf(order.instrument);
    order.isAdmitted = true;
    this.changes.note(order);
    this.admitted(order);
    if (rows !== null) return rows.admitted(live);
    order.resting = matcher.enter(order.id, live, this.nowMs);
    if (order.resting !== null) order.rested = ++this.#rested;
    // What finds no counterparty and does not rest is cancelled (exchange dialect, 10.3).
    if (live.isOpen && order.resting === null) this.venue.cancel(live, this.nowMs);
  }

  #finishCancel({ live }: O): void {
    if (live !== null) this.venue.finishCancel(live, this.nowMs);
  }

  #end(order: O): void {
    const { live, resting } = order;
    if (live === null) throw new InvariantError('an order ends once');
    if (resting !== null) this.marketOf(order.instrument).matcher.book.remove(resting);
    order.resting = null;
    order.ended = visibleStateOf(order, live);
    this.publish(order);
    order.live = null;
    this.#openCounts.add(order, -1);
    // Not before the matcher, which may be in the middle of this order, has seen that it is closed.
    this.scheduler.at(this.nowMs, () => this.venue.release(live));
  }

  /** Lets reads see the order as it is now, after the visibility delay. */
  protected publish(order: O): void {
    this.changes.note(order);
    const shown = order.ended ?? (order.live === null ? null : visibleStateOf(order, order.live));
    if (shown !== null) this.visible(() => this.orders.show(order, shown));
  }

  /** Runs what changes what reads show, after the visibility delay. */
  protected visible(run: () => void): void {
    const delayMs = Math.max(this.delays.visibilityMs, this.#stillUntilMs - this.nowMs);
    if (delayMs === 0) run();
    else this.later(delayMs, run);
  }

  /** What reads show stays as it is for so long, and then catches up. */
  lag(ms: number): void {
    this.#stillUntilMs = Math.max(this.#stillUntilMs, this.nowMs + ms);
  }

  protected later(ms: number, run: () => void): void {
    this.scheduler.at(this.nowMs + ms, run);
  }

  #orderOf(live: VenueOrder): O {
    const order = this.orders.numbered(live.ref);
    if (order === null) throw new InvariantError(`the venue has an order ${live.ref} that the exchange has not`);
    return order;
  }

  protected refuse(code: number): false {
    this.refusal = code;
    return false;
  }
}

/** What is shown of an order to which nothing has happened yet. */
const FRESH: VisibleState = {
  status: 'NEW',
  isAdmitted: false,
  filledLots: 0,
  filledUnits: 0,
  feeUnits: 0,
  profitUnits: 0,
  averageTicks: 0,
};

function visibleStateOf(
  { isAdmitted, feeUnits, profitUnits, averageTicks }: UserOrder,
  { status, filledLots, filledUnits }: VenueOrder,
): VisibleState {
  if (status === 'NEW' && !isAdmitted && filledLots === 0) return FRESH;
  return { status, isAdmitted, filledLots, filledUnits, feeUnits, profitUnits, averageTicks };
}
