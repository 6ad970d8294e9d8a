// Breakouts of a contract, both ways; the stop waits at the exchange and is replaced as the average range takes it along.
import { atr, float, highest, int, lowest, Strategy } from 'isobar';

export default class ExchangeStop extends Strategy.with({ bars: int(24, { min: 2, max: 500 }), atrs: float(3, { min: 0.5, max: 20 }) }) {
  upper = this.use(highest(this.bars.high, this.params.bars));
  lower = this.use(lowest(this.bars.low, this.params.bars));
  range = this.use(atr(this.bars, 14));
  stop = NaN;

  override onBar() {
    const close = this.bars.close.value;
    const { isFlat, isLong, qty } = this.position();
    const [stop] = this.openOrders().filter(({ tag }) => tag === 'stop');
    if (isFlat) {
      this.stop = NaN;
      if (this.openOrders().length > 0) return;
      if (close > this.upper.prev) this.buy({ equity: 0.5 }, { tag: 'entry' });
      else if (close < this.lower.prev) this.sell({ equity: 0.5 }, { tag: 'entry' });
      return;
    }
    const away = this.params.atrs * this.range.value;
    const wanted = isLong ? close - away : close + away;
    if (stop !== undefined && (stop.lifecycle === 'draft' || (isLong ? wanted <= this.stop : wanted >= this.stop))) return;
    if (stop !== undefined) this.cancel(stop.id);
    this.stop = wanted;
    const guard = { trigger: wanted, tag: 'stop' };
    if (isLong) this.sell({ base: qty }, guard);
    else this.buy({ base: qty.abs() }, guard);
  }
}
