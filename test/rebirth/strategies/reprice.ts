// Replaces its resting order at every bar: it cancels it and places a new one with the same tag.
import { Strategy } from 'isobar';

export default class Reprice extends Strategy.with({}) {
  barCount = 0;

  override onBar() {
    this.barCount++;
    const close = this.bars.close.value;
    const rungs = this.openOrders().filter(({ tag }) => tag === 'rung');
    if (rungs.some(({ lifecycle }) => lifecycle === 'draft')) return;
    for (const { id } of rungs) this.cancel(id);
    if (this.position().isFlat) this.buy({ base: '0.01' }, { limit: close * 0.998, tag: 'rung' });
    else if (this.barCount % 4 === 0) this.exit();
  }
}
