// Averages down: buys at once and by limits below, and sells at one target above the average entry. Every fill replaces the target.
import { float, int, Strategy } from 'isobar';

export default class DcaLadder extends Strategy.with({
  rungs: int(4, { min: 1, max: 10 }),
  step: float(0.006, { min: 0.001, max: 0.1 }),
  profit: float(0.006, { min: 0.001, max: 0.1 }),
}) {
  firstPrice = NaN;
  targetQty = 0;

  override onBar() {
    const { qty, isFlat, entryPrice } = this.position();
    const [close, working] = [this.bars.close.value, this.openOrders()];
    if (!isFlat && close < this.firstPrice * 0.96) this.exit();
    else if (!isFlat && Number(qty) !== this.targetQty) {
      const target = working.find(({ tag }) => tag === 'target');
      if (target?.lifecycle === 'draft') return;
      if (target !== undefined) this.cancel(target.id);
      this.sell({ base: qty }, { limit: entryPrice * (1 + this.params.profit), tag: 'target' });
      this.targetQty = Number(qty);
    } else if (isFlat && working.every(({ tag }) => tag.startsWith('rung'))) {
      for (const { id } of working) this.cancel(id);
      this.firstPrice = close;
      this.buy({ quote: '500' }, { tag: 'first' });
      for (let rung = 1; rung <= this.params.rungs; rung++)
        this.buy({ quote: '500' }, { limit: close * (1 - rung * this.params.step), tag: `rung ${rung}` });
    }
  }
}
