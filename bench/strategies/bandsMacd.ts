// Buys below the lower Bollinger band and sells above the middle band while the MACD is above its signal line.
import { bollinger, macd, Strategy } from 'isobar';

export default class BandsMacd extends Strategy {
  bands = this.use(bollinger(this.bars.close, 20, 2));
  trend = this.use(macd(this.bars.close));

  override onBar() {
    const price = this.bars.close.value;
    if (price < this.bands.lower.value && this.position().isFlat) this.buy();
    else if (price > this.bands.middle.value && this.trend.histogram.value > 0 && !this.position().isFlat) this.exit();
  }
}
