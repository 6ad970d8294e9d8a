// Two timeframes: buys dips of the default feed while an average of a slower feed rises. It sells at a target, a stop, or a falling trend.
import { atr, bollinger, crossedDown, ema, float, int, Strategy } from 'isobar';

export default class TrendFilter extends Strategy.with({
  trendBars: int(50, { min: 2, max: 1000, unit: 'bars of the trend feed' }),
  bandBars: int(20, { min: 2, max: 1000, unit: 'bars' }),
  bandWidths: float(2, { min: 0.1, max: 10, unit: 'standard deviations' }),
  stopAtrs: float(2, { min: 0.1, max: 50, unit: 'ATR', help: 'distance of the stop from the close that enters' }),
}) {
  trend = this.feed('trend', { interval: '4h' });
  average = this.use(ema(this.trend.close, this.params.trendBars));
  band = this.use(bollinger(this.bars.close, this.params.bandBars, this.params.bandWidths), { pane: 'price' });
  range = this.use(atr(this.bars, 14));

  dip = this.when(crossedDown(this.bars.close, this.band.lower), () => {
    if (!this.isRising() || !this.position().isFlat) return;
    const stopLoss = this.bars.close.value - this.params.stopAtrs * this.range.value;
    this.buy(undefined, { takeProfit: this.band.middle.value, stopLoss });
  });

  override onBar() {
    if (this.trend.fresh && !this.isRising() && this.position().isLong) this.exit();
  }

  private isRising() {
    return this.average.value > this.average.prev;
  }
}
