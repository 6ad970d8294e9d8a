// An SMA cross on one-minute bars that buys only while an hourly average rises: two intervals of one symbol.
import { crossedDown, crossedUp, ema, int, sma, Strategy } from 'isobar';

export default class TwoIntervals extends Strategy.with({ fast: int(10), slow: int(30) }) {
  hours = this.feed('hours', { interval: '1h' });
  trend = this.use(ema(this.hours.close, 20));
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));

  override onBar() {
    if (this.up.value && this.trend.value > this.trend.prev && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
