// Replaces a limit order at every bar and cancels the old one by its id. The limit is 10 % below the close.
import { Strategy, type OrderId } from 'isobar';

export default class LimitById extends Strategy {
  workingId: OrderId | null = null;

  override onBar() {
    if (this.workingId !== null) this.cancel(this.workingId);
    this.workingId = this.buy({ base: '1' }, { limit: this.bars.close.value * 0.9 });
  }
}
