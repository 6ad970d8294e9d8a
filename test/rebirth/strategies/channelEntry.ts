// A stop entry at the top of a channel and a limit below its bottom, in one oco group. Both are placed again as the channel moves.
import { highest, lowest, Strategy } from 'isobar';

export default class ChannelEntry extends Strategy.with({}) {
  top = this.use(highest(this.bars.high, 8));
  bottom = this.use(lowest(this.bars.low, 8));
  barCount = 0;
  heldBars = 0;

  override onBar() {
    const close = this.bars.close.value;
    this.barCount++;
    this.heldBars = this.position().isFlat ? 0 : this.heldBars + 1;
    if (this.heldBars > 6) this.exit();
    if (!this.position().isFlat) return;
    const working = this.openOrders();
    // An order that was sent stays as it is. Orders that wait for their price are moved at every third bar.
    const isEntrySent = working.some(({ trigger, tag }) => tag === 'break' && Number.isNaN(trigger));
    if (isEntrySent || (working.length > 0 && this.barCount % 3 !== 0)) return;
    for (const { id } of working) this.cancel(id);
    // The sizes are small enough for the cap on volume.
    const stopEntry = Math.max(this.top.value, close * 1.0005);
    const up = this.buy({ quote: '150' }, { stopEntry, stopLoss: close * 0.995, tag: 'break' });
    const dip = this.buy({ quote: '120' }, { limit: this.bottom.value * 0.999, stopLoss: this.bottom.value * 0.98, tag: 'dip' });
    this.oco(up, dip);
  }
}
