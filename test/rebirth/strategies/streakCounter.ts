// Sizes its buys by its own history, which it keeps in private fields: losing trades, the highest equity, and the last entry price.
import { Strategy, type FillInfo } from 'isobar';

export default class StreakCounter extends Strategy.with({}) {
  #lossesInARow = 0;
  #highestEquity = 0;
  #entryPrice = NaN;
  #barCount = 0;

  override onBar() {
    this.#barCount++;
    this.#highestEquity = Math.max(this.#highestEquity, this.equity);
    const close = this.bars.close.value;
    if (this.position().isFlat) {
      // More losing trades in a row mean fewer and larger buys.
      if (this.#barCount % (3 + this.#lossesInARow) === 0) this.buy({ base: (0.01 * (1 + Math.min(this.#lossesInARow, 4))).toFixed(2) });
      return;
    }
    const isFarFromEntry = close > this.#entryPrice * 1.004 || close < this.#entryPrice * 0.996;
    if (isFarFromEntry || this.equity < this.#highestEquity * 0.99) this.exit();
  }

  override onFill({ side, price }: FillInfo) {
    if (side === 'buy') this.#entryPrice = price;
    else this.#lossesInARow = price < this.#entryPrice ? this.#lossesInARow + 1 : 0;
  }
}
