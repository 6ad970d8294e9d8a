// Decides an SMA cross as another backtester (bench/peers, grademark) does: by which average is above, with a pause at the bar of each fill.
import { int, sma, Strategy } from 'isobar';

export default class SmaPause extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fastAverage = this.use(sma(this.bars.close, this.params.fast));
  slowAverage = this.use(sma(this.bars.close, this.params.slow));
  /** True at the bar in which an order of the strategy fills. It decides nothing at that bar. */
  isFillBar = false;

  override onBar() {
    if (this.isFillBar) {
      this.isFillBar = false;
      return;
    }
    const { isFlat } = this.position();
    const shouldBuy = isFlat && this.fastAverage.value > this.slowAverage.value;
    const shouldExit = !isFlat && this.fastAverage.value < this.slowAverage.value;
    if (shouldBuy) this.buy();
    if (shouldExit) this.exit();
    this.isFillBar = shouldBuy || shouldExit;
  }
}
