// Trades more than it may: uses each decision for both sides, sells what it already sells, and meets its own orders.

import type { Feed } from '../../../../src/index.ts';
import { Trader } from '../trader.ts';

const SIZE = '0.4';

export class CrowdTrader extends Trader {
  override actsPerMinute = 0.8;
  #randomState = 70_001;

  override onBar() {
    super.onBar();
    for (const feed of this.symbols) if (this.#nextRandom() < 0.8 / this.symbols.length) this.#crowd(feed);
  }

  #crowd(feed: Feed): void {
    const [choice, price] = [this.#nextRandom(), feed.close.value];
    const { qty } = this.position(feed);
    const { quantityDigits } = feed.instrument;
    const all = qty.toFixed(quantityDigits);
    const canSell = Number(all) > 0;
    if (choice < 0.25) {
      // The same decision, on the other side if it can sell.
      const sells = canSell && this.#nextRandom() < 0.6;
      if (sells) this.sell({ base: qty.times(0.3).toFixed(quantityDigits) }, { feed, tag: 'either', reduceOnly: true });
      else this.buy({ quote: '40' }, { feed, tag: 'either' });
    } else if (choice < 0.5) {
      // All that it holds, twice.
      if (!canSell) return;
      this.sell({ base: all }, { feed, tag: 'all, high', limit: price * 1.002, reduceOnly: true });
      this.sell({ base: all }, { feed, tag: 'all, market', reduceOnly: true });
    } else if (choice < 0.75) {
      // It meets its own order, which is in front of the others.
      for (const nth of [1, 2, 3]) this.buy({ base: SIZE }, { feed, tag: `front ${nth}`, limit: price * (1 + (nth - 2) * 0.0003) });
      if (canSell) this.sell({ base: qty.times(0.9).toFixed(quantityDigits) }, { feed, tag: 'meets', reduceOnly: true });
    } else for (const nth of [1, 2, 3]) this.buy({ base: SIZE }, { feed, tag: `equal ${nth}`, limit: price * 0.999 });
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = (this.#randomState * 48_271) % 2_147_483_647;
    return this.#randomState / 2_147_483_647;
  }
}
