// Trades an SMA cross on one-minute bars and buys only while an hourly average rises.
import { crossedDown, crossedUp, ema, int, sma, Strategy } from 'isobar';

const TREND_BARS = 20;

export default class TwoIntervals extends Strategy.with({ fast: int(10), slow: int(30) }) {
  hourlyBars = this.feed('hours', { interval: '1h' });
  hourlyTrend = this.use(ema(this.hourlyBars.close, TREND_BARS));
  fastAverage = this.use(sma(this.bars.close, this.params.fast));
  slowAverage = this.use(sma(this.bars.close, this.params.slow));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));

  override onBar() {
    if (this.crossUp.value && this.hourlyTrend.value > this.hourlyTrend.prev && this.position().isFlat) this.buy();
    if (this.crossDown.value) this.exit();
  }
}
