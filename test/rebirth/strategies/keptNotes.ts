// Keeps its state by `this.keep`, so that a start begins at the newest record of it.
import { Strategy, type FillInfo } from 'isobar';

export default class KeptNotes extends Strategy.with({}) {
  notes = this.keep({ bars: 0, buyPrices: [] as number[], mood: 'calm', isTired: false, lastFill: { price: 0, side: 'none' } });

  override onStart() {
    this.every('3h', () => {
      this.notes.mood = this.notes.mood === 'calm' ? 'eager' : 'calm';
    });
  }

  override onBar() {
    const { notes } = this;
    notes.bars++;
    const close = this.bars.close.value;
    if (notes.bars % 4 === 0) notes.buyPrices.push(Math.round(close * (notes.mood === 'calm' ? 0.998 : 0.9995)));
    if (notes.buyPrices.length > 3) notes.buyPrices.shift();
    notes.isTired = notes.bars % 50 > 44;
    if (notes.isTired) this.exit();
    else if (this.position().isFlat && notes.buyPrices.some((price) => close <= price * 1.0005) && this.random() < 0.8) {
      const base = (0.01 + (notes.buyPrices.length % 3) * 0.005).toFixed(3);
      this.buy({ base }, { takeProfit: close * 1.01, stopLoss: close * 0.99 });
    } else if (close > notes.lastFill.price * 1.006 && notes.lastFill.side === 'buy') this.exit();
  }

  override onFill({ price, side }: FillInfo) {
    this.notes.lastFill = { price, side };
  }
}
