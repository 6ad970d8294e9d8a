// Replaces a limit order at every bar and finds the old one among the open orders. The limit is 10 % below the close.
import { Strategy } from 'isobar';

export default class LimitFromOpenOrders extends Strategy {
  override onBar() {
    for (const order of this.openOrders()) this.cancel(order.id);
    this.buy({ base: '1' }, { limit: this.bars.close.value * 0.9 });
  }
}
