// Stops that trail in percent from a profit on, and by an ATR.
import { atr, sma, Strategy } from 'isobar';

export default class TrailedShare extends Strategy.with({}) {
  range = this.use(atr(this.bars, 14));
  mean = this.use(sma(this.bars.close, 20));

  override onBar() {
    const close = this.bars.close.value;
    const working = this.openOrders().filter(({ entry }) => entry === null);
    if (working.length > 0 || !this.position().isFlat) return;
    const isAbove = close > this.mean.value;
    const trailing = isAbove ? { percent: '0.35', from: close * 1.002 } : { atr: this.range, times: 1.5 };
    // Small enough for the cap on volume: what a stop leaves is another matter.
    this.buy({ quote: '150' }, { stopLoss: close * 0.98, trailing, tag: isAbove ? 'share' : 'range' });
  }
}
