// Breakouts of a contract, both ways; the stop waits at the exchange and is moved as the average range takes it along.
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
    const away = this.params.atrs * this.range.value;
    const wanted = isLong ? close - away : close + away;
    const [stop] = this.openOrders().filter(({ tag }) => tag === 'stop');
    if (stop !== undefined) {
      if (isLong ? wanted > stop.trigger : wanted < stop.trigger) stop.amend({ stop: wanted, size: qty.abs() });
    } else if (isLong) this.sell({ base: qty }, { trigger: wanted, tag: 'stop' });
    else this.buy({ base: qty.abs() }, { trigger: wanted, tag: 'stop' });
  }
}
