// Order against order by price and time: what trades with what, at whose price; the money is the venue's.

import type { Side } from '../../model/order.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import { type PriceLevel, OrderBook, type Resting } from './orderBook.ts';

/** One execution between two orders, of which the background may be either or both. The record is the matcher's: copy what is kept. */
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

export interface MatchListener {
  /** Before the fills of the two orders are told by the venue. */
  matched(match: Match): void;
  /** A name on the wire for an order of the background. */
  backgroundId(): string;
}

/** Who takes: an order of a user, or so much of the background. */
interface Taker {
  readonly id: string;
  readonly order: VenueOrder | null;
  readonly side: Side;
  /** Ticks; 0: any price. */
  readonly limit: number;
  /** Of the background: lots that it still wants. */
  left: number;
}

/** True when an order by amount that takes `lots` at `price` has no lot left to buy at `next`, the price that comes then. */
export type IsSpent = (order: VenueOrder, price: number, lots: number, next: number) => boolean;

export class Matcher {
  readonly book = new OrderBook();
  readonly #venue: BarBook;
  readonly #isSpent: IsSpent;
  readonly #listener: MatchListener;
  readonly #ids: { lastTradeId: number };

  /** `ids` is shared by the instruments of one market: an id of a trade is that of no other. */
  constructor(venue: BarBook, isSpent: IsSpent, listener: MatchListener, ids: { lastTradeId: number }) {
    this.#venue = venue;
    this.#isSpent = isSpent;
    this.#listener = listener;
    this.#ids = ids;
  }

  /**
   * Trades an arriving order as far as it can and may; what then rests is returned. Null: nothing does, and an order that is still open
   * is for the caller to cancel: one that does not rest, or whose account cannot back what the book has for it.
   */
  enter(id: string, order: VenueOrder, timeMs: number): Resting | null {
    const { side, limit, timeInForce } = order;
    const taker: Taker = { id, order, side, limit, left: 0 };
    if (timeInForce === 'POST_ONLY' && this.#reached(taker) !== null) return null;
    if (timeInForce === 'FOK' && !this.#canFill(order)) return null;
    const isExhausted = this.#trade(taker, timeMs);
    const mayRest = limit !== 0 && timeInForce !== 'IOC' && timeInForce !== 'FOK';
    return order.isOpen && mayRest && !isExhausted ? this.book.add(id, order, side, limit, order.lots - order.filledLots) : null;
  }

  /** A maker of the background: what it does not trade at once rests. Null: nothing rests. */
  quote(side: Side, price: number, lots: number, timeMs: number): Resting | null {
    const taker: Taker = { id: this.#listener.backgroundId(), order: null, side, limit: price, left: lots };
    this.#trade(taker, timeMs);
    return taker.left > 0 ? this.book.add(taker.id, null, side, price, taker.left) : null;
  }

  /** A taker of the background: what it does not get at `limit` or better, it goes without. */
  takeLiquidity(side: Side, limit: number, lots: number, timeMs: number): void {
    this.#trade({ id: this.#listener.backgroundId(), order: null, side, limit, left: lots }, timeMs);
  }

  /** True where the book has more for an order than its amount or its account can pay. */
  #trade(taker: Taker, timeMs: number): boolean {
    for (let level = this.#reached(taker); level !== null; level = this.#reached(taker)) {
      const wanted = taker.order === null ? taker.left : this.#venue.fillableLots(taker.order, level.price);
      if (wanted === 0) return taker.order !== null;
      // One that takes as much as its account can pay, or as can be counted, takes no more: else it would go on by ever smaller parts.
      const isLast = taker.order !== null && (taker.order.quoteUnits === 0 || this.#venue.isCapped);
      const { head } = level;
      const backed = head.order === null ? head.lots : Math.min(head.lots, this.#venue.fillableLots(head.order, level.price));
      const lots = Math.min(wanted, backed);
      if (lots > 0) this.#execute(taker, head, lots, timeMs);
      // What the account of a maker can no longer pay does not stay in the way.
      if (lots < wanted && head.order !== null && head.lots > 0 && head.order.isOpen) this.#venue.cancel(head.order, timeMs);
      if (taker.order !== null && !taker.order.isOpen) return false;
      if (isLast && lots === wanted) return true;
    }
    return false;
  }

  /** The level that a taker trades with next. */
  #reached(taker: Taker): PriceLevel | null {
    const level = this.book.best(taker.side === 'buy' ? 'sell' : 'buy');
    return level !== null && reaches(taker, level.price) ? level : null;
  }

  /** True when an order of all or nothing gets all: from makers that can pay, and at the first price, the dearest for it, from its own account. */
  #canFill(order: VenueOrder): boolean {
    const { side, limit } = order;
    let left = order.lots;
    for (const { price, head } of this.book.levels(side === 'buy' ? 'sell' : 'buy', Infinity)) {
      if (!reaches({ side, limit }, price) || this.#venue.fillableLots(order, price) < left) return false;
      for (let maker: Resting | null = head; maker !== null; maker = this.book.after(maker)) {
        left -= maker.order === null ? maker.lots : Math.min(maker.lots, this.#venue.fillableLots(maker.order, price));
        if (left <= 0) return true;
      }
    }
    return false;
  }

  #execute(taker: Taker, maker: Resting, lots: number, timeMs: number): void {
    const { price } = maker;
    const isBuy = taker.side === 'buy';
    this.book.take(maker, lots);
    taker.left -= lots;
    this.#listener.matched({
      tradeId: ++this.#ids.lastTradeId,
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

  #isComplete(order: VenueOrder, price: number, lots: number): boolean {
    if (order.quoteUnits === 0) return order.filledLots + lots === order.lots;
    const next = this.book.best(order.side === 'buy' ? 'sell' : 'buy')?.price ?? price;
    return this.#isSpent(order, price, lots, next);
  }
}

function reaches({ side, limit }: Pick<Taker, 'side' | 'limit'>, price: number): boolean {
  if (limit === 0) return true;
  return side === 'buy' ? price <= limit : price >= limit;
}
