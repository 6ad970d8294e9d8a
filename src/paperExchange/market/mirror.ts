// Mirrors the market of another exchange: its quotes become background makers, its trades background takers.

import type { Side } from '../../model/order.ts';
import type { RestingOrder } from '../matching/orderBook.ts';
import type { TradedMarket } from './tradedMarket.ts';

/** A level of the other exchange's book: whole ticks and lots, both above 0. */
export interface OtherLevel {
  readonly price: number;
  readonly lots: number;
}
/** A trade of the other exchange. */
export interface OtherTrade extends OtherLevel {
  readonly takerSide: Side;
}

/**
 * Mixes user orders with the quotes of another exchange, behind quotes that were at the same price earlier. User orders trade at their own
 * limits when its book or one of its trades reaches their price. Liquidity that users take returns with the next read of its book.
 */
export class Mirror {
  readonly #market: TradedMarket;
  readonly #quotes: Readonly<Record<Side, Map<number, RestingOrder>>> = { buy: new Map(), sell: new Map() };

  constructor(market: TradedMarket) {
    this.#market = market;
  }

  /** Sets the other exchange's book, best level first. An unchanged level keeps its place in the queue. */
  book(bids: readonly OtherLevel[], asks: readonly OtherLevel[], timeMs: number): void {
    const { matcher } = this.#market;
    this.#withdraw('buy', bids);
    this.#withdraw('sell', asks);
    const bid = bids[0]?.price ?? 0;
    const ask = asks[0]?.price ?? Infinity;
    // First trades user orders that cross the new quotes.
    if (ask < Infinity) matcher.takeLiquidity('sell', ask, Infinity, timeMs);
    if (bid > 0) matcher.takeLiquidity('buy', bid, Infinity, timeMs);
    this.#placeQuotes('buy', bids, timeMs);
    this.#placeQuotes('sell', asks, timeMs);
  }

  /** Repeats a trade of the other exchange at exactly its price. Orders with a better price trade first. */
  repeatTrade({ price, lots, takerSide }: OtherTrade, timeMs: number): void {
    const market = this.#market;
    const side: Side = takerSide === 'buy' ? 'sell' : 'buy';
    const quotes = this.#quotes[side];
    // A trade at this price means that the other exchange's better quotes no longer exist, whatever the last read has shown.
    for (const [quotePrice, quote] of quotes) if (isBefore(side, quotePrice, price)) this.#remove(side, quotePrice, quote);
    const quote = quotes.get(price);
    if (quote === undefined || quote.lots < lots) {
      if (quote !== undefined) this.#remove(side, price, quote);
      const placed = market.matcher.quote(side, price, lots, timeMs);
      if (placed !== null) quotes.set(price, placed);
    }
    market.matcher.takeLiquidity(takerSide, price, lots, timeMs);
    market.referencePrice = price;
  }

  /** Removes quotes whose level is removed or has other lots. */
  #withdraw(side: Side, levels: readonly OtherLevel[]): void {
    const lotsByPrice = new Map(levels.map(({ price, lots }) => [price, lots]));
    for (const [price, quote] of this.#quotes[side]) if (lotsByPrice.get(price) !== quote.lots) this.#remove(side, price, quote);
  }

  /** Places a quote for each level that has none. */
  #placeQuotes(side: Side, levels: readonly OtherLevel[], timeMs: number): void {
    const quotes = this.#quotes[side];
    for (const { price, lots } of levels) {
      if (quotes.has(price)) continue;
      const placed = this.#market.matcher.quote(side, price, lots, timeMs);
      if (placed !== null) quotes.set(price, placed);
    }
  }

  #remove(side: Side, price: number, quote: RestingOrder): void {
    this.#market.matcher.book.remove(quote);
    this.#quotes[side].delete(price);
  }
}

/** True when a taker reaches `quotePrice` before `price`. */
const isBefore = (side: Side, quotePrice: number, price: number): boolean => (side === 'sell' ? quotePrice < price : quotePrice > price);
