// Amends the stop of its entry, before and after the entry has filled, and closes the position by `closeAt`.
import { atr, sma, Strategy, type OrderId } from 'isobar';

const HOUR_MS = 3_600_000;

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
      this.closeAt(this.nowMs + 5 * HOUR_MS);
    }
    if (isFlat || this.entry === null) return;
    const isProfitable = ageMs > HOUR_MS && unrealisedProfit.gt(0);
    const newStop = close - this.range.value * (isProfitable ? 1 : 2);
    if (newStop > this.stop && this.amend(this.entry, { stop: newStop }) !== null) this.stop = newStop;
  }
}
