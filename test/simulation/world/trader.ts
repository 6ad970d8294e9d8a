// Trades at random in the simulated world, and records every fill that the bot reports to it.

import { Strategy, type Feed, type FillInfo, type OrderInfo } from '../../../src/index.ts';

/** Returns one fill as text, to compare the strategy's reports with the venue's trades. */
export const fillText = (side: string, qty: string, price: number, fee: string, feeAsset: string): string =>
  `${side} ${qty} at ${price} fee ${fee} ${feeAsset}`;

/** Multiplier and modulus of the Lehmer generator MINSTD, from which each trader draws. */
const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

/** Returns the state of the generator that follows `state`. */
export const nextRandomState = (state: number): number => (state * MULTIPLIER) % MODULUS;
/** Returns the number in (0, 1) of a state. */
export const randomFraction = (state: number): number => state / MODULUS;

/** Places market orders and limits, and cancels some of them. */
export class Trader extends Strategy {
  symbols = this.feeds('bars');
  /** Expected number of actions in a minute, over all symbols together. */
  actsPerMinute = 0.4;
  /** Texts of the reported fills, by order. */
  notified = new Map<number, string[]>();
  notifiedCount = 0;
  #randomState = 20_011;
  barCount = 0;
  #endedCount = 0;

  override onBar() {
    this.barCount++;
    for (const feed of this.symbols) if (this.#nextRandom() < this.actsPerMinute / this.symbols.length) this.#actOn(feed);
  }

  #actOn(feed: Feed): void {
    // Cancel about half of the open orders.
    for (const { id } of this.openOrders(feed)) if (this.#nextRandom() < 0.5) this.cancel(id);
    const price = feed.close.value;
    // Amounts depend on the reports: a fill that is reported twice, or never, changes the orders that follow.
    const quote = String(100 + ((this.notifiedCount * 7 + this.#endedCount * 3) % 50) + Math.floor(this.random() * 50));
    const choice = this.#nextRandom();
    const { qty, isFlat } = this.position(feed);
    const { quantityDigits } = feed.instrument;
    if (!isFlat && choice < 0.45) {
      const sellQty = qty.times(choice < 0.1 ? 1 : 0.4).toFixed(quantityDigits);
      if (Number(sellQty) === 0) return;
      if (choice < 0.3) this.sell({ base: sellQty }, { feed, tag: 'market', reduceOnly: true });
      else this.sell({ base: sellQty }, { feed, tag: 'high', limit: price * (1 + this.#nextRandom() * 0.002), reduceOnly: true });
    } else if (choice < 0.7) this.buy({ quote }, { feed, tag: 'market' });
    else if (choice < 0.85) this.buy({ quote }, { feed, tag: 'taking', limit: price * 1.002 });
    else this.buy({ quote }, { feed, tag: 'low', limit: price * (1 - this.#nextRandom() * 0.002) });
  }

  override onFill({ orderId, side, price, qty, fee, feeAsset }: FillInfo) {
    this.notifiedCount++;
    const text = fillText(side, qty.toString(), price, fee.toString(), feeAsset);
    const texts = this.notified.get(orderId);
    if (texts) texts.push(text);
    else this.notified.set(orderId, [text]);
  }
  override onOrder({ lifecycle }: OrderInfo) {
    if (lifecycle === 'done') this.#endedCount++;
  }

  /** Returns the next number in (0, 1) of a generator of its own (Lehmer), whose state is part of the strategy. */
  #nextRandom(): number {
    this.#randomState = nextRandomState(this.#randomState);
    return randomFraction(this.#randomState);
  }
}

/** Trades less often, for a bot whose account has another bot. */
export class RareTrader extends Trader {
  override actsPerMinute = 0.15;
}

/** Trades four times as often, for a busy day. */
export class BusyTrader extends Trader {
  override actsPerMinute = 1.6;
}
