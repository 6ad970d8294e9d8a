// Breakouts: buys a close above the highest high of a number of bars, and follows with a stop at a multiple of the range.
import { atr, float, highest, int, sizeByRisk, Strategy, type OrderId } from 'isobar';

export default class Breakout extends Strategy.with({
  bars: int(48, { min: 2, max: 1000, unit: 'bars', help: 'a close above their highest high buys' }),
  ranges: float(3, { min: 0.5, max: 20, unit: 'ATR', help: 'distance of the stop' }),
  risk: float(0.01, { min: 0.0001, max: 0.1, unit: 'of equity', help: 'lost at the first stop' }),
}) {
  top = this.use(highest(this.bars.high, this.params.bars), { pane: 'price' });
  range = this.use(atr(this.bars, 14));
  state = this.keep({ entry: null as OrderId | null, stop: 0 });

  override onBar() {
    const close = this.bars.close.value;
    const wanted = close - this.params.ranges * this.range.value;
    if (this.position().isFlat) {
      if (close <= this.top.prev) return;
      const size = sizeByRisk({ equity: this.equity, risk: this.params.risk, entry: close, stop: wanted, cap: 0.95 });
      this.state.entry = this.buy(size, { stopLoss: wanted });
      this.state.stop = wanted;
    } else if (this.state.entry !== null && wanted > this.state.stop) {
      if (this.amend(this.state.entry, { stop: wanted }) !== null) this.state.stop = wanted;
    }
  }
}
