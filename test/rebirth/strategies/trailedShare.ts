// Buys with a trailing stop: a percentage that starts at a profit, or a multiple of the ATR.
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
    // The size is small enough for the cap on volume, so that the stop sells it all.
    this.buy({ quote: '150' }, { stopLoss: close * 0.98, trailing, tag: isAbove ? 'share' : 'range' });
  }
}
