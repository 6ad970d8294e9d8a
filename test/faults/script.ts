// The script of a fault run: at each bar some orders of each symbol, by a seed: limits that rest, limits that take, markets, cancels.

import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type Feed, type StrategyClass } from '../../src/index.ts';

export interface Script {
  isOn: boolean;
}

export interface ScriptOptions {
  readonly seed: number;
  /** Limits far from the market and cancels alone: nothing fills. */
  readonly isCalm: boolean;
}

/** A strategy that does what the script says for as long as `script.isOn`. */
export function scripted(script: Script, { seed, isCalm }: ScriptOptions): StrategyClass {
  const rng = seededRng(seed);
  const random = (p: number): boolean => rng.next() < p;
  const between = (low: number, high: number): number => low + rng.next() * (high - low);

  return class Scripted extends Strategy {
    symbols = this.feeds('bars');

    override onBar() {
      if (script.isOn) for (const feed of this.symbols) if (feed.fresh) this.#act(feed);
    }

    #act(feed: Feed): void {
      for (const { id } of this.openOrders(feed)) if (random(0.5)) this.cancel(id);
      const price = feed.close.value;
      const size = { quote: Math.round(between(50, 150)) };
      if (isCalm) {
        for (const tag of ['a', 'b', 'c', 'd']) this.buy(size, { feed, tag, limit: price * between(0.9, 0.95) });
        return;
      }
      for (const tag of ['low', 'lower']) this.buy(size, { feed, tag, limit: price * between(0.998, 0.9999) });
      if (random(0.5)) this.buy(size, { feed, tag: 'market' });
      else this.buy(size, { feed, tag: 'taking', limit: price * 1.002 });
      const { qty, isFlat } = this.position(feed);
      if (isFlat) return;
      this.sell(
        { base: qty.times(0.3).toFixed(feed.instrument.quantityDigits) },
        { feed, tag: 'high', limit: price * between(1.0001, 1.002), reduceOnly: true },
      );
      if (random(0.5))
        this.sell({ base: qty.times(0.4).toFixed(feed.instrument.quantityDigits) }, { feed, tag: 'reduce', reduceOnly: true });
    }
  };
}
