// Amends the stop of its entry, before and after the entry has filled, and closes the position by `closeAt`.
import { atr, sma, Strategy, type OrderId } from 'isobar';

export default class MovedStop extends Strategy.with({}) {
  range = this.use(atr(this.bars, 14));
  mean = this.use(sma(this.bars.close, 20));
  entry: OrderId | null = null;
  stop = 0;

  override onBar() {
    const close = this.bars.close.value;
    const { isFlat, ageMs, unrealisedProfit } = this.position();
    const [working] = this.openOrders().filter(({ tag }) => tag === 'dip');
    if (working !== undefined) {
      const isAmended = working.amend({ stop: close * 0.97 }) !== null;
      if (isAmended) this.stop = close * 0.97;
    } else if (isFlat && close > this.mean.value) {
      this.stop = close * 0.97;
      this.entry = this.buy({ quote: '2000' }, { limit: close * 0.998, stopLoss: this.stop, tag: 'dip' });
      this.closeAt(this.nowMs + 5 * 3_600_000);
    }
    if (isFlat || this.entry === null) return;
    const newStop = close - this.range.value * (ageMs > 3_600_000 && unrealisedProfit.gt(0) ? 1 : 2);
    if (newStop > this.stop && this.amend(this.entry, { stop: newStop }) !== null) this.stop = newStop;
  }
}
