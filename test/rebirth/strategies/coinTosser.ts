// Decides only by this.random(): whether it acts, and the side, size and price of its orders.
import { Strategy } from 'isobar';

export default class CoinTosser extends Strategy.with({}) {
  orderCount = 0;

  override onBar() {
    if (this.random() < 0.6) return;
    this.orderCount++;
    const close = this.bars.close.value;
    const base = (0.005 + this.random() * 0.02).toFixed(4);
    if (this.position().isFlat) this.buy({ base });
    else if (this.random() < 0.4) this.exit();
    else this.buy({ base }, { limit: close * (0.995 + this.random() * 0.004), tag: `toss ${this.orderCount}` });
    for (const { id } of this.openOrders()) if (this.random() < 0.2) this.cancel(id);
  }
}
