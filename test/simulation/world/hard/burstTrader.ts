// Trades like the trader of other days, and now and then sends several equal orders in one call.

import type { Feed } from '../../../../src/index.ts';
import { nextRandomState, randomFraction, Trader } from '../trader.ts';

/** Orders of a burst. */
const BURST_ORDERS = { min: 2, max: 5 };
/** Coins of each order of a burst. */
const ORDER_QTY = '0.4';

/** Expected number of bursts in a minute, over all symbols together. */
const BURSTS_PER_MINUTE = 0.2;

/** A trader that also sends bursts of equal orders. */
export class BurstTrader extends Trader {
  #randomState = 60_029;

  override onBar() {
    super.onBar();
    for (const feed of this.symbols) if (this.#nextRandom() < BURSTS_PER_MINUTE / this.symbols.length) this.#sendBurst(feed);
  }

  #sendBurst(feed: Feed): void {
    const count = BURST_ORDERS.min + Math.floor(this.#nextRandom() * (BURST_ORDERS.max - BURST_ORDERS.min + 1));
    const choice = this.#nextRandom();
    const isSale = this.#nextRandom() < 0.5;
    const price = feed.close.value;
    for (let nth = 1; nth <= count; nth++) {
      const common = { feed, tag: `burst ${nth}` };
      if (isSale && this.position(feed).qty.gte(Number(ORDER_QTY) * count))
        this.sell(
          { base: ORDER_QTY },
          choice < 0.5 ? { ...common, reduceOnly: true } : { ...common, limit: price * 1.001, reduceOnly: true },
        );
      else if (choice < 0.3) this.buy({ quote: '40' }, common);
      else this.buy({ base: ORDER_QTY }, { ...common, limit: price * (choice < 0.6 ? 1.002 : 0.999) });
    }
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}
