// Trades an SMA cross and reads its equity at every bar.
import { crossedDown, crossedUp, sma, Strategy } from 'isobar';

export default class EquityRead extends Strategy {
  fast = this.use(sma(this.bars.close, 10));
  slow = this.use(sma(this.bars.close, 30));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));
  maxEquity = 0;

  override onBar() {
    this.maxEquity = Math.max(this.maxEquity, this.equity);
    if (this.up.value && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
