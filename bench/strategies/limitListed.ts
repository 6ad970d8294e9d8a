// The same limit, found among the open orders at every bar.
import { Strategy } from 'isobar';

export default class LimitListed extends Strategy {
  override onBar() {
    for (const order of this.openOrders()) this.cancel(order.id);
    this.buy({ base: '1' }, { limit: this.bars.close.value * 0.9 });
  }
}
