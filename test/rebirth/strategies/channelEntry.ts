// Stop entries at the top of a channel, which move with it, and a sale after some bars.
import { highest, Strategy } from 'isobar';

export default class ChannelEntry extends Strategy.with({}) {
  top = this.use(highest(this.bars.high, 8));
  row = 0;
  heldBars = 0;

  override onBar() {
    const close = this.bars.close.value;
    this.row++;
    this.heldBars = this.position().isFlat ? 0 : this.heldBars + 1;
    if (this.heldBars > 6) this.exit();
    if (!this.position().isFlat) return;
    const working = this.openOrders();
    // What has been sent is left to itself; what waits for its price moves every third bar.
    if (working.some(({ trigger }) => Number.isNaN(trigger)) || (working.length > 0 && this.row % 3 !== 0)) return;
    for (const { id } of working) this.cancel(id);
    const stopEntry = Math.max(this.top.value, close * 1.0005);
    // Small enough for the cap on volume.
    this.buy({ quote: '150' }, { stopEntry, stopLoss: close * 0.995, tag: 'break' });
  }
}
