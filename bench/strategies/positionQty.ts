// Trades an SMA cross and reads the quantity of its position at every bar.
import { crossedDown, crossedUp, sma, Strategy } from 'isobar';

export default class PositionQty extends Strategy {
  fast = this.use(sma(this.bars.close, 10));
  slow = this.use(sma(this.bars.close, 30));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));

  override onBar() {
    const { qty } = this.position();
    if (this.up.value && qty.isZero()) this.buy();
    if (this.down.value && !qty.isZero()) this.exit();
  }
}
