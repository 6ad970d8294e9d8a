// Trades an SMA cross by the rules of the npm library grademark, with which bench/peers.ts compares isobar. It is long while the fast average is
// above the slow one. It makes no decision at a bar at which an order fills.
import { int, sma, Strategy } from 'isobar';

export default class SmaPausing extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fastAverage = this.use(sma(this.bars.close, this.params.fast));
  slowAverage = this.use(sma(this.bars.close, this.params.slow));
  /** True after a bar at which the strategy placed an order. The order fills in the next bar. */
  hasOrderedAtLastBar = false;

  override onBar() {
    if (this.hasOrderedAtLastBar) {
      this.hasOrderedAtLastBar = false;
      return;
    }
    const { isFlat } = this.position();
    const shouldBuy = isFlat && this.fastAverage.value > this.slowAverage.value;
    const shouldExit = !isFlat && this.fastAverage.value < this.slowAverage.value;
    if (shouldBuy) this.buy();
    if (shouldExit) this.exit();
    this.hasOrderedAtLastBar = shouldBuy || shouldExit;
  }
}
