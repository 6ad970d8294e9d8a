// A strategy whose orders conflict: it uses one decision slot for both sides, sells its holding twice, and trades with its own orders.

import type { Feed } from '../../../../src/index.ts';
import { nextRandomState, randomFraction, Trader } from '../trader.ts';

/** Expected number of conflicts in a minute, over all symbols together. */
const CROWDS_PER_MINUTE = 0.8;
/** Size of a buy that rests, in coins. */
const RESTING_SIZE = '0.4';
/** Share of the holding that is sold: under the slot of both sides, and by the sale that meets an own order. */
const SOLD_SHARE = { either: 0.3, meeting: 0.9 };
/** With a holding, this share of the orders in the slot of both sides are sales. */
const SELL_SHARE = 0.6;
/** Prices relative to the last close: a sale too high to fill, the step of buys at the front of the book, and buys that rest behind it. */
const HIGH = 1.002;
const FRONT_STEP = 0.0003;
const LOW = 0.999;

/** A trader that also places conflicting orders. */
export class CrowdTrader extends Trader {
  override actsPerMinute = 0.8;
  #randomState = 70_001;

  override onBar() {
    super.onBar();
    for (const feed of this.symbols) if (this.#nextRandom() < CROWDS_PER_MINUTE / this.symbols.length) this.#placeConflictingOrders(feed);
  }

  /** Draws one of four conflicts, each as often as the others. */
  #placeConflictingOrders(feed: Feed): void {
    const choice = this.#nextRandom();
    if (choice < 0.25) this.#useOneDecisionForBothSides(feed);
    else if (choice < 0.5) this.#sellAllTwice(feed);
    else if (choice < 0.75) this.#meetOwnOrder(feed);
    else this.#buyEqually(feed);
  }

  /** Places a sale or a buy in the same decision slot. Without a holding it is a buy. */
  #useOneDecisionForBothSides(feed: Feed): void {
    const shouldSell = this.#canSell(feed) && this.#nextRandom() < SELL_SHARE;
    if (shouldSell) this.sell({ base: this.#holdingText(feed, SOLD_SHARE.either) }, { feed, tag: 'either', reduceOnly: true });
    else this.buy({ quote: '40' }, { feed, tag: 'either' });
  }

  /** Sells all that the strategy holds, twice. */
  #sellAllTwice(feed: Feed): void {
    if (!this.#canSell(feed)) return;
    const holding = this.#holdingText(feed);
    this.sell({ base: holding }, { feed, tag: 'all, high', limit: feed.close.value * HIGH, reduceOnly: true });
    this.sell({ base: holding }, { feed, tag: 'all, market', reduceOnly: true });
  }

  /** Places the best buys of the book. The sell then meets the strategy's own best buy. */
  #meetOwnOrder(feed: Feed): void {
    for (const nth of [1, 2, 3])
      this.buy({ base: RESTING_SIZE }, { feed, tag: `front ${nth}`, limit: feed.close.value * (1 + (nth - 2) * FRONT_STEP) });
    if (this.#canSell(feed)) this.sell({ base: this.#holdingText(feed, SOLD_SHARE.meeting) }, { feed, tag: 'meets', reduceOnly: true });
  }

  /** Places three buys that only their client order ids distinguish. */
  #buyEqually(feed: Feed): void {
    for (const nth of [1, 2, 3]) this.buy({ base: RESTING_SIZE }, { feed, tag: `equal ${nth}`, limit: feed.close.value * LOW });
  }

  /** Returns a share of what the strategy holds of the feed's coin, in the digits of an order. */
  #holdingText(feed: Feed, share = 1): string {
    return this.position(feed).qty.times(share).toFixed(feed.instrument.quantityDigits);
  }
  #canSell(feed: Feed): boolean {
    return Number(this.#holdingText(feed)) > 0;
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}
