// Trades an SMA cross and has a custom indicator that is not declared pure, so that the run uses blocks of one row.
import { crossedDown, crossedUp, custom, int, sma, Strategy } from 'isobar';

export default class ImpureIndicator extends Strategy.with({ fast: int(10), slow: int(30) }) {
  copiedClose = this.use(custom(this.bars.close, () => (close) => close));
  fastAverage = this.use(sma(this.bars.close, this.params.fast));
  slowAverage = this.use(sma(this.bars.close, this.params.slow));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));

  override onBar() {
    if (this.crossUp.value && this.position().isFlat) this.buy();
    if (this.crossDown.value) this.exit();
  }
}
