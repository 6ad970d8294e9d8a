// Amends a limit with a trailing stop at every bar, so that an order whose request was lost is replaced while its outcome is unknown.
import { atr, sma, Strategy } from 'isobar';

export default class RepricedTrail extends Strategy.with({}) {
  range = this.use(atr(this.bars, 14));
  mean = this.use(sma(this.bars.close, 20));

  override onBar() {
    const close = this.bars.close.value;
    const working = this.openOrders().filter(({ entry }) => entry === null);
    for (const order of working) order.amend({ limit: close * 0.9995 });
    if (working.length > 0 || !this.position().isFlat) return;
    const isAbove = close > this.mean.value;
    const trailing = isAbove ? { percent: '0.35', from: close * 1.002 } : { atr: this.range, times: 1.5 };
    this.buy(
      { quote: '2000' },
      { limit: close * (isAbove ? 1.001 : 0.9995), stopLoss: close * 0.98, trailing, tag: isAbove ? 'share' : 'range' },
    );
  }
}
