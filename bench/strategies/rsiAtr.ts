// Buys while the RSI is low, with a stop three average true ranges below, and sells while the RSI is high.
import { atr, rsi, Strategy } from 'isobar';

export default class RsiAtr extends Strategy {
  relativeStrength = this.use(rsi(this.bars.close, 14));
  averageRange = this.use(atr(this.bars, 14));

  override onBar() {
    const strength = this.relativeStrength.value;
    if (strength < 30 && this.position().isFlat) {
      // The tick of the benchmark symbol is 0.01, so round the stop to it.
      const stopLoss = Math.round((this.bars.close.value - 3 * this.averageRange.value) * 100) / 100;
      this.buy({ base: '1' }, { stopLoss });
    } else if (strength > 70 && !this.position().isFlat) this.exit();
  }
}
