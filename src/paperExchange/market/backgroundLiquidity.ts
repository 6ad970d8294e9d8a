// Background liquidity of a market: makers quote around a source price, and takers move the market there by trading through the book.

import type { Rng } from '../../base/number/rng.ts';
import type { Side } from '../../model/order.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { RestingOrder } from '../matching/orderBook.ts';
import type { PricePoint } from './priceSource.ts';

/** The book that makers keep around the source price. */
export interface BackgroundOptions {
  /** Levels that makers quote on each side. */
  readonly levelsPerSide: number;
  /** Ticks between the best bid and the best ask, at least 1. */
  readonly spreadTicks: number;
  /** Ticks between two levels. */
  readonly spacingTicks: number;
  /** Maximum number of lots at a level. */
  readonly maxLotsPerLevel: number;
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
  moveTo({ timeMs, priceTicks, lots }: PricePoint): void {
    const isUp = priceTicks >= this.#lastPrice;
    this.#lastPrice = priceTicks;
    const { spreadTicks } = this.#options;
    const askPrice = isUp ? priceTicks : priceTicks + spreadTicks;
    const bidPrice = Math.max(isUp ? priceTicks - spreadTicks : priceTicks, 0);
    const ladders = { buy: this.#ladder('buy', bidPrice), sell: this.#ladder('sell', askPrice) };
    this.#withdraw('buy', ladders.buy);
    this.#withdraw('sell', ladders.sell);
    if (priceTicks > 1) this.#matcher.takeLiquidity('buy', priceTicks - 1, Infinity, timeMs);
    this.#matcher.takeLiquidity('sell', priceTicks + 1, Infinity, timeMs);
    const makerSide = isUp ? 'sell' : 'buy';
    this.#offer(makerSide, priceTicks, lots);
    this.#placeQuotes('buy', ladders.buy, timeMs);
    this.#placeQuotes('sell', ladders.sell, timeMs);
    this.#matcher.takeLiquidity(isUp ? 'buy' : 'sell', priceTicks, lots, timeMs);
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
    const { levelsPerSide, spacingTicks } = this.#options;
    const prices = new Set<number>();
    if (best > 0) prices.add(best);
    const firstGridStep = side === 'buy' ? Math.ceil(best / spacingTicks) - 1 : Math.floor(best / spacingTicks) + 1;
    for (let level = 1; level < levelsPerSide; level++) {
      const price = (side === 'buy' ? firstGridStep - (level - 1) : firstGridStep + (level - 1)) * spacingTicks;
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
      const minLots = side === this.#minOffer.side && price === this.#minOffer.price ? this.#minOffer.lots : 0;
      const lots = minLots + 1 + Math.floor(this.#rng.next() * this.#options.maxLotsPerLevel);
      const quote = this.#matcher.placeQuote(side, price, lots, timeMs);
      if (quote !== null) this.#quotes[side].set(price, quote);
    }
  }
}
