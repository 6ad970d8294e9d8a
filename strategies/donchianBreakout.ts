// Breakout: buys when a bar closes above the highest high of the bars before it. A stop and a trailing stop protect the position.
import { atr, float, highest, int, lowest, Strategy } from 'isobar';

export default class DonchianBreakout extends Strategy.with({
  entryBars: int(20, { min: 2, max: 1000, unit: 'bars', help: 'a close above the highest high of this many bars enters' }),
  exitBars: int(10, { min: 2, max: 1000, unit: 'bars', help: 'a close below the lowest low of this many bars leaves' }),
  atrBars: int(14, { min: 2, max: 1000, unit: 'bars' }),
  stopAtrs: float(2, { min: 0.1, max: 50, unit: 'ATR', help: 'distance of the stop from the close that enters' }),
  trailAtrs: float(4, { min: 0.1, max: 50, unit: 'ATR', help: 'distance of the trailing stop from the best price since' }),
}) {
  upper = this.use(highest(this.bars.high, this.params.entryBars), { pane: 'price' });
  lower = this.use(lowest(this.bars.low, this.params.exitBars), { pane: 'price' });
  range = this.use(atr(this.bars, this.params.atrBars));

  override onBar() {
    const close = this.bars.close.value;
    // `prev` is the channel of the bars before this bar. A close cannot break out of a channel that includes its own bar.
    if (this.position().isFlat && close > this.upper.prev) {
      const stopLoss = close - this.params.stopAtrs * this.range.value;
      this.buy(undefined, { stopLoss, trailing: this.params.trailAtrs * this.range.value });
    } else if (close < this.lower.prev) {
      this.exit();
    }
  }
}
