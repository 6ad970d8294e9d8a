// Buys with limits that fill in parts, sells each part by an order of its own, and adds up the reported fills exactly.
import { Strategy, type FillInfo } from 'isobar';

export default class FillChaser extends Strategy.with({}) {
  bought: FillInfo['qty'] | null = null;
  sold: FillInfo['qty'] | null = null;
  partCount = 0;
  barCount = 0;

  override onBar() {
    this.barCount++;
    const heldBase = this.bought?.minus(this.sold ?? 0);
    if (this.barCount % 5 === 0 && (heldBase?.lt('0.4') ?? true) && this.openOrders().length < 12)
      this.buy({ base: '0.12' }, { limit: this.bars.close.value * 0.9985, tag: `lot ${this.barCount}` });
    if (this.barCount % 90 === 0) for (const { id } of this.openOrders()) this.cancel(id);
  }

  override onFill({ side, qty, price }: FillInfo) {
    if (side === 'sell') {
      this.sold = this.sold?.plus(qty) ?? qty;
      return;
    }
    this.bought = this.bought?.plus(qty) ?? qty;
    this.sell({ base: qty }, { limit: price * 1.003, tag: `part ${++this.partCount}` });
  }
}
