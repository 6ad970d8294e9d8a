// Sizes its buys by its own history, which it keeps in private fields: losing trades, the highest equity, and the last entry price.
import { Strategy, type FillInfo } from 'isobar';

export default class StreakCounter extends Strategy.with({}) {
  #losses = 0;
  #highest = 0;
  #entry = NaN;
  #bars = 0;

  override onBar() {
    this.#bars++;
    this.#highest = Math.max(this.#highest, this.equity);
    const close = this.bars.close.value;
    if (this.position().isFlat) {
      if (this.#bars % (3 + this.#losses) === 0) this.buy({ base: (0.01 * (1 + Math.min(this.#losses, 4))).toFixed(2) });
    } else if (close > this.#entry * 1.004 || close < this.#entry * 0.996 || this.equity < this.#highest * 0.99) this.exit();
  }

  override onFill({ side, price }: FillInfo) {
    if (side === 'buy') this.#entry = price;
    else this.#losses = price < this.#entry ? this.#losses + 1 : 0;
  }
}
