// Keeps resting orders in a Map, each with the number of its bar, and cancels those that have waited for six bars.
import { Strategy, type FillInfo, type OrderId } from 'isobar';

export default class KeptMap extends Strategy.with({}) {
  /** Number of the bar on which each resting order was placed. */
  barByOrder = new Map<OrderId, number>();
  /** Filled quantity of each buy. */
  boughtByOrder = new Map<OrderId, string>();
  barCount = 0;
  orderCount = 0;

  override onBar() {
    this.barCount++;
    const openIds = new Set(this.openOrders().map(({ id }) => id));
    for (const [id, bar] of this.barByOrder) {
      if (!openIds.has(id)) this.barByOrder.delete(id);
      else if (this.barCount - bar >= 6) this.cancel(id);
    }
    if (this.barByOrder.size >= 3 || this.barCount % 2 === 0) return;
    const close = this.bars.close.value;
    const depth = 0.998 - 0.0005 * (this.orderCount % 4);
    const id = this.buy({ base: '0.01' }, { limit: close * depth, tag: `dip ${++this.orderCount}` });
    this.barByOrder.set(id, this.barCount);
  }

  override onFill({ orderId, side, qty, price }: FillInfo) {
    if (side !== 'buy') return;
    this.boughtByOrder.set(orderId, qty.toString());
    this.sell({ base: qty }, { limit: price * 1.004, tag: `out ${orderId} ${this.boughtByOrder.size}` });
  }
}
