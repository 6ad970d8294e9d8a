// A grid: buy limits rest below the average, each with its sell one step higher and a stop below them all.
import { float, int, sma, Strategy } from 'isobar';

export default class Grid extends Strategy.with({
  bars: int(100, { min: 2, max: 5000, unit: 'bars', help: 'of the average' }),
  levels: int(4, { min: 1, max: 20, help: 'number of buys that rest' }),
  step: float(0.01, { min: 0.001, max: 0.2, unit: 'of the price', help: 'between two levels' }),
  invested: float(0.8, { min: 0.01, max: 1, unit: 'of equity', help: 'all levels together' }),
}) {
  average = this.use(sma(this.bars.close, this.params.bars), { pane: 'price' });

  override onBar() {
    const { levels, step, invested } = this.params;
    const mean = this.average.value;
    const priceOf = (level: number) => mean * (1 - step * (level + 1));
    const open = this.openOrders();
    // The average has moved: an order that is half a step away is replaced. One that has bought keeps its sell.
    for (const { id, tag, limit, entry } of open) {
      if (entry === null && Math.abs(limit / priceOf(Number(tag)) - 1) > step / 2) this.cancel(id);
    }
    const closing = new Set(open.map(({ entry }) => entry));
    for (let level = 0; level < levels; level++) {
      const limit = priceOf(level);
      if (limit >= this.bars.close.value || closing.size > levels || open.some(({ tag }) => tag === String(level))) continue;
      const bracket = { takeProfit: limit * (1 + step), stopLoss: mean * (1 - step * (levels + 3)) };
      this.buy({ equity: invested / levels }, { limit, ...bracket, tag: String(level) });
    }
  }
}
