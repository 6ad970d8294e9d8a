// Buys dips of 5-minute bars while the hourly close is above its average. Targets are at one, two and three times the risk.
import { above, and, atr, below, ema, float, int, rsi, Strategy, type FillInfo, type OrderId } from 'isobar';

export default class ThreeTargets extends Strategy.with({
  dip: float(35, { min: 5, max: 60 }),
  hours: int(24, { min: 2, max: 300 }),
  atrs: float(2),
}) {
  hour = this.feed('hour');
  isUp = above(this.hour.close, ema(this.hour.close, this.params.hours));
  range = this.use(atr(this.bars, 14));
  entry: OrderId | null = null;
  entryPrice = NaN;

  dips = this.when(and(below(rsi(this.bars.close, 14), this.params.dip), this.isUp), () => {
    if (!this.position().isFlat || this.openOrders().length > 0) return;
    const close = this.bars.close.value;
    const risk = this.params.atrs * this.range.value;
    const targets = [{ at: close + risk, share: 1 / 3 }, { at: close + 2 * risk, share: 1 / 3 }, { at: close + 3 * risk }];
    this.entry = this.buy({ equity: 0.9 }, { targets, stopLoss: close - risk });
    this.closeAt(this.nowMs + 24 * 3_600_000);
  });

  /** Moves the stop to the entry price once a target has filled. */
  override onFill({ side, price }: FillInfo) {
    if (side === 'buy') this.entryPrice = price;
    else if (this.entry !== null && price > this.entryPrice) this.amend(this.entry, { stop: this.entryPrice });
  }
}
