// Entries with several targets that fill in parts: each part gets its targets, and the stop protects the remainder.
import { atr, sma, Strategy, type FillInfo, type OrderId } from 'isobar';

export default class SeveralTargets extends Strategy.with({}) {
  range = this.use(atr(this.bars, 14));
  mean = this.use(sma(this.bars.close, 20));
  entry: OrderId | null = null;
  rounds = 0;

  override onBar() {
    const close = this.bars.close.value;
    const risk = this.range.value;
    const working = this.openOrders().filter(({ entry }) => entry === null);
    for (const { id } of working) this.cancel(id);
    if (working.length > 0 || !this.position().isFlat) return;
    const limit = close - 0.1 * risk;
    const targets = [
      { at: limit + 0.5 * risk, share: '0.5' },
      { at: limit + risk, share: 0.3 },
      { at: limit + 2 * risk, share: ++this.rounds % 3 === 0 ? 0.1 : 0.2 },
    ];
    if (close > this.mean.value) this.entry = this.buy({ equity: 0.5 }, { targets, stopLoss: limit - 3 * risk, tag: 'dip' });
    else this.entry = this.buy({ quote: '900' }, { limit, targets, stopLoss: limit - 3 * risk, tag: 'rest' });
  }

  override onFill({ side, price }: FillInfo) {
    if (side === 'sell' && this.entry !== null) this.amend(this.entry, { stop: price * 0.99 });
  }
}
