// Buys where the RSI is low, with a stop three average true ranges below; sells where the RSI is high.
import { atr, rsi, Strategy } from 'isobar';

export default class RsiAtr extends Strategy {
  strength = this.use(rsi(this.bars.close, 14));
  range = this.use(atr(this.bars, 14));

  override onBar() {
    const strength = this.strength.value;
    if (strength < 30 && this.position().isFlat) {
      // To a whole cent.
      const stopLoss = Math.round((this.bars.close.value - 3 * this.range.value) * 100) / 100;
      this.buy({ base: '1' }, { stopLoss });
    } else if (strength > 70 && !this.position().isFlat) this.exit();
  }
}
