// Trades an SMA cross and reads its equity at every bar.
import { crossedDown, crossedUp, sma, Strategy } from 'isobar';

export default class EquityReader extends Strategy {
  fastAverage = this.use(sma(this.bars.close, 10));
  slowAverage = this.use(sma(this.bars.close, 30));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));
  maxEquity = 0;

  override onBar() {
    this.maxEquity = Math.max(this.maxEquity, this.equity);
    if (this.crossUp.value && this.position().isFlat) this.buy();
    if (this.crossDown.value) this.exit();
  }
}
