// Trades on each of the first `orders` bars, then like an SMA cross. The bench measures what bars cost after many finished orders.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

/** The bench sets this hook to start its clock at one bar. Other runs do not have it. */
declare const isobarBench: { onBar(barIndex: number): void } | undefined;

export default class Burst extends Strategy.with({ orders: int(0, { min: 0 }) }) {
  fast = this.use(sma(this.bars.close, 100));
  slow = this.use(sma(this.bars.close, 300));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));
  barCount = 0;

  override onBar() {
    isobarBench?.onBar(this.barCount++);
    if (this.barCount <= this.params.orders) {
      if (this.position().isFlat) this.buy();
      else this.exit();
      return;
    }
    if (this.up.value && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
