// A strategy for days that end with a staged kill: its orders have few forms, and it asks again for an order that the exchange has refused.

import type { Feed, OrderInfo } from '../../../../../src/index.ts';
import { nextRandomState, randomFraction, Trader } from '../../trader.ts';

/** Sizes of orders, in coins, and the holding from which on it sells. */
const BUY_SIZE = '0.3';
const SALE_SIZE = '0.25';
const SELLS_FROM = 0.8;
/** Prices relative to the last close: of buys and sales that take from the book, and of buys that rest. */
const TAKING_BUY = 1.002;
const TAKING_SALE = 0.998;
const RESTING_BUY = 0.995;
/** Share of the bars with an order, and share of the buys that rest. */
const ACTING_SHARE = 0.4;
const RESTING_SHARE = 0.3;

/** Buys and sells coins at prices that take, and places a few buys that rest. */
export class StageTrader extends Trader {
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
    const isSale = Number(this.position(feed).qty.toString()) >= SELLS_FROM && this.#nextRandom() < 0.6;
    if (isSale) this.sell({ base: SALE_SIZE }, { feed, tag: this.#tagOf('out', feed), limit: close * TAKING_SALE, reduceOnly: true });
    else if (this.#nextRandom() < RESTING_SHARE)
      this.buy({ base: BUY_SIZE }, { feed, tag: this.#tagOf('low', feed), limit: close * RESTING_BUY });
    else this.buy({ base: BUY_SIZE }, { feed, tag: this.#tagOf('in', feed), limit: close * TAKING_BUY });
  }

  /** Asks again for an order that the exchange has refused. Codes of the exchange are numbers. */
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
