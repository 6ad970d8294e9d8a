// A limit that follows the price: the order is cancelled by its number and placed again at every bar.
import { Strategy, type OrderId } from 'isobar';

export default class LimitKept extends Strategy {
  id: OrderId | null = null;

  override onBar() {
    if (this.id !== null) this.cancel(this.id);
    this.id = this.buy({ base: '1' }, { limit: this.bars.close.value * 0.9 });
  }
}
