// The exchange of a backtest: a venue that replayed rows trade against, latency on the due queue, and answers that can be lost.

import { StrategyError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { markCapped, cancelCollarRemainders } from '../../orders/collar.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import type { Fill } from '../../model/fill.ts';
import { lotsPerCoin, wholeLots } from '../../model/instrument.ts';
import { fixedLengthMs } from '../../model/interval.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../../model/order.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { Channel, ExchangePort } from '../../ports/exchange.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { BarBook, VenueSink } from '../../venue/barBook.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { TradedRow } from '../../venue/futures/rowOrder.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import type { MatchedFeed, ReplayHost } from './host.ts';
import type { ContractRows } from './contractRows.ts';
import { FixedLatency, type LatencyModel } from './latency.ts';
import type { MarginWatch } from './marginWatch.ts';
import type { ReplayTriggers } from './replayTriggers.ts';

/** A day, as of `fills.latencyMs`. */
const MAX_LATENCY_MS = 86_400_000;

/** What may happen to the answer of a create; by default nothing. */
export type ReplayFault = 'none' | 'lostAnswer' | 'lostRequest';

export interface ReplayExchangeOptions {
  /** From a decision to its order's (or cancel's) arrival at the venue. */
  readonly latency: LatencyModel;
  /** Capped fills need the volume of a row. */
  readonly needsVolume: boolean;
  /** Which creates lose their answer or never arrive: for tests and what-if runs. */
  readonly faultOf: ((order: Order) => ReplayFault) | null;
}

/** What an account of futures has beside its orders. */
export interface ReplayMarginDeps {
  readonly watch: MarginWatch;
  readonly triggers: ReplayTriggers;
  readonly rows: ContractRows;
}

/** One instrument of the replay: its book, the rows that trade in it, and the scales that turn rows into integers. */
interface ReplayBook {
  readonly book: BarBook;
  readonly feed: MatchedFeed;
  /** The column of the feed that every matched row reads. */
  readonly openTicks: TickColumn;
  readonly priceScale: number;
  readonly lotScale: number;
  /** Length of a row; 0 for months, whose length varies. A row's open is then read instead of reckoned (one cache miss more). */
  readonly lengthMs: number;
  /** Cancels that arrived inside a row: they act after it, for nobody knows what the row did first. */
  readonly lateCancels: number[];
  readonly lateTriggers: OrderId[];
  /** How many of both. */
  late: number;
  /** Orders at a collar that have not had their row yet. */
  collared: number;
}

export class ReplayExchange implements ExchangePort, VenueSink {
  readonly supportsTriggerOrders = true;
  readonly #queue: DueQueue;
  readonly #options: ReplayExchangeOptions;
  /** No order takes any time to arrive. */
  readonly #isInstant: boolean;
  #engine!: ReplayHost;
  #brackets!: Brackets;
  #venue!: BookVenue<BarBook>;
  #account = 0;
  /** By instrument; those of another exchange have none here. */
  #lanes: readonly ReplayBook[] = [];
  /** Of a run over one instrument, as most are: each row and each order asks for it several times. */
  #onlyBook: ReplayBook | null = null;
  /** Of a futures account. */
  #watch: MarginWatch | null = null;
  #triggers: ReplayTriggers | null = null;
  #contracts: ContractRows | null = null;

  constructor(queue: DueQueue, options: ReplayExchangeOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#isInstant = options.latency instanceof FixedLatency && options.latency.fixedMs === 0;
  }

  /** Ties the knot: the venue tells this exchange, the exchange tells the engine. */
  connect(engine: ReplayHost, venue: BookVenue<BarBook>, account: number, margin: ReplayMarginDeps | null = null): void {
    this.#watch = margin?.watch ?? null;
    this.#triggers = margin?.triggers ?? null;
    this.#contracts = margin?.rows ?? null;
    this.#engine = engine;
    this.#brackets = engine.brackets;
    this.#venue = venue;
    this.#account = account;
    const lanes: ReplayBook[] = [];
    engine.execution.forEach((feed, index) => {
      if (venue.trades(feed.instrument)) lanes[index] = replayBookOf(feed, venue);
    });
    this.#lanes = lanes;
    this.#onlyBook = lanes.length === 1 ? lanes[0]! : null;
  }

  // --- What the engine asks for

  submit(order: ApprovedOrder): void {
    if (this.#isInstant || order.parent > 0) this.#arrive(order);
    else {
      const { id } = order;
      this.#later(this.#engine.nowMs + this.#latencyOf(order, false), () => {
        if (order.id === id) this.#arrive(order); // the record may have gone back to the pool with a halt
      });
    }
  }

  cancel(order: Order): void {
    const { id } = order;
    if (this.#isInstant || this.#isTakenBack(order)) this.#cancelArrives(order, id);
    else this.#later(this.#engine.nowMs + this.#latencyOf(order, true), () => this.#cancelArrives(order, id));
  }

  recall(order: Order): void {
    const placed = this.#placedOf(order);
    if (placed === null) return;
    this.#venue.requestCancel(placed);
    this.#venue.finishCancel(placed, this.#engine.nowMs);
  }

  /** A read answers at once and completely: the books are in this process. */
  read(order: Order, channel: Channel): void {
    const { id } = order;
    const venueMs = this.#engine.nowMs;
    const seen = channel !== 'balances' && this.#placed.has(id);
    // One macro-step later, so that a chain of reads is a chain of events and not of calls.
    this.#later(venueMs, () => this.#engine.evidence(id, { channel, venueMs, complete: true, found: seen }));
  }

  workingOrders(instrument: number): number {
    const { book } = this.#book(instrument);
    const working = this.#brackets.total === 0 ? book.working : book.working + this.#brackets.waiting(instrument);
    return this.#triggers === null ? working : working + this.#triggers.waiting(instrument);
  }

  /** Matches one row; the order of its steps is docs/matching.md. */
  matchRow(instrument: number, row: number): void {
    const lane = this.#book(instrument);
    const { book } = lane;
    const closeMs = lane.feed.closeOf(row);
    const openMs = lane.lengthMs > 0 ? closeMs - lane.lengthMs : lane.feed.bars.openMs[row]!;
    const open = lane.openTicks[row]!;
    const volumeLots = this.#options.needsVolume ? wholeLots(lane.feed.bars.volume[row]!, lane.lotScale) : 0;
    const contracts = this.#contracts;
    if (contracts === null || !this.#watch!.mayEnd(closeMs)) book.matchOpen(openMs, open, volumeLots);
    else contracts.open(instrument, row, tradedRow(lane, row, openMs, closeMs, open), volumeLots);
    if (this.workingOrders(instrument) > 0) this.#matchAfterOpen(lane, instrument, row, openMs, closeMs, open);
    if (lane.late > 0) this.#actLateCancels(lane);
    if (lane.collared > 0) lane.collared = book.working > 0 ? cancelCollarRemainders(this.#engine, instrument, openMs) : 0;
  }

  /** What happens after the open: apart, because most rows with an order are done at their open, and their high and low are not read. */
  #matchAfterOpen(lane: ReplayBook, instrument: number, row: number, openMs: number, closeMs: number, open: number): void {
    const { book, priceScale } = lane;
    const { bars } = lane.feed;
    // Whole ticks: the import has refused or rounded anything finer, so rounding here only removes the noise of the product.
    const high = Math.round(bars.high[row]! * priceScale);
    const low = Math.round(bars.low[row]! * priceScale);
    const brackets = this.#brackets;
    if (lane.collared > 0) markCapped(this.#engine.orders, instrument, openMs, open);
    if (this.#contracts !== null) this.#contracts.matchInside(book, instrument, row, { openMs, closeMs, open, high, low });
    else this.#insideCoins(book, instrument, openMs, closeMs, open, high, low);
    if (brackets.waiting(instrument) === 0) return;
    const cameInside = brackets.follow(instrument, high, low, openMs);
    if (cameInside) brackets.followClose(instrument, Math.round(bars.close[row]! * priceScale), openMs);
  }

  #insideCoins(book: BarBook, instrument: number, openMs: number, closeMs: number, open: number, high: number, low: number): void {
    const { bracketManager } = this.#engine;
    const brackets = this.#brackets;
    if (brackets.waiting(instrument) > 0) {
      bracketManager.legTimeMs = openMs;
      brackets.gapped(instrument, open, bracketManager.onHit);
      bracketManager.legTimeMs = closeMs;
      brackets.reached(instrument, high, low, -Infinity, bracketManager.onHit);
    }
    book.matchRange(openMs, closeMs, open, high, low);
    if (brackets.waiting(instrument) > 0) {
      // Entries that filled inside this row: their stop counts if the row reached it, their target does not.
      bracketManager.legTimeMs = closeMs;
      brackets.reached(instrument, high, low, closeMs, bracketManager.onHit);
    }
    bracketManager.legTimeMs = NaN;
  }

  blockOpened(): void {
    this.#watch?.blockOpened();
  }

  settleMarks(): void {
    this.#watch?.settle(this.#engine.nowMs);
  }

  // --- What the venue tells

  filled(order: VenueOrder, fill: Fill): void {
    const id = order.ref as OrderId;
    const isOver = order.isOpen === false;
    if (order.quoteUnits > 0) {
      const { timeMs } = fill;
      this.#engine.filled(id, fill);
      if (isOver) this.#engine.ended(id, 'filled', timeMs);
    } else this.#engine.filled(id, fill);
    if (isOver === true) this.#forget(order);
  }

  ended(order: VenueOrder, timeMs: number): void {
    this.#engine.ended(order.ref as OrderId, 'canceled', timeMs);
    this.#forget(order);
  }

  // --- Arrivals

  /** Orders whose answer was lost, by our id, with the venue's: what a read of open orders or trades would show. */
  readonly #placed = new Map<number, number>();

  #arrive(order: ApprovedOrder): void {
    const { id, instrumentIndex } = order;
    const engine = this.#engine;
    const { faultOf } = this.#options;
    const fault = faultOf === null ? 'none' : faultOf(order);
    if (fault === 'lostRequest') return engine.outcomeUnknown(id);
    // A leg of a bracket arrives as it is made, with the fill that called for it.
    const nowMs = order.parent > 0 || this.#isInstant ? order.createdMs : engine.nowMs;
    const hitPrice = order.parent > 0 ? engine.bracketManager.hitPrice : NaN;
    this.#watch?.beforeOrder(instrumentIndex);
    if ((order.triggerTicks ?? 0) > 0) return this.#triggerArrives(order, fault, nowMs);
    const placed = this.#venue.place(this.#account, id, order, nowMs);
    if (placed === null) return fault === 'lostAnswer' ? engine.outcomeUnknown(id) : engine.refused(id, String(this.#venue.refusal));
    const lane = this.#book(instrumentIndex);
    if (order.limit > 0 && order.role === 'market') lane.collared++;
    if (fault === 'lostAnswer') {
      this.#placed.set(id, placed.id);
      engine.outcomeUnknown(id);
    } else engine.acked(id, placed.id as VenueOrderId, nowMs);
    if (hitPrice === hitPrice) lane.book.execute(placed, hitPrice, nowMs);
  }

  #triggerArrives(order: ApprovedOrder, fault: ReplayFault, nowMs: number): void {
    const { id } = order;
    const triggers = this.#triggers!;
    const waiting = triggers.place(order, nowMs);
    if (fault === 'lostAnswer') {
      if (waiting !== null) this.#placed.set(id, waiting);
      this.#engine.outcomeUnknown(id);
    } else if (waiting === null) this.#engine.refused(id, String(triggers.refusal));
    else this.#engine.acked(id, waiting as VenueOrderId, nowMs);
  }

  #cancelArrives(order: Order, id: OrderId): void {
    if (order.id !== id) return;
    const triggerOrders = (order.triggerTicks ?? 0) > 0 ? this.#triggers : null;
    if (triggerOrders?.waits(id) === true) return this.#cancelTrigger(triggerOrders, order);
    const found = triggerOrders === null ? this.#placedOf(order) : this.#found(triggerOrders.childOf(id));
    if (found === null || !this.#venue.requestCancel(found)) return;
    const lane = this.#lanes[order.instrumentIndex]!;
    if (this.#isMidRow(lane, order)) lane.late = lane.lateCancels.push(found.id) + lane.lateTriggers.length;
    else this.#venue.finishCancel(found, this.#engine.nowMs);
  }

  #placedOf({ id, venueId }: Order): VenueOrder | null {
    // The venue's id is not on the record of an order whose answer was lost.
    return this.#found(venueId ?? this.#placed.get(id));
  }
  #found(venueId: VenueOrderId | number | undefined): VenueOrder | null {
    return typeof venueId === 'number' ? this.#venue.find(this.#account, venueId) : null;
  }

  #cancelTrigger(otherTriggers: ReplayTriggers, order: Order): void {
    const lane = this.#lanes[order.instrumentIndex]!;
    if (this.#isMidRow(lane, order)) lane.late = lane.lateTriggers.push(order.id) + lane.lateCancels.length;
    else otherTriggers.cancel(order.id, this.#engine.nowMs);
  }

  /** A leg of a bracket whose stop goes off: its cancel acts with the stop, wherever in a row that is. */
  #isTakenBack(order: Order): boolean {
    return order.parent > 0 && this.#engine.bracketManager.takesBack;
  }
  #isMidRow({ feed: { bars, cursor } }: ReplayBook, order: Order): boolean {
    const next = cursor.row + 1;
    return !this.#isInstant && !this.#isTakenBack(order) && next < bars.length && bars.openMs[next]! < this.#engine.nowMs;
  }

  #actLateCancels(lane: ReplayBook): void {
    lane.late = 0;
    for (const order of lane.lateTriggers.splice(0)) {
      // One that the row has fired goes on as what it has placed, and the cancel is of that.
      const child = this.#triggers?.childOf(order);
      this.#triggers?.cancel(order, this.#engine.nowMs);
      if (child !== undefined) lane.lateCancels.push(child);
    }
    for (const id of lane.lateCancels.splice(0)) {
      // By id: an order that the row has filled is gone, and its record may be another order's by now.
      const order = this.#venue.find(this.#account, id);
      if (order !== null) this.#venue.cancel(order, this.#engine.nowMs);
    }
  }

  /** Throws StrategyError for what is no wait. */
  #latencyOf(order: Order, isCancel: boolean): number {
    const ms: unknown = this.#options.latency.ms(order, isCancel);
    if (typeof ms === 'number' && ms >= 0 && ms <= MAX_LATENCY_MS) return ms;
    throw new StrategyError(`the latency model answers ${String(ms)}`, `it says how many ms an order takes, from 0 to ${MAX_LATENCY_MS}`);
  }

  /** Due events may come up while a row is matched, without a call of a strategy: the loop has to look at the queue again. */
  #later(timeMs: number, run: () => void): void {
    this.#engine.hasPendingWork = true;
    this.#queue.at(timeMs, run);
  }

  #book(instrument: number): ReplayBook {
    return this.#onlyBook ?? this.#lanes[instrument]!;
  }
  #forget(order: VenueOrder): void {
    if (this.#options.faultOf !== null) this.#placed.delete(order.ref);
    this.#triggers?.childEnded(order.ref as OrderId);
    this.#venue.release(order);
  }
}

/** A row in ticks. Whole ticks: the import has refused or rounded anything finer, so rounding only removes the noise of the product. */
function tradedRow({ feed: { bars }, priceScale }: ReplayBook, row: number, openMs: number, closeMs: number, open: number): TradedRow {
  const [high, low] = [Math.round(bars.high[row]! * priceScale), Math.round(bars.low[row]! * priceScale)];
  return { openMs, closeMs, open, high, low };
}

function replayBookOf(feed: MatchedFeed, venue: BookVenue<BarBook>): ReplayBook {
  return {
    book: venue.book(feed.instrument),
    feed,
    openTicks: feed.openTicks,
    priceScale: pow10(feed.instrument.priceDigits),
    lotScale: lotsPerCoin(feed.instrument),
    lengthMs: fixedLengthMs(feed.bars.interval) ?? 0,
    lateCancels: [],
    lateTriggers: [],
    late: 0,
    collared: 0,
  };
}
