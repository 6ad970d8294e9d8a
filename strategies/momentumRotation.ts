// Rotation: on a schedule ranks many symbols by their return, holds the best in equal parts, and cash where too few of them have risen.
import { choice, float, int, roc, Strategy, type Feed } from 'isobar';

export default class MomentumRotation extends Strategy.with({
  lookBack: int(168, { min: 1, max: 5000, unit: 'bars', help: 'symbols are ranked by their return over so many bars' }),
  top: int(2, { min: 1, max: 100, unit: 'symbols', help: 'so many are held at most' }),
  period: choice(['1d', '7d', '28d'], '7d', { help: 'how often the ranking is made' }),
  invested: float(0.95, { min: 0.01, max: 1, unit: 'of equity', help: 'all holdings together' }),
  tolerance: float(0.02, { min: 0, max: 0.5, unit: 'of equity', help: 'a holding that is off by less is left alone' }),
}) {
  symbols = this.feeds('universe').map((feed) => ({ feed, momentum: this.use(roc(feed.close, this.params.lookBack)), share: 0 }));
  rankedMs = 0;
  mustBuy = false;

  override onStart() {
    this.every(this.params.period, () => this.rank());
  }

  // What sells pay for is bought once they have filled: at the first bar on which none of them is open.
  override onBar() {
    if (!this.mustBuy || this.symbols.some(({ feed }) => feed.fresh && this.openOrders(feed).length > 0)) return;
    this.mustBuy = false;
    for (const { feed, share } of this.symbols) if (share - this.held(feed) > this.params.tolerance) this.target({ equity: share }, feed);
  }

  private rank() {
    const { top, invested, tolerance } = this.params;
    // The return of a symbol that is too young is NaN, which is not above 0; one without a bar since the last ranking is traded no more.
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

  /** The part of equity that a symbol makes up. */
  private held(feed: Feed) {
    return (this.position(feed).qty.toNumber() * feed.close.value) / this.equity;
  }
}
