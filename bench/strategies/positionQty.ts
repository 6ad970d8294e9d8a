// Trades an SMA cross and reads the quantity of its position at every bar.
import { crossedDown, crossedUp, sma, Strategy } from 'isobar';

export default class PositionQty extends Strategy {
  fastAverage = this.use(sma(this.bars.close, 10));
  slowAverage = this.use(sma(this.bars.close, 30));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));

  override onBar() {
    const { qty } = this.position();
    if (this.crossUp.value && qty.isZero()) this.buy();
    if (this.crossDown.value && !qty.isZero()) this.exit();
  }
}
