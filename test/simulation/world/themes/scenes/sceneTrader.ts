// A strategy for days with a scene: its orders have three forms, and it repeats an order that the exchange has refused.

import type { Feed, OrderInfo } from '../../../../../src/index.ts';
import { nextRandomState, randomFraction, Trader } from '../../trader.ts';

/** Sizes of orders, coins. */
const BUY_SIZE = '0.3';
const SALE_SIZE = '0.25';
/** From this holding on, coins, it may sell. */
const MIN_SALE_HOLDING = 0.8;
/** Prices divided by the last close: of taker buys, of taker sales, and of maker buys. */
const TAKER_BUY_FACTOR = 1.002;
const TAKER_SALE_FACTOR = 0.998;
const MAKER_BUY_FACTOR = 0.995;
/** Share of the bars with an order, of the orders that are sales where it may sell, and of the buys that are maker orders. */
const ACTING_SHARE = 0.4;
const SALE_SHARE = 0.6;
const MAKER_SHARE = 0.3;

/** Places taker buys and sales, and a few maker buys. */
export class SceneTrader extends Trader {
  #randomState = 50_021;
  /** Feeds by the tag of their orders. */
  #feedByTag = new Map<string, Feed>();

  override onBar() {
    this.barCount++;
    for (const feed of this.symbols) if (this.#nextRandom() < ACTING_SHARE) this.#actOn(feed);
  }

  #actOn(feed: Feed): void {
    for (const { id } of this.openOrders(feed)) this.cancel(id);
    const close = feed.close.value;
    const isSale = Number(this.position(feed).qty.toString()) >= MIN_SALE_HOLDING && this.#nextRandom() < SALE_SHARE;
    if (isSale) this.sell({ base: SALE_SIZE }, { feed, tag: this.#tagOf('out', feed), limit: close * TAKER_SALE_FACTOR, reduceOnly: true });
    else if (this.#nextRandom() < MAKER_SHARE)
      this.buy({ base: BUY_SIZE }, { feed, tag: this.#tagOf('low', feed), limit: close * MAKER_BUY_FACTOR });
    else this.buy({ base: BUY_SIZE }, { feed, tag: this.#tagOf('in', feed), limit: close * TAKER_BUY_FACTOR });
  }

  /** Repeats an order that the exchange has refused. Only codes of the exchange are numbers. */
  override onOrder(order: OrderInfo) {
    super.onOrder(order);
    const { lifecycle, code, side, qty, limit, tag } = order;
    const feed = this.#feedByTag.get(tag);
    if (lifecycle !== 'done' || code === null || Number.isNaN(Number(code)) || feed === undefined) return;
    const base = qty.toString();
    if (side === 'buy') this.buy({ base }, { feed, tag, limit });
    else this.sell({ base }, { feed, tag, limit, reduceOnly: true });
  }

  #tagOf(purpose: string, feed: Feed): string {
    const tag = `${purpose} ${feed.instrument.wireName}`;
    this.#feedByTag.set(tag, feed);
    return tag;
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}
