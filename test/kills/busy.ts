// A strategy that trades all the time by a seed, for bots that are killed: limits, market orders and cancels.
import { int, Strategy, type Feed } from 'isobar';

/** Multiplier and modulus of the MINSTD generator of random numbers. */
const MULTIPLIER = 48_271;
const MODULUS = 2_147_483_647;

/** Decides every `pace` seconds, and at each bar. */
export default class Busy extends Strategy.with({ seed: int(1, { min: 1 }), pace: int(5, { min: 1, unit: 's' }) }) {
  symbols = this.feeds('bars');
  #randomState = this.params.seed;

  override onStart() {
    this.every(`${this.params.pace}s`, () => this.onBar());
  }

  override onBar() {
    for (const feed of this.symbols) if (this.#isDrawn(0.5)) this.#placeOrders(feed);
  }

  /** Cancels some orders of a feed, and places others by chance. */
  #placeOrders(feed: Feed): void {
    for (const { id } of this.openOrders(feed)) if (this.#isDrawn(0.5)) this.cancel(id);
    const price = feed.close.value;
    const size = { quote: Math.round(this.#drawBetween(50, 150)) };
    for (const tag of ['low', 'lower'])
      if (this.#isDrawn(0.5)) this.buy(size, { feed, tag, limit: price * this.#drawBetween(0.998, 0.9999) });
    if (this.#isDrawn(0.4)) this.buy(size, { feed, tag: 'market' });
    else this.buy(size, { feed, tag: 'taking', limit: price * 1.002 });
    const { qty, isFlat } = this.position(feed);
    if (isFlat) return;
    const { quantityDigits } = feed.instrument;
    this.sell(
      { base: qty.times(0.3).toFixed(quantityDigits) },
      { feed, tag: 'high', limit: price * this.#drawBetween(1.0001, 1.002), reduceOnly: true },
    );
    if (this.#isDrawn(0.5)) this.sell({ base: qty.times(0.4).toFixed(quantityDigits) }, { feed, tag: 'reduce', reduceOnly: true });
  }

  /** Returns the next number in (0, 1) of a generator of its own, which a restart begins again. */
  #nextRandom(): number {
    this.#randomState = (this.#randomState * MULTIPLIER) % MODULUS;
    return this.#randomState / MODULUS;
  }
  #isDrawn(probability: number): boolean {
    return this.#nextRandom() < probability;
  }
  #drawBetween(low: number, high: number): number {
    return low + this.#nextRandom() * (high - low);
  }
}
