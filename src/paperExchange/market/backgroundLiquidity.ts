// Background liquidity of a market: makers quote around a source price, and takers move the market there by trading through the book.

import type { Rng } from '../../base/number/rng.ts';
import type { Side } from '../../model/order.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { RestingOrder } from '../matching/orderBook.ts';
import type { PricePoint } from './priceSource.ts';

/** The book that makers keep around the source price. */
export interface BackgroundOptions {
  /** Levels that makers quote on each side. */
  readonly levels: number;
  /** Ticks between the best bid and the best ask, at least 1. */
  readonly spread: number;
  /** Ticks between two levels. */
  readonly spacing: number;
  /** Maximum of lots at a level. */
  readonly lots: number;
}

/**
 * Processes a price point in four steps. Quotes beyond the new price are withdrawn. User orders that the price has passed trade at their
 * own limits. Makers quote again, behind user orders at the same price. A taker trades the lots of the point at exactly its price.
 */
export class BackgroundLiquidity {
  readonly #matcher: Matcher;
  readonly #rng: Rng;
  readonly #options: BackgroundOptions;
  readonly #quotes: Readonly<Record<Side, Map<number, RestingOrder>>> = { buy: new Map(), sell: new Map() };
  #lastPrice = 0;
  /** Side and price of the next trade, and the lots that makers must offer there. */
  #minOffer: { readonly side: Side; readonly price: number; readonly lots: number } = { side: 'buy', price: 0, lots: 0 };

  constructor(matcher: Matcher, rng: Rng, options: BackgroundOptions) {
    this.#matcher = matcher;
    this.#rng = rng;
    this.#options = options;
  }

  /** Moves the market to a price point. */
  step({ timeMs, price, lots }: PricePoint): void {
    const isUp = price >= this.#lastPrice;
    this.#lastPrice = price;
    const { spread } = this.#options;
    const askPrice = isUp ? price : price + spread;
    const bid = Math.max(isUp ? price - spread : price, 0);
    const ladders = { buy: this.#ladder('buy', bid), sell: this.#ladder('sell', askPrice) };
    this.#withdraw('buy', ladders.buy);
    this.#withdraw('sell', ladders.sell);
    if (price > 1) this.#matcher.takeLiquidity('buy', price - 1, Infinity, timeMs);
    this.#matcher.takeLiquidity('sell', price + 1, Infinity, timeMs);
    const makerSide = isUp ? 'sell' : 'buy';
    this.#offer(makerSide, price, lots);
    this.#placeQuotes('buy', ladders.buy, timeMs);
    this.#placeQuotes('sell', ladders.sell, timeMs);
    this.#matcher.takeLiquidity(isUp ? 'buy' : 'sell', price, lots, timeMs);
  }

  /** Makes sure that makers offer at least `lots` at the price of the next trade. A renewed quote goes to the end of the queue. */
  #offer(side: Side, price: number, lots: number): void {
    const quotes = this.#quotes[side];
    const quote = quotes.get(price);
    if (quote !== undefined && quote.lots < lots) {
      this.#matcher.book.remove(quote);
      quotes.delete(price);
    }
    this.#minOffer = { side, price, lots };
  }

  /** Returns prices from `best` outwards. All but the first lie on a grid, so that most stay the same from point to point. */
  #ladder(side: Side, best: number): ReadonlySet<number> {
    const { levels, spacing } = this.#options;
    const prices = new Set<number>();
    if (best > 0) prices.add(best);
    const onGrid = side === 'buy' ? Math.ceil(best / spacing) - 1 : Math.floor(best / spacing) + 1;
    for (let level = 1; level < levels; level++) {
      const price = (side === 'buy' ? onGrid - (level - 1) : onGrid + (level - 1)) * spacing;
      if (price > 0) prices.add(price);
    }
    return prices;
  }

  /** Removes quotes that have traded away or are not on the ladder. */
  #withdraw(side: Side, ladder: ReadonlySet<number>): void {
    for (const [price, quote] of this.#quotes[side]) {
      if (ladder.has(price) && quote.lots > 0) continue;
      this.#matcher.book.remove(quote);
      this.#quotes[side].delete(price);
    }
  }

  /** Places a quote at each price of the ladder that has none. */
  #placeQuotes(side: Side, ladder: ReadonlySet<number>, timeMs: number): void {
    for (const price of ladder) {
      if (this.#quotes[side].has(price)) continue;
      const min = side === this.#minOffer.side && price === this.#minOffer.price ? this.#minOffer.lots : 0;
      const lots = min + 1 + Math.floor(this.#rng.next() * this.#options.lots);
      const quote = this.#matcher.quote(side, price, lots, timeMs);
      if (quote !== null) this.#quotes[side].set(price, quote);
    }
  }
}
