// Matches orders by price and time. It decides which orders trade at which price; the venue books the money.

import type { Side } from '../../model/order.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import { type PriceLevel, OrderBook, type RestingOrder } from './orderBook.ts';

/**
 * One execution between two orders. Background liquidity may be on either or both sides. The matcher reuses the object, so copy what you
 * keep.
 */
export interface Match {
  readonly tradeId: number;
  /** Text ids of the two orders. */
  readonly bidId: string;
  readonly askId: string;
  readonly takerSide: Side;
  /** Ticks. */
  readonly price: number;
  readonly lots: number;
  readonly timeMs: number;
}

/** The exchange, as the matcher reports to it. */
export interface MatchListener {
  /** Called before the venue reports the fills of the two orders. */
  onMatch(match: Match): void;
  /** Returns a wire id for a background order. */
  backgroundId(): string;
}

/** A taker: a user order, or a quantity of background liquidity. */
interface Taker {
  readonly id: string;
  readonly order: VenueOrder | null;
  readonly side: Side;
  /** Limit price in ticks; 0: any price. */
  readonly limitTicks: number;
  /** Lots that a background taker still wants. */
  lotsLeft: number;
}

/** True when an order by amount that takes `lots` at `price` cannot pay for one more lot at the next price. */
export type IsSpent = (order: VenueOrder, price: number, lots: number, nextPrice: number) => boolean;

/** The matching of one instrument. */
export class Matcher {
  /** The resting orders. */
  readonly book = new OrderBook();
  readonly #venue: BarBook;
  readonly #isSpent: IsSpent;
  readonly #listener: MatchListener;
  readonly #tradeIds: { lastTradeId: number };

  /** `ids` is shared by all instruments of a market, so that trade ids are unique. */
  constructor(venue: BarBook, isSpent: IsSpent, listener: MatchListener, ids: { lastTradeId: number }) {
    this.#venue = venue;
    this.#isSpent = isSpent;
    this.#listener = listener;
    this.#tradeIds = ids;
  }

  /**
   * Trades an arriving order as far as possible, and returns it as a resting order. Returns null if nothing rests. An order that is still
   * open then must be cancelled by the caller: it may not rest, or its account cannot pay for the offers.
   */
  enter(id: string, order: VenueOrder, timeMs: number): RestingOrder | null {
    const { side, limit, timeInForce } = order;
    const taker: Taker = { id, order, side, limitTicks: limit, lotsLeft: 0 };
    if (timeInForce === 'POST_ONLY' && this.#reachedLevel(taker) !== null) return null;
    if (timeInForce === 'FOK' && !this.#canFill(order)) return null;
    const isExhausted = this.#trade(taker, timeMs);
    const mayRest = limit !== 0 && timeInForce !== 'IOC' && timeInForce !== 'FOK';
    return order.isOpen && mayRest && !isExhausted ? this.book.add(id, order, side, limit, order.lots - order.filledLots) : null;
  }

  /** Places a background quote. It trades what crosses; the rest is added to the book. Returns null if nothing rests. */
  placeQuote(side: Side, price: number, lots: number, timeMs: number): RestingOrder | null {
    const taker: Taker = { id: this.#listener.backgroundId(), order: null, side, limitTicks: price, lotsLeft: lots };
    this.#trade(taker, timeMs);
    return taker.lotsLeft > 0 ? this.book.add(taker.id, null, side, price, taker.lotsLeft) : null;
  }

  /** Executes a background taker. Lots that `limit` or a better price does not fill are dropped. */
  takeLiquidity(side: Side, limit: number, lots: number, timeMs: number): void {
    this.#trade({ id: this.#listener.backgroundId(), order: null, side, limitTicks: limit, lotsLeft: lots }, timeMs);
  }

  /** Returns true if the book offers more than the order's amount or account can pay. */
  #trade(taker: Taker, timeMs: number): boolean {
    for (let level = this.#reachedLevel(taker); level !== null; level = this.#reachedLevel(taker)) {
      const wantedLots = taker.order === null ? taker.lotsLeft : this.#venue.fillableLots(taker.order, level.price);
      if (wantedLots === 0) return taker.order !== null;
      // An order that takes all that its account can pay for, or that can be booked exactly, stops here. Otherwise it would continue with
      // ever smaller parts.
      const isLast = taker.order !== null && (taker.order.quoteUnits === 0 || this.#venue.isCapped);
      const { head } = level;
      const availableLots = head.order === null ? head.lots : Math.min(head.lots, this.#venue.fillableLots(head.order, level.price));
      const lots = Math.min(wantedLots, availableLots);
      if (lots > 0) this.#execute(taker, head, lots, timeMs);
      // A maker whose account can no longer pay must not block the queue.
      if (lots < wantedLots && head.order !== null && head.lots > 0 && head.order.isOpen) this.#venue.cancel(head.order, timeMs);
      if (taker.order !== null && !taker.order.isOpen) return false;
      if (isLast && lots === wantedLots) return true;
    }
    return false;
  }

  /** Returns the level that a taker trades with next; null: none. */
  #reachedLevel(taker: Taker): PriceLevel | null {
    const level = this.book.best(taker.side === 'buy' ? 'sell' : 'buy');
    return level !== null && reaches(taker, level.price) ? level : null;
  }

  /** True when a fill-or-kill order can fill completely: from makers that can pay, and with enough funds of its own at each price. */
  #canFill(order: VenueOrder): boolean {
    const { side, limit } = order;
    let lotsLeft = order.lots;
    for (const { price, head } of this.book.levels(side === 'buy' ? 'sell' : 'buy', Infinity)) {
      if (!reaches({ side, limitTicks: limit }, price) || this.#venue.fillableLots(order, price) < lotsLeft) return false;
      for (let maker: RestingOrder | null = head; maker !== null; maker = this.book.nextAtPrice(maker)) {
        lotsLeft -= maker.order === null ? maker.lots : Math.min(maker.lots, this.#venue.fillableLots(maker.order, price));
        if (lotsLeft <= 0) return true;
      }
    }
    return false;
  }

  /** Executes `lots` between a taker and a maker, at the maker's price, and reports the match before its fills. */
  #execute(taker: Taker, maker: RestingOrder, lots: number, timeMs: number): void {
    const { price } = maker;
    const isBuy = taker.side === 'buy';
    this.book.reduce(maker, lots);
    taker.lotsLeft -= lots;
    this.#listener.onMatch({
      tradeId: ++this.#tradeIds.lastTradeId,
      bidId: isBuy ? taker.id : maker.id,
      askId: isBuy ? maker.id : taker.id,
      takerSide: taker.side,
      price,
      lots,
      timeMs,
    });
    if (maker.order !== null) this.#venue.executeLots(maker.order, price, lots, maker.lots === 0, true, timeMs);
    if (taker.order !== null) this.#venue.executeLots(taker.order, price, lots, this.#isComplete(taker.order, price, lots), false, timeMs);
  }

  /** True when a fill of `lots` at `price` completes an order: by its quantity, or because its amount pays for no further lot. */
  #isComplete(order: VenueOrder, price: number, lots: number): boolean {
    if (order.quoteUnits === 0) return order.filledLots + lots === order.lots;
    const nextPrice = this.book.best(order.side === 'buy' ? 'sell' : 'buy')?.price ?? price;
    return this.#isSpent(order, price, lots, nextPrice);
  }
}

/** True when a taker accepts a price. */
function reaches({ side, limitTicks }: Pick<Taker, 'side' | 'limitTicks'>, price: number): boolean {
  if (limitTicks === 0) return true;
  return side === 'buy' ? price <= limitTicks : price >= limitTicks;
}
