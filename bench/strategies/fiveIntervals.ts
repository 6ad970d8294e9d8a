// Trades an SMA cross on one-minute bars and buys only while at least two of four averages of coarser bars rise.
import { crossedDown, crossedUp, sma, Strategy } from 'isobar';

const TREND_BARS = 20;

export default class FiveIntervals extends Strategy {
  trends = (['5m', '15m', '1h', '4h'] as const).map((interval) => this.use(sma(this.feed(interval, { interval }).close, TREND_BARS)));
  fastAverage = this.use(sma(this.bars.close, 10));
  slowAverage = this.use(sma(this.bars.close, 30));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));

  override onBar() {
    if (this.crossUp.value && this.position().isFlat) {
      let risingTrends = 0;
      for (const { value, prev } of this.trends) if (value > prev) risingTrends++;
      if (risingTrends >= 2) this.buy();
    }
    if (this.crossDown.value) this.exit();
  }
}
