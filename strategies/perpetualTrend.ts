// Trend following on several contracts, long and short: channel breakouts, sizes with equal risk, and an ATR stop as a trigger order at
// the exchange.
import { atr, float, highest, int, lowest, Strategy, type FillInfo, type OrderId } from 'isobar';

export default class PerpetualTrend extends Strategy.with({
  entryBars: int(96, { min: 2, max: 5000, unit: 'bars', help: 'a close beyond the channel of this many bars enters' }),
  exitBars: int(48, { min: 2, max: 5000, unit: 'bars', help: 'a close beyond the other side of this one leaves' }),
  atrBars: int(48, { min: 2, max: 1000, unit: 'bars' }),
  stopAtrs: float(4, { min: 0.1, max: 50, unit: 'ATR', help: 'distance of the stop from the close that enters' }),
  risk: float(0.01, { min: 0.0001, max: 0.5, unit: 'of equity', help: 'loss of a trade that is stopped out' }),
  mostEach: float(1, { min: 0.01, max: 100, unit: 'x equity', help: 'largest position of one contract' }),
}) {
  contracts = this.feeds('contracts').map((feed) => ({
    feed,
    upper: this.use(highest(feed.high, this.params.entryBars)),
    lower: this.use(lowest(feed.low, this.params.entryBars)),
    above: this.use(highest(feed.high, this.params.exitBars)),
    below: this.use(lowest(feed.low, this.params.exitBars)),
    range: this.use(atr(feed, this.params.atrBars)),
    entry: null as OrderId | null,
    stop: NaN, // the stop price of the position
  }));
  stops = 0;

  override onBar() {
    for (const contract of this.contracts) {
      const { feed, upper, lower, above, below, range } = contract;
      if (!feed.fresh) continue;
      const close = feed.close.value;
      const { isFlat, isLong, qty } = this.position(feed);
      const away = this.params.stopAtrs * range.value;
      const size = { equity: Math.min(this.params.mostEach, (this.params.risk * close) / away) };
      // `prev` is the channel of the bars before this bar. A close cannot break out of a channel that includes its own bar.
      if (isFlat && close > upper.prev) {
        contract.stop = close - away;
        contract.entry = this.buy(size, { feed });
      } else if (isFlat && close < lower.prev) {
        contract.stop = close + away;
        contract.entry = this.sell(size, { feed });
      } else if (!isFlat && (isLong ? close < below.prev : close > above.prev)) this.exit(feed);
      else if (!isFlat) this.protectRest(contract, isLong, qty.abs());
    }
  }

  override onFill({ orderId, side, qty }: FillInfo) {
    const entered = this.contracts.find(({ entry }) => entry === orderId);
    if (entered !== undefined) this.protect(entered, side === 'buy', qty);
  }

  // Each fill of the entry has a stop of its own, and a stop may be lost or refused: what no stop covers gets another one.
  protectRest(contract: (typeof this.contracts)[number], isLong: boolean, held: FillInfo['qty']) {
    const open = this.openOrders(contract.feed);
    const bare = open.reduce((rest, { qty, filled }) => rest.minus(qty.minus(filled)), held);
    // An order without a trigger is an exit on its way.
    if (bare.gt(0) && open.every(({ trigger }) => trigger > 0)) this.protect(contract, isLong, bare);
  }

  protect(contract: (typeof this.contracts)[number], isLong: boolean, qty: FillInfo['qty']) {
    const { feed, stop } = contract;
    const guard = { feed, trigger: stop, tag: `stop ${++this.stops}` };
    // The price may have passed the stop since the entry filled.
    if (isLong ? feed.close.value <= stop : feed.close.value >= stop) this.exit(feed);
    else if (isLong) this.sell({ base: qty }, guard);
    else this.buy({ base: qty }, guard);
  }
}
