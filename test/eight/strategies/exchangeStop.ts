// Trades breakouts of a contract in both directions. The stop waits at the exchange and trails the close by a multiple of the ATR.
import { atr, float, highest, int, lowest, Strategy } from 'isobar';

export default class ExchangeStop extends Strategy.with({ bars: int(24, { min: 2, max: 500 }), atrs: float(3, { min: 0.5, max: 20 }) }) {
  upper = this.use(highest(this.bars.high, this.params.bars));
  lower = this.use(lowest(this.bars.low, this.params.bars));
  range = this.use(atr(this.bars, 14));

  override onBar() {
    const close = this.bars.close.value;
    const { isFlat, isLong, qty } = this.position();
    if (isFlat) {
      if (this.openOrders().length > 0) return;
      if (close > this.upper.prev) this.buy({ equity: 0.5 }, { tag: 'entry' });
      else if (close < this.lower.prev) this.sell({ equity: 0.5 }, { tag: 'entry' });
      return;
    }
    const stopDistance = this.params.atrs * this.range.value;
    const stopPrice = isLong ? close - stopDistance : close + stopDistance;
    const [stop] = this.openOrders().filter(({ tag }) => tag === 'stop');
    if (stop !== undefined) {
      if (isLong ? stopPrice > stop.trigger : stopPrice < stop.trigger) stop.amend({ stop: stopPrice, size: qty.abs() });
    } else if (isLong) this.sell({ base: qty }, { trigger: stopPrice, tag: 'stop' });
    else this.buy({ base: qty.abs() }, { trigger: stopPrice, tag: 'stop' });
  }
}
