// Rotation: ranks many symbols by their return on a schedule, and holds the best ones in equal parts. If too few have risen, it holds cash.
import { choice, float, int, roc, Strategy, type Feed } from 'isobar';

export default class MomentumRotation extends Strategy.with({
  lookBack: int(168, { min: 1, max: 5000, unit: 'bars', help: 'bars over which the return ranks the symbols' }),
  top: int(2, { min: 1, max: 100, unit: 'symbols', help: 'maximum number of symbols held' }),
  period: choice(['1d', '7d', '28d'], '7d', { help: 'how often the ranking is made' }),
  invested: float(0.95, { min: 0.01, max: 1, unit: 'of equity', help: 'weight of all holdings together' }),
  tolerance: float(0.02, { min: 0, max: 0.5, unit: 'of equity', help: 'a holding whose weight is off by less is not traded' }),
}) {
  symbols = this.feeds('universe').map((feed) => ({ feed, momentum: this.use(roc(feed.close, this.params.lookBack)), share: 0 }));
  rankedMs = 0;
  mustBuy = false;

  override onStart() {
    this.every(this.params.period, () => this.rank());
  }

  // Buys need the money of the sells, so they wait for the first bar without an open order.
  override onBar() {
    if (!this.mustBuy || this.symbols.some(({ feed }) => feed.fresh && this.openOrders(feed).length > 0)) return;
    this.mustBuy = false;
    for (const { feed, share } of this.symbols) {
      if (share - this.held(feed) > this.params.tolerance) this.target({ equity: share }, feed);
    }
  }

  private rank() {
    const { top, invested, tolerance } = this.params;
    // The return of a symbol with too few bars is NaN, and NaN is not above 0. A symbol without a bar since the last ranking is not traded.
    const risen = this.symbols.filter(({ feed, momentum }) => momentum.value > 0 && feed.bar.closeMs > this.rankedMs);
    const best = risen.toSorted((a, b) => b.momentum.value - a.momentum.value).slice(0, top);
    for (const symbol of this.symbols) {
      symbol.share = best.includes(symbol) ? invested / top : 0;
      if (symbol.share === 0) this.exit(symbol.feed);
      else if (this.held(symbol.feed) - symbol.share > tolerance) this.target({ equity: symbol.share }, symbol.feed);
    }
    this.rankedMs = this.nowMs;
    this.mustBuy = true;
  }

  /** Returns the value of a position as a fraction of equity. */
  private held(feed: Feed) {
    return (this.position(feed).qty.toNumber() * feed.close.value) / this.equity;
  }
}
