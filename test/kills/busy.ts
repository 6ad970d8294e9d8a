// The strategy of a bot that is killed: orders all the time, by a seed: limits that rest, limits that take, markets, cancels.
import { int, Strategy, type Feed } from 'isobar';

export default class Busy extends Strategy.with({ seed: int(1, { min: 1 }), pace: int(5, { min: 1, unit: 's' }) }) {
  symbols = this.feeds('bars');
  #state = this.params.seed;

  override onStart() {
    this.every(`${this.params.pace}s`, () => this.onBar());
  }

  override onBar() {
    for (const feed of this.symbols) if (this.#random(0.5)) this.#act(feed);
  }

  #act(feed: Feed): void {
    for (const { id } of this.openOrders(feed)) if (this.#random(0.5)) this.cancel(id);
    const price = feed.close.value;
    const size = { quote: Math.round(this.#between(50, 150)) };
    for (const tag of ['low', 'lower']) if (this.#random(0.5)) this.buy(size, { feed, tag, limit: price * this.#between(0.998, 0.9999) });
    if (this.#random(0.4)) this.buy(size, { feed, tag: 'market' });
    else this.buy(size, { feed, tag: 'taking', limit: price * 1.002 });
    const { qty, isFlat } = this.position(feed);
    if (isFlat) return;
    const { quantityDigits } = feed.instrument;
    this.sell(
      { base: qty.times(0.3).toFixed(quantityDigits) },
      { feed, tag: 'high', limit: price * this.#between(1.0001, 1.002), reduceOnly: true },
    );
    if (this.#random(0.5)) this.sell({ base: qty.times(0.4).toFixed(quantityDigits) }, { feed, tag: 'reduce', reduceOnly: true });
  }

  /** From 0 to 1: a generator of its own, which a restart begins again. */
  #next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }
  #random(p: number): boolean {
    return this.#next() < p;
  }
  #between(low: number, high: number): number {
    return low + this.#next() * (high - low);
  }
}
