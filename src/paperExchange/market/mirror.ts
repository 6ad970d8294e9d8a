// Mirrors the market of another exchange: its quotes become background makers, its trades background takers.

import type { Side } from '../../model/order.ts';
import type { RestingOrder } from '../matching/orderBook.ts';
import type { TradedMarket } from './tradedMarket.ts';

/** A level of the other exchange's book: whole ticks and lots, both above 0. */
export interface OtherLevel {
  readonly priceTicks: number;
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
  setBook(bids: readonly OtherLevel[], asks: readonly OtherLevel[], timeMs: number): void {
    const { matcher } = this.#market;
    this.#withdraw('buy', bids);
    this.#withdraw('sell', asks);
    const bid = bids[0]?.priceTicks ?? 0;
    const ask = asks[0]?.priceTicks ?? Infinity;
    // First trades user orders that cross the new quotes.
    if (ask < Infinity) matcher.takeLiquidity('sell', ask, Infinity, timeMs);
    if (bid > 0) matcher.takeLiquidity('buy', bid, Infinity, timeMs);
    this.#placeQuotes('buy', bids, timeMs);
    this.#placeQuotes('sell', asks, timeMs);
  }

  /** Repeats a trade of the other exchange at exactly its price. Orders with a better price trade first. */
  repeatTrade({ priceTicks, lots, takerSide }: OtherTrade, timeMs: number): void {
    const market = this.#market;
    const side: Side = takerSide === 'buy' ? 'sell' : 'buy';
    const quotes = this.#quotes[side];
    // A trade at this price proves that better quotes of the other exchange no longer exist, even if the last read has shown them.
    for (const [quotePrice, quote] of quotes) if (isBefore(side, quotePrice, priceTicks)) this.#remove(side, quotePrice, quote);
    const quote = quotes.get(priceTicks);
    if (quote === undefined || quote.lots < lots) {
      if (quote !== undefined) this.#remove(side, priceTicks, quote);
      const placedQuote = market.matcher.placeQuote(side, priceTicks, lots, timeMs);
      if (placedQuote !== null) quotes.set(priceTicks, placedQuote);
    }
    market.matcher.takeLiquidity(takerSide, priceTicks, lots, timeMs);
    market.referencePrice = priceTicks;
  }

  /** Removes quotes whose level is removed or has other lots. */
  #withdraw(side: Side, levels: readonly OtherLevel[]): void {
    const lotsByPrice = new Map(levels.map(({ priceTicks, lots }) => [priceTicks, lots]));
    for (const [price, quote] of this.#quotes[side]) if (lotsByPrice.get(price) !== quote.lots) this.#remove(side, price, quote);
  }

  /** Places a quote for each level that has none. */
  #placeQuotes(side: Side, levels: readonly OtherLevel[], timeMs: number): void {
    const quotes = this.#quotes[side];
    for (const { priceTicks, lots } of levels) {
      if (quotes.has(priceTicks)) continue;
      const placedQuote = this.#market.matcher.placeQuote(side, priceTicks, lots, timeMs);
      if (placedQuote !== null) quotes.set(priceTicks, placedQuote);
    }
  }

  #remove(side: Side, price: number, quote: RestingOrder): void {
    this.#market.matcher.book.remove(quote);
    this.#quotes[side].delete(price);
  }
}

/** True when a taker reaches `quotePrice` before `price`. */
const isBefore = (side: Side, quotePrice: number, price: number): boolean => (side === 'sell' ? quotePrice < price : quotePrice > price);
