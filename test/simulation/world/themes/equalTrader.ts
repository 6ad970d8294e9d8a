// Repeats resting buys with the same price and size, so that an order that comes late looks like a later one.

import type { Feed } from '../../../../src/index.ts';
import { nextRandomState, randomFraction, Trader } from '../trader.ts';

/** Expected number of equal buys in a minute, over all symbols together. */
const EQUAL_PER_MINUTE = 1;
const ORDER_QTY = '0.4';
/** Buys rest this far below the last close, at a whole price, so that their price stays the same for minutes. */
const LOW = 0.995;

/** A trader that also repeats equal buys. */
export class EqualTrader extends Trader {
  override actsPerMinute = 0.3;
  #randomState = 90_001;
  #count = 0;

  override onBar() {
    super.onBar();
    for (const feed of this.symbols) if (this.#nextRandom() < EQUAL_PER_MINUTE / this.symbols.length) this.#buyAgain(feed);
  }

  /** Cancels the open buys and places an equal one. */
  #buyAgain(feed: Feed): void {
    for (const { id } of this.openOrders(feed)) this.cancel(id);
    const tag = `equal ${++this.#count % 3}`;
    this.buy({ base: ORDER_QTY }, { feed, tag, limit: Math.floor(feed.close.value * LOW) });
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}
