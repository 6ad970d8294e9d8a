// Trades on each of its first bars and then like an SMA cross: what bars cost after many orders have finished.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

declare const isobarBench: { bar(count: number): void } | undefined;

export default class Burst extends Strategy.with({ orders: int(0, { min: 0 }) }) {
  fast = this.use(sma(this.bars.close, 100));
  slow = this.use(sma(this.bars.close, 300));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));
  count = 0;

  override onBar() {
    isobarBench?.bar(this.count++);
    if (this.count <= this.params.orders) {
      if (this.position().isFlat) this.buy();
      else this.exit();
      return;
    }
    if (this.up.value && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
