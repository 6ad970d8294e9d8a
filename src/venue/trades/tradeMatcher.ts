// Fills the orders of one book against trades, in the order in which they happened (docs/matching.md#trades).

import { mulDiv, pow10 } from '../../base/number/exact.ts';
import type { TradeTape } from '../../model/bars/bars.ts';
import type { BarBook } from '../barBook.ts';
import { NO_SLIPPAGE, slippedPrice } from '../slippage.ts';
import { MATCHING_RULE } from '../trace/matchTracer.ts';
import type { VenueOrderRecord } from '../venueOrder.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Quantities and multiples of a queue are whole in 10^-8. */
export const QUEUE_DIGITS = 8;

/** The volume ahead of a limit that begins to rest. */
export interface QueueSettings {
  /** In 10^-8 of the base asset; null: `tradesUnits` gives it. */
  readonly aheadUnits: number | null;
  /** As a multiple of the average quantity of the previous trades, in 10^-8. */
  readonly tradesUnits: number;
  /** The share of the volume ahead that is cancelled instead of traded. */
  readonly cancelsPpm: number;
}

/** How trades of the market fill resting orders. */
export interface TradeTerms {
  /** True when a trade at the limit fills a resting limit. Unused with a queue. */
  readonly fillsAtTouch: boolean;
  readonly queue: QueueSettings | null;
}

/** The number of previous trades whose average `tradesUnits` multiplies. */
const AVERAGED_TRADES = 100;

/** What a limit order has met since it arrived. */
interface LimitState {
  /** True while it takes: the price at its arrival was within its limit, and no later trade was beyond it. */
  isTaking: boolean;
  /** Lots ahead of it at its limit. */
  aheadLots: number;
}

/** Matches working orders of one book with the trades of a tape, and remembers the queue in front of each limit. */
export class TradeMatcher {
  private readonly book: BarBook;
  private readonly tape: TradeTape;
  private readonly terms: TradeTerms;
  private readonly aheadLots: number;
  /** By id of the order, which is never used again. */
  private readonly limits = new Map<number, LimitState>();

  constructor(book: BarBook, tape: TradeTape, terms: TradeTerms) {
    this.book = book;
    this.tape = tape;
    this.terms = terms;
    const { aheadUnits = 0 } = terms.queue ?? {};
    this.aheadLots = mulDiv(aheadUnits ?? 0, pow10(book.instrument.quantityDigits), pow10(QUEUE_DIGITS), 'up');
  }

  /** Sets price and volume of the trade `row`, before stops and orders are matched against it. */
  begin(row: number): void {
    const { book, tape } = this;
    const price = tape.price[row]!;
    book.beginRow(tape.lots[row]!);
    if (book.readsBar) book.bar = { open: price, high: price, low: price, close: price, volumeLots: tape.lots[row]! };
  }

  /** Offers the trade `row` to the orders that have arrived by `timeMs`, the time of the trade, by arrival. */
  match(row: number, timeMs: number): void {
    const { book, tape } = this;
    const price = tape.price[row]!;
    const orders = book.ordersInRow(timeMs);
    const arrivedIds = orders.map(({ id }) => id);
    // Lots of this trade that own orders at its price have filled.
    let givenLots = 0;
    for (const [index, order] of orders.entries()) {
      // The sink may have ended the order, and another order may use its record.
      if (!order.isOpen || order.id !== arrivedIds[index]) continue;
      if (order.limit === 0) this.fillAsTaker(order, price, timeMs);
      else givenLots += this.offerLimit(order, row, price, timeMs, givenLots);
    }
    if (this.limits.size > 2 * book.working + AVERAGED_TRADES) this.forgetEnded(book.ordersInRow(timeMs));
  }

  /** True when a limit rests: trades fill it at its limit only. */
  isResting(id: number): boolean {
    return this.limits.get(id)?.isTaking === false;
  }

  /** Offers a trade to a limit. Returns the lots that it fills of a trade at its limit. */
  private offerLimit(order: VenueOrderRecord, row: number, price: number, timeMs: number, givenLots: number): number {
    const state = this.stateOf(order, row);
    const ticksBeyond = (order.limit - price) * order.sign;
    if (state.isTaking) {
      if (ticksBeyond >= 0) this.fillAsTaker(order, price, timeMs);
      else {
        state.isTaking = false;
        state.aheadLots = this.lotsAheadAt(row);
      }
      return 0;
    }
    if (ticksBeyond < 0) return 0;
    if (ticksBeyond > 0) {
      state.aheadLots = 0;
      this.fillAsMaker(order, INFINITY, timeMs);
      return 0;
    }
    const { queue, fillsAtTouch } = this.terms;
    if (queue === null) {
      if (fillsAtTouch) this.fillAsMaker(order, INFINITY, timeMs);
      return 0;
    }
    // A taker on the same side as the order trades with the other side of the book.
    if (this.tape.takerSide[row] === order.sign) return 0;
    const remainingLots = this.tape.lots[row]! - givenLots;
    // The lots ahead of the order at its limit fill first.
    const filledAhead = Math.min(state.aheadLots, remainingLots);
    state.aheadLots -= filledAhead;
    return remainingLots > filledAhead ? this.fillAsMaker(order, remainingLots - filledAhead, timeMs) : 0;
  }

  /** Returns the state of a limit. The last price before its arrival decides whether it takes or rests. */
  private stateOf(order: VenueOrderRecord, row: number): LimitState {
    const existing = this.limits.get(order.id);
    if (existing !== undefined) return existing;
    const lastTicks = this.tape.price[Math.max(0, row - 1)]!;
    const isTaking = (order.limit - lastTicks) * order.sign >= 0;
    const state = { isTaking, aheadLots: isTaking ? 0 : this.lotsAheadAt(row) };
    this.limits.set(order.id, state);
    return state;
  }

  /** Returns the lots ahead of a limit that begins to rest before the trade `row`, without cancelled ones, rounded up. */
  private lotsAheadAt(row: number): number {
    const { queue } = this.terms;
    if (queue === null) return 0;
    const { aheadUnits, tradesUnits, cancelsPpm } = queue;
    const lots = aheadUnits === null ? this.averageLotsAt(row, tradesUnits) : this.aheadLots;
    return mulDiv(lots, 1_000_000 - cancelsPpm, 1_000_000, 'up');
  }

  /** Returns the mean size of the trades before a row times `units`, rounded up. */
  private averageLotsAt(row: number, units: number): number {
    const { lots } = this.tape;
    const from = Math.max(0, row - AVERAGED_TRADES);
    // The very first trade has no previous one, so it counts itself.
    const to = Math.max(row, 1);
    let sum = 0;
    for (let i = from; i < to; i++) sum += lots[i]!;
    return mulDiv(sum, units, (to - from) * pow10(QUEUE_DIGITS), 'up');
  }

  /** Fills as taker at the price of a trade plus slippage, as much as order and cap allow. The remainder waits for the next trade. */
  private fillAsTaker(order: VenueOrderRecord, quoted: number, timeMs: number): void {
    const { book } = this;
    book.tracer?.acts(order, order.limit === 0 ? MATCHING_RULE.market : MATCHING_RULE.open, quoted, timeMs);
    const { slippage } = book;
    let price = quoted;
    if (slippage !== NO_SLIPPAGE) {
      const size = Math.min(book.fillableLots(order, quoted), book.budget);
      price = slippedPrice(slippage, book.instrument, order, quoted, size, book.bar);
    }
    const fillableLots = book.fillableLots(order, price);
    // The remaining amount is below the price of a lot.
    if (fillableLots <= 0) return book.cancel(order, timeMs);
    const lots = Math.min(fillableLots, book.budget);
    if (lots > 0) book.executeLots(order, price, lots, lots === fillableLots, false, timeMs);
  }

  /** Fills at the limit as maker, at most `lots`. Returns the lots that it filled. */
  private fillAsMaker(order: VenueOrderRecord, lots: number, timeMs: number): number {
    const { book } = this;
    const fillableLots = book.fillableLots(order, order.limit);
    const filledLots = Math.min(fillableLots, lots, book.budget);
    if (filledLots <= 0) return 0;
    book.tracer?.acts(order, MATCHING_RULE.limit, order.limit, timeMs);
    book.executeLots(order, order.limit, filledLots, filledLots === fillableLots, true, timeMs);
    return filledLots;
  }

  /** Drops the states of limits that are not open any more. */
  private forgetEnded(openOrders: readonly VenueOrderRecord[]): void {
    const openIds = new Set(openOrders.map(({ id }) => id));
    for (const id of this.limits.keys()) if (!openIds.has(id)) this.limits.delete(id);
  }
}
