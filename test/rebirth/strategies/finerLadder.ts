// An entry with three targets above a stop on bars of 15m, whose orders fill in bars of 5m. The stop moves
// at every second sale, beginning with the first. It uses no indicator, so it needs no warm-up.
import { Strategy, type FillInfo, type OrderId } from 'isobar';

export default class FinerLadder extends Strategy.with({}) {
  entry: OrderId | null = null;
  rounds = 0;
  /** Number of sales in this round. */
  saleCount = 0;
  heldBars = 0;

  override onBar() {
    const { close, high, low } = this.bars.bar;
    const risk = Math.max(high - low, close * 0.002);
    const working = this.openOrders().filter(({ entry }) => entry === null);
    for (const { id } of working) this.cancel(id);
    if (!this.position().isFlat && ++this.heldBars > 5) this.exit();
    if (working.length > 0 || !this.position().isFlat) return;
    this.saleCount = this.heldBars = 0;
    const isMarket = ++this.rounds % 2 === 0;
    const price = isMarket ? close : close - 0.1 * risk;
    const targets = [
      { at: price + 0.3 * risk, share: '0.5' },
      { at: price + 0.6 * risk, share: '0.3' },
      { at: price + risk, share: '0.2' },
    ];
    const stopLoss = price - (this.rounds % 3 === 0 ? 0.8 : 0.5) * risk;
    this.entry = isMarket
      ? this.buy({ equity: '0.5' }, { targets, stopLoss, tag: 'now' })
      : this.buy({ quote: '3000' }, { limit: price, targets, stopLoss, tag: 'rest' });
  }

  override onFill({ side, price }: FillInfo) {
    if (side !== 'sell' || this.entry === null || this.position().isFlat) return;
    if (++this.saleCount % 2 === 1) this.amend(this.entry, { stop: price * 0.997 });
  }
}
