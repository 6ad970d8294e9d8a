// The exchange of a backtest: a venue whose orders match replayed rows, with order latency and optional lost replies.

import { StrategyError } from '../../base/errors.ts';
import { markCapped, cancelCollarRemainders } from '../../orders/collar.ts';
import type { Fill } from '../../model/fill.ts';
import { wholeLots } from '../../model/instrument.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../../model/order.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { BarMarket, Channel, OrderGateway } from '../../ports/exchange.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import { MATCHING_RULE } from '../../venue/trace/matchTracer.ts';
import type { TradeTerms } from '../../venue/trades/tradeMatcher.ts';
import type { VenueOrder, VenueSink } from '../../venue/venueOrder.ts';
import type { ReplayHost } from './replayHost.ts';
import type { ContractRows } from './contractRows.ts';
import { matchInEventOrder, type EventOrder } from './eventOrder.ts';
import { isEventOrderOpen, matchFinerRows, type FinerSource, type MatchFiner } from './finerRows.ts';
import { FixedLatency, type LatencyModel } from './latencyModel.ts';
import type { MarginWatch } from './marginWatch.ts';
import { matchTrades, rowOpenMs, setSlippageBar, passQuietRows, replayBookOf, tradedRow, type ReplayBook } from './replayBook.ts';
import type { ReplayTriggers } from './replayTriggers.ts';

/** A day, like the maximum of `fills.latencyMs`. */
const MAX_LATENCY_MS = 86_400_000;
// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;
const { stop: STOP, stopEntry: STOP_ENTRY } = MATCHING_RULE;

/** What happens to the reply of a create; by default nothing. */
export type ReplayFault = 'none' | 'lostAnswer' | 'lostRequest';

/** What a caller may choose. */
export interface ReplayExchangeOptions {
  /** From a decision until its order or cancel arrives at the venue. */
  readonly latency: LatencyModel;
  /** True if fills are capped by the volume of a row. */
  readonly needsVolume: boolean;
  /** Which creates lose their reply or never arrive, for tests and what-if runs. */
  readonly faultOf: ((order: Order) => ReplayFault) | null;
  /** Which order of events the rows take; by default that of docs/matching.md. */
  readonly eventOrder?: EventOrder;
  /** Finer rows, matched where a row leaves the order of events open; by default there are none. */
  readonly finer?: FinerSource | null;
  /** How trades fill orders, for feeds that have them; by default a trade beyond a limit fills it. */
  readonly trades?: TradeTerms;
}

/** What a futures account needs besides orders. */
export interface ReplayMarginDeps {
  readonly watch: MarginWatch;
  readonly triggers: ReplayTriggers;
  readonly rows: ContractRows;
}

/** The exchange of a backtest over one market. */
export class ReplayExchange implements OrderGateway, BarMarket, VenueSink {
  readonly supportsTriggerOrders = true;
  private readonly queue: DueQueue;
  private readonly options: ReplayExchangeOptions;
  /** True if every order arrives at once. */
  private readonly isInstant: boolean;
  readonly eventOrder: EventOrder;
  private readonly finer: FinerSource | null;
  protected engine!: ReplayHost;
  private brackets!: Brackets;
  protected venue!: BookVenue<BarBook>;
  protected account = 0;
  /** By instrument; empty for instruments of another exchange. */
  private books: readonly ReplayBook[] = [];
  /** Set if the run has one instrument, as most do: each row and each order reads it several times. */
  private onlyBook: ReplayBook | null = null;
  /** For a futures account. */
  private watch: MarginWatch | null = null;
  private triggers: ReplayTriggers | null = null;
  private contracts: ContractRows | null = null;

  constructor(queue: DueQueue, options: ReplayExchangeOptions) {
    this.queue = queue;
    this.options = options;
    this.eventOrder = options.eventOrder ?? null;
    this.finer = options.finer ?? null;
    this.isInstant = options.latency instanceof FixedLatency && options.latency.fixedMs === 0;
  }

  /** Connects the parts: the venue reports to this exchange, this exchange to the engine. */
  connect(engine: ReplayHost, venue: BookVenue<BarBook>, accountIndex: number, margin: ReplayMarginDeps | null = null): void {
    this.watch = margin?.watch ?? null;
    this.triggers = margin?.triggers ?? null;
    this.contracts = margin?.rows ?? null;
    this.engine = engine;
    this.brackets = engine.brackets;
    this.venue = venue;
    this.account = accountIndex;
    const seesEachRow = margin !== null || this.eventOrder !== null || this.finer !== null;
    const books: ReplayBook[] = [];
    engine.execution.forEach((feed, index) => {
      if (venue.trades(feed.instrument))
        books[index] = replayBookOf(feed, venue, this.options.trades ?? { fillsAtTouch: false, queue: null }, seesEachRow);
    });
    this.books = books;
    this.onlyBook = books.length === 1 ? books[0]! : null;
  }

  // --- Called by the engine

  submit(order: ApprovedOrder): void {
    if (this.isInstant || order.parent > 0 || order.firedAtTicks! > 0) this.arrive(order);
    else {
      const { id } = order;
      this.schedule(this.engine.nowMs + this.latencyOf(order, false), () => {
        if (order.id === id) this.arrive(order); // after a halt the record may have returned to the pool
      });
    }
  }

  cancel(order: Order): void {
    const { id } = order;
    if (this.isInstant || this.isCancelledWithStop(order)) this.cancelArrives(order, id);
    else this.schedule(this.engine.nowMs + this.latencyOf(order, true), () => this.cancelArrives(order, id));
  }

  recall(order: Order): void {
    const placed = this.placedOf(order);
    if (placed === null) return;
    this.venue.requestCancel(placed);
    this.venue.finishCancel(placed, this.engine.nowMs);
  }

  /** Answers at once and completely, because the books are in this process. */
  read(order: Order, channel: Channel): void {
    const { id } = order;
    const venueMs = this.engine.nowMs;
    const isPlaced = channel !== 'balances' && this.venueIdByOrder.has(id);
    // One event later, so that a chain of reads is a chain of events, not of nested calls.
    this.schedule(venueMs, () => this.engine.evidence(id, { channel, venueMs, complete: true, found: isPlaced }));
  }

  workingOrders(instrument: number): number {
    const { book } = this.book(instrument);
    const working = this.brackets.total === 0 ? book.working : book.working + this.brackets.waiting(instrument);
    return this.triggers === null ? working : working + this.triggers.countWaiting(instrument);
  }

  passRows(instrument: number, from: number, to: number): number {
    return passQuietRows(this.book(instrument), this.brackets, instrument, from, to);
  }

  /** Matches one row. docs/matching.md describes the order of its steps. */
  matchRow(instrument: number, row: number): void {
    const replayBook = this.book(instrument);
    const { book } = replayBook;
    const closeMs = replayBook.feed.closeOf(row);
    const openMs = rowOpenMs(replayBook, row, closeMs);
    const index = row - replayBook.feed.cursor.base;
    if (replayBook.trades !== null) {
      matchTrades(this.engine, replayBook, replayBook.trades, instrument, row, openMs, (order) => this.placedOf(order)?.id ?? 0);
      if (replayBook.lateCount > 0) this.actLateCancels(replayBook);
      return;
    }
    const open = replayBook.openTicks[index]!;
    const volumeLots = this.options.needsVolume ? wholeLots(replayBook.feed.bars.volume[index]!, replayBook.lotScale) : 0;
    if (replayBook.readsBar === true) setSlippageBar(replayBook, row, open);
    const contracts = this.contracts;
    if (contracts === null || !this.watch!.mayLiquidate(closeMs)) book.matchOpen(openMs, open, volumeLots);
    else contracts.open(instrument, row, tradedRow(replayBook, row, openMs, closeMs, open), volumeLots);
    if (this.workingOrders(instrument) > 0 && (this.finer === null || !this.matchFiner(replayBook, instrument, row, openMs, closeMs, open)))
      this.matchAfterOpen(replayBook, instrument, row, openMs, closeMs, open);
    if (replayBook.lateCount > 0) this.actLateCancels(replayBook);
    if (replayBook.collaredCount > 0)
      replayBook.collaredCount = book.working > 0 ? cancelCollarRemainders(this.engine, instrument, { openMs, closeMs }) : 0;
  }

  /** Matches the row after its open. Separate, because most rows with an order need only their open, not their high and low. */
  private matchAfterOpen(replayBook: ReplayBook, instrument: number, row: number, openMs: number, closeMs: number, open: number): void {
    const { book, priceScale } = replayBook;
    const { bars, cursor } = replayBook.feed;
    const index = row - cursor.base;
    // Whole ticks: the import has rejected or rounded finer prices, so rounding only removes floating-point noise.
    const high = Math.round(bars.high[index]! * priceScale);
    const low = Math.round(bars.low[index]! * priceScale);
    const brackets = this.brackets;
    if (replayBook.collaredCount > 0) markCapped(this.engine.orders, instrument, openMs, open);
    if (this.contracts !== null) this.contracts.matchAfterOpen(book, instrument, row, { openMs, closeMs, open, high, low });
    else if (this.eventOrder !== null)
      matchInEventOrder(this.engine, book, instrument, this.eventOrder, {
        openMs,
        closeMs,
        open,
        high,
        low,
        close: Math.round(bars.close[index]! * priceScale),
      });
    else this.matchCoins(book, instrument, openMs, closeMs, open, high, low);
    if (brackets.waiting(instrument) === 0) return;
    const enteredDuringRow = brackets.follow(instrument, high, low, openMs);
    if (enteredDuringRow) brackets.followClose(instrument, Math.round(bars.close[index]! * priceScale), openMs);
  }

  /** Matches the finer rows inside a row in its place. Returns false if the row leaves nothing open, or they are missing. */
  private matchFiner(
    { book, feed: { bars, cursor }, priceScale }: ReplayBook,
    instrument: number,
    row: number,
    openMs: number,
    closeMs: number,
    open: number,
  ): boolean {
    const { brackets, contracts } = this;
    const index = row - cursor.base;
    const [high, low] = [Math.round(bars.high[index]! * priceScale), Math.round(bars.low[index]! * priceScale)];
    const isTriggered = this.triggers !== null && this.triggers.countWaiting(instrument) > 0;
    const isEntered = brackets.entries.reachedInRow(instrument, openMs, open, high, low).length > 0;
    if (!isTriggered && !isEntered && !isEventOrderOpen(book, brackets.list(instrument), openMs, open, high, low)) return false;
    const matchFinerRow: MatchFiner = (finerIndex, fromMs, toMs, finerOpen, finerHigh, finerLow, finerClose) => {
      if (finerIndex > 0) book.matchOpen(fromMs, finerOpen, 0);
      if (this.workingOrders(instrument) === 0) return false;
      if (contracts === null) this.matchCoins(book, instrument, fromMs, toMs, finerOpen, finerHigh, finerLow);
      else
        contracts.matchAfterOpen(book, instrument, row, { openMs: fromMs, closeMs: toMs, open: finerOpen, high: finerHigh, low: finerLow });
      if (brackets.follow(instrument, finerHigh, finerLow, fromMs)) brackets.followClose(instrument, finerClose, fromMs);
      return this.workingOrders(instrument) > 0;
    };
    return matchFinerRows(this.finer!, bars.instrument, openMs, closeMs, open, matchFinerRow);
  }

  /** Matches one row of a spot instrument: stops at the open, then those inside the row, then the book. */
  private matchCoins(book: BarBook, instrument: number, openMs: number, closeMs: number, open: number, high: number, low: number): void {
    const { bracketManager, drafts } = this.engine;
    const brackets = this.brackets;
    if (brackets.waiting(instrument) > 0) {
      bracketManager.legTimeMs = openMs;
      brackets.triggerAtOpen(instrument, open, bracketManager.onHit);
      if (drafts.entries.fireAtOpen(instrument, openMs, open)) book.matchArrivals(openMs, open);
      bracketManager.legTimeMs = closeMs;
      brackets.triggerInRow(instrument, high, low, -INFINITY, bracketManager.onHit);
      drafts.entries.fireInRow(instrument, openMs, open, high, low);
    }
    book.matchRange(openMs, closeMs, open, high, low);
    if (brackets.waiting(instrument) > 0) {
      // For entries filled inside this row, the stop counts if the row reached it; the target does not.
      bracketManager.legTimeMs = closeMs;
      brackets.triggerInRow(instrument, high, low, closeMs, bracketManager.onHit);
    }
    bracketManager.legTimeMs = NAN;
  }

  blockOpened(): void {
    if (this.onlyBook !== null && this.brackets.total > 0) this.brackets.quietRange(0).forgetQuietRows();
    this.watch?.blockOpened();
  }

  settleMarks(): void {
    this.watch?.settleInstant(this.engine.nowMs);
  }

  // --- Called by the venue

  filled(order: VenueOrder, fill: Fill): void {
    const id = order.ref as OrderId;
    const isOver = order.isOpen === false;
    if (order.quoteUnits > 0) {
      const { timeMs } = fill;
      this.engine.filled(id, fill);
      if (isOver) this.engine.ended(id, 'filled', timeMs);
    } else this.engine.filled(id, fill);
    if (isOver === true) this.forget(order);
  }

  ended(order: VenueOrder, timeMs: number): void {
    this.engine.ended(order.ref as OrderId, 'canceled', timeMs);
    this.forget(order);
  }

  // --- Arrivals

  /** Orders whose reply was lost, by our id, with the venue's id. A read of open orders or trades would show them. */
  private readonly venueIdByOrder = new Map<number, number>();

  /** Places an order whose latency has passed. An order that a reached price has caused executes at that price at once. */
  private arrive(order: ApprovedOrder): void {
    const { id, instrumentIndex } = order;
    const engine = this.engine;
    const { faultOf } = this.options;
    const fault = faultOf === null ? 'none' : faultOf(order);
    if (fault === 'lostRequest') return engine.outcomeUnknown(id);
    // A bracket leg arrives when it is created, with the fill that caused it, and a stop entry with the price that reached it.
    const isOfBot = order.parent > 0 || order.firedAtTicks! > 0;
    const nowMs = isOfBot || this.isInstant ? order.createdMs : engine.nowMs;
    const hitPrice = order.firedAtTicks! > 0 ? engine.bracketManager.hitPrice : NAN;
    this.watch?.beforeOrder(instrumentIndex);
    if ((order.triggerTicks ?? 0) > 0) return this.triggerArrives(order, fault, nowMs);
    const placed = this.venue.place(this.account, id, order, nowMs);
    if (placed === null) return fault === 'lostAnswer' ? engine.outcomeUnknown(id) : engine.refused(id, String(this.venue.refusal));
    const replayBook = this.book(instrumentIndex);
    if (order.limit > 0 && order.role === 'market') replayBook.collaredCount++;
    if (fault === 'lostAnswer') {
      this.venueIdByOrder.set(id, placed.id);
      engine.outcomeUnknown(id);
    } else engine.acked(id, placed.id as VenueOrderId, nowMs);
    if (hitPrice === hitPrice) replayBook.book.execute(placed, hitPrice, nowMs, order.parent > 0 ? STOP : STOP_ENTRY);
  }

  /** Places a trigger order whose latency has passed. */
  private triggerArrives(order: ApprovedOrder, fault: ReplayFault, nowMs: number): void {
    const { id } = order;
    const triggers = this.triggers!;
    const triggerId = triggers.place(order, nowMs);
    if (fault === 'lostAnswer') {
      if (triggerId !== null) this.venueIdByOrder.set(id, triggerId);
      this.engine.outcomeUnknown(id);
    } else if (triggerId === null) this.engine.refused(id, String(triggers.refusal));
    else this.engine.acked(id, triggerId as VenueOrderId, nowMs);
  }

  /**
   * Cancels an order whose cancel latency has passed. Inside a row, the cancel takes effect at its end. `id` shows whether the record still
   * holds the order.
   */
  private cancelArrives(order: Order, id: OrderId): void {
    if (order.id !== id) return;
    const triggerOrders = (order.triggerTicks ?? 0) > 0 ? this.triggers : null;
    if (triggerOrders?.isWaiting(id) === true) return this.cancelTrigger(triggerOrders, order);
    const venueOrder = triggerOrders === null ? this.placedOf(order) : this.venueOrderOf(triggerOrders.childIdOf(id));
    if (venueOrder === null || !this.venue.requestCancel(venueOrder)) return;
    const replayBook = this.books[order.instrumentIndex]!;
    if (this.isMidRow(replayBook, order))
      replayBook.lateCount = replayBook.lateCancels.push(venueOrder.id) + replayBook.lateTriggers.length;
    else this.venue.finishCancel(venueOrder, this.engine.nowMs);
  }

  private placedOf({ id, venueId }: Order): VenueOrder | null {
    // The record of an order whose reply was lost does not have the venue order id.
    return this.venueOrderOf(venueId ?? this.venueIdByOrder.get(id));
  }
  private venueOrderOf(venueId: VenueOrderId | number | undefined): VenueOrder | null {
    return typeof venueId === 'number' ? this.venue.find(this.account, venueId) : null;
  }

  private cancelTrigger(triggers: ReplayTriggers, order: Order): void {
    const replayBook = this.books[order.instrumentIndex]!;
    if (this.isMidRow(replayBook, order)) replayBook.lateCount = replayBook.lateTriggers.push(order.id) + replayBook.lateCancels.length;
    else triggers.cancel(order.id, this.engine.nowMs);
  }

  /** True for a bracket leg whose stop fires: its cancel acts together with the stop, even inside a row. */
  private isCancelledWithStop(order: Order): boolean {
    return order.parent > 0 && this.engine.bracketManager.cancelsOwnOrders;
  }
  private isMidRow({ feed: { bars, cursor } }: ReplayBook, order: Order): boolean {
    const nextRow = cursor.row + 1;
    return (
      !this.isInstant &&
      !this.isCancelledWithStop(order) &&
      nextRow < bars.length &&
      bars.openMs[nextRow - cursor.base]! < this.engine.nowMs
    );
  }

  /** Carries out the cancels that arrived inside the row which has ended. */
  private actLateCancels(replayBook: ReplayBook): void {
    replayBook.lateCount = 0;
    for (const orderId of replayBook.lateTriggers.splice(0)) {
      // A trigger order that the row has fired continues as the order that it placed, so the cancel applies to that.
      const childId = this.triggers?.childIdOf(orderId);
      this.triggers?.cancel(orderId, this.engine.nowMs);
      if (childId !== undefined) replayBook.lateCancels.push(childId);
    }
    for (const id of replayBook.lateCancels.splice(0)) {
      // Look it up by id: the row may have filled the order, and another order may use its record now.
      const order = this.venue.find(this.account, id);
      if (order !== null) this.venue.cancel(order, this.engine.nowMs);
    }
  }

  /** Throws StrategyError for an invalid latency. */
  private latencyOf(order: Order, isCancel: boolean): number {
    const ms: unknown = this.options.latency.ms(order, isCancel);
    if (typeof ms === 'number' && ms >= 0 && ms <= MAX_LATENCY_MS) return ms;
    throw new StrategyError(`the latency model answers ${String(ms)}`, `it says how many ms an order takes, from 0 to ${MAX_LATENCY_MS}`);
  }

  /** Events may be scheduled while a row is matched, without a call of a strategy, so the loop must check the queue again. */
  private schedule(timeMs: number, onDue: () => void): void {
    this.engine.hasPendingWork = true;
    this.queue.at(timeMs, onDue);
  }

  protected book(instrument: number): ReplayBook {
    return this.onlyBook ?? this.books[instrument]!;
  }
  private forget(order: VenueOrder): void {
    if (this.options.faultOf !== null) this.venueIdByOrder.delete(order.ref);
    this.triggers?.onChildEnd(order.ref as OrderId);
    this.venue.release(order);
  }
}
