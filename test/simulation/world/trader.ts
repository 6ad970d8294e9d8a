// The strategy of the world: it decides by what it remembers, by chance and by what is reported to it, and keeps all reports.

import { Strategy, type Feed, type FillInfo, type OrderInfo } from '../../../src/index.ts';

/** A fill in the words of the strategy. */
export const fillText = (side: string, qty: string, price: number, fee: string, feeAsset: string): string =>
  `${side} ${qty} at ${price} fee ${fee} ${feeAsset}`;

export class Trader extends Strategy {
  symbols = this.feeds('bars');
  /** Acts in a minute, of all symbols together. */
  acts = 0.4;
  /** What was reported of each order as filled. */
  notified = new Map<number, string[]>();
  notifiedCount = 0;
  #state = 20_011;
  barCount = 0;
  #ended = 0;

  override onBar() {
    this.barCount++;
    for (const feed of this.symbols) if (this.#next() < this.acts / this.symbols.length) this.#act(feed);
  }

  #act(feed: Feed): void {
    const open = this.openOrders(feed);
    for (const { id } of open) if (this.#next() < 0.5) this.cancel(id);
    const price = feed.close.value;
    // Reports steer what is done next: a fill that is reported twice, or never, shows in the orders.
    const quote = String(100 + ((this.notifiedCount * 7 + this.#ended * 3) % 50) + Math.floor(this.random() * 50));
    const kind = this.#next();
    const { qty, isFlat } = this.position(feed);
    const { quantityDigits } = feed.instrument;
    if (!isFlat && kind < 0.45) {
      const part = qty.times(kind < 0.1 ? 1 : 0.4).toFixed(quantityDigits);
      if (Number(part) === 0) return;
      if (kind < 0.3) this.sell({ base: part }, { feed, tag: 'market', reduceOnly: true });
      else this.sell({ base: part }, { feed, tag: 'high', limit: price * (1 + this.#next() * 0.002), reduceOnly: true });
    } else if (kind < 0.7) this.buy({ quote }, { feed, tag: 'market' });
    else if (kind < 0.85) this.buy({ quote }, { feed, tag: 'taking', limit: price * 1.002 });
    else this.buy({ quote }, { feed, tag: 'low', limit: price * (1 - this.#next() * 0.002) });
  }

  override onFill({ orderId, side, price, qty, fee, feeAsset }: FillInfo) {
    this.notifiedCount++;
    const text = fillText(side, qty.toString(), price, fee.toString(), feeAsset);
    const of = this.notified.get(orderId);
    if (of) of.push(text);
    else this.notified.set(orderId, [text]);
  }
  override onOrder({ lifecycle }: OrderInfo) {
    if (lifecycle === 'done') this.#ended++;
  }

  #next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }
}

/** The strategy of a busy day. */
export class BusyTrader extends Trader {
  override acts = 1.6;
}
