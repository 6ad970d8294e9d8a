// Trades an SMA cross on one-minute bars and buys only while an hourly average rises.
import { crossedDown, crossedUp, ema, int, sma, Strategy } from 'isobar';

export default class TwoIntervals extends Strategy.with({ fast: int(10), slow: int(30) }) {
  hourlyBars = this.feed('hours', { interval: '1h' });
  hourlyTrend = this.use(ema(this.hourlyBars.close, 20));
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));

  override onBar() {
    if (this.up.value && this.hourlyTrend.value > this.hourlyTrend.prev && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
