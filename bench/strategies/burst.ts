// Trades on each of the first `orderCount` bars, then like an SMA cross. The bench measures what bars cost after many finished orders.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

/** The bench sets `isobarBench` to start its clock at one bar. In other runs the property is absent or undefined. */
const globals = globalThis as { readonly isobarBench?: { onBar(barIndex: number): void } };

export default class Burst extends Strategy.with({ orderCount: int(0, { min: 0 }) }) {
  fastAverage = this.use(sma(this.bars.close, 100));
  slowAverage = this.use(sma(this.bars.close, 300));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));
  barCount = 0;

  override onBar() {
    globals.isobarBench?.onBar(this.barCount);
    this.barCount++;
    if (this.barCount <= this.params.orderCount) {
      if (this.position().isFlat) this.buy();
      else this.exit();
      return;
    }
    if (this.crossUp.value && this.position().isFlat) this.buy();
    if (this.crossDown.value) this.exit();
  }
}
