// Provides the seeded strategy of fault runs: at each bar it places limits and market orders of each symbol, and cancels some.

import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type Feed, type StrategyClass } from '../../src/index.ts';

/** Switches the orders of the strategy on and off. */
export interface OrderSwitch {
  isOn: boolean;
}

/** The options of the strategy. */
export interface ScriptOptions {
  readonly seed: number;
  /** True for limits far from the market and cancels only, so that no order fills. */
  readonly isCalm: boolean;
}

/** Returns the strategy class. It places orders while `script.isOn`. */
export function scriptStrategy(script: OrderSwitch, { seed, isCalm }: ScriptOptions): StrategyClass {
  const rng = seededRng(seed);
  const isDrawn = (probability: number): boolean => rng.next() < probability;
  const drawBetween = (low: number, high: number): number => low + rng.next() * (high - low);

  return class Scripted extends Strategy {
    symbols = this.feeds('bars');

    override onBar() {
      if (script.isOn) for (const feed of this.symbols) if (feed.fresh) this.#placeOrders(feed);
    }

    #placeOrders(feed: Feed): void {
      for (const { id } of this.openOrders(feed)) if (isDrawn(0.5)) this.cancel(id);
      const price = feed.close.value;
      const size = { quote: Math.round(drawBetween(50, 150)) };
      if (isCalm) {
        for (const tag of ['a', 'b', 'c', 'd']) this.buy(size, { feed, tag, limit: price * drawBetween(0.9, 0.95) });
        return;
      }
      for (const tag of ['low', 'lower']) this.buy(size, { feed, tag, limit: price * drawBetween(0.998, 0.9999) });
      if (isDrawn(0.5)) this.buy(size, { feed, tag: 'market' });
      else this.buy(size, { feed, tag: 'taking', limit: price * 1.002 });
      const { qty, isFlat } = this.position(feed);
      if (isFlat) return;
      this.sell(
        { base: qty.times(0.3).toFixed(feed.instrument.quantityDigits) },
        { feed, tag: 'high', limit: price * drawBetween(1.0001, 1.002), reduceOnly: true },
      );
      if (isDrawn(0.5))
        this.sell({ base: qty.times(0.4).toFixed(feed.instrument.quantityDigits) }, { feed, tag: 'reduce', reduceOnly: true });
    }
  };
}
