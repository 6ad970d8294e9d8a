// Dips of 5 minutes while the hour is above its average: three orders of a third each, with targets at one, two and three times the risk.
import { above, and, atr, below, ema, float, int, rsi, Strategy, type FillInfo, type OrderId } from 'isobar';

export default class ThreeTargets extends Strategy.with({
  dip: float(35, { min: 5, max: 60 }),
  hours: int(24, { min: 2, max: 300 }),
  atrs: float(2),
}) {
  hour = this.feed('hour');
  isUp = above(this.hour.close, ema(this.hour.close, this.params.hours));
  range = this.use(atr(this.bars, 14));
  entries: OrderId[] = [];
  entryPrice = NaN;

  dips = this.when(and(below(rsi(this.bars.close, 14), this.params.dip), this.isUp), () => {
    if (!this.position().isFlat || this.openOrders().length > 0) return;
    const close = this.bars.close.value;
    const risk = this.params.atrs * this.range.value;
    this.entries = [1, 2, 3].map((times) =>
      this.buy({ equity: 0.3 }, { takeProfit: close + times * risk, stopLoss: close - risk, tag: `third ${times}` }),
    );
    this.closeAt(this.nowMs + 24 * 3_600_000);
  });

  /** The first target that fills takes the stops of the other thirds to the entry. */
  override onFill({ side, price }: FillInfo) {
    if (side === 'buy') this.entryPrice = price;
    else if (price > this.entryPrice) for (const id of this.entries) this.amend(id, { stop: this.entryPrice });
  }
}
