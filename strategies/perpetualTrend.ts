// Long and short over several contracts: breakouts of a channel, an ATR stop on each, and sizes that risk the same on all of them.
import { atr, float, highest, int, lowest, Strategy } from 'isobar';

export default class PerpetualTrend extends Strategy.with({
  entryBars: int(96, { min: 2, max: 5000, unit: 'bars', help: 'a close beyond the channel of this many bars enters' }),
  exitBars: int(48, { min: 2, max: 5000, unit: 'bars', help: 'a close beyond the other side of this one leaves' }),
  atrBars: int(48, { min: 2, max: 1000, unit: 'bars' }),
  stopAtrs: float(4, { min: 0.1, max: 50, unit: 'ATR', help: 'distance of the stop from the close that enters' }),
  risk: float(0.01, { min: 0.0001, max: 0.5, unit: 'of equity', help: 'loss of a trade that its stop ends' }),
  mostEach: float(1, { min: 0.01, max: 100, unit: 'x equity', help: 'largest position of one contract' }),
}) {
  contracts = this.feeds('contracts').map((feed) => ({
    feed,
    upper: this.use(highest(feed.high, this.params.entryBars)),
    lower: this.use(lowest(feed.low, this.params.entryBars)),
    above: this.use(highest(feed.high, this.params.exitBars)),
    below: this.use(lowest(feed.low, this.params.exitBars)),
    range: this.use(atr(feed, this.params.atrBars)),
  }));

  override onBar() {
    for (const { feed, upper, lower, above, below, range } of this.contracts) {
      if (!feed.fresh) continue;
      const close = feed.close.value;
      const { isFlat, isLong } = this.position(feed);
      const away = this.params.stopAtrs * range.value;
      const size = { equity: Math.min(this.params.mostEach, (this.params.risk * close) / away) };
      // `prev`: the channel of the bars before this one, which a close can break out of.
      if (isFlat && close > upper.prev) this.buy(size, { feed, stopLoss: close - away });
      else if (isFlat && close < lower.prev) this.sell(size, { feed, stopLoss: close + away });
      else if (!isFlat && (isLong ? close < below.prev : close > above.prev)) this.exit(feed);
    }
  }
}
