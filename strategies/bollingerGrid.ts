// Grid trading in the lower half of the Bollinger bands: buy limits rest at levels below the middle. Each level sells one step higher.
import { bollinger, float, int, Strategy, type OrderId } from 'isobar';

export default class BollingerGrid extends Strategy.with({
  bandBars: int(100, { min: 2, max: 5000, unit: 'bars' }),
  bandWidths: float(2, { min: 0.1, max: 10, unit: 'standard deviations', help: 'distance of the lowest level from the middle' }),
  levels: int(4, { min: 1, max: 50, help: 'number of buys that may rest at once' }),
  minStep: float(0.005, { min: 0, max: 0.5, unit: 'of the price', help: 'a narrower step would not earn its fees' }),
  stopSteps: float(4, { min: 0.5, max: 100, unit: 'steps', help: 'distance of the stop from the buy' }),
  invested: float(0.9, { min: 0.01, max: 1, unit: 'of equity', help: 'weight of all levels together' }),
}) {
  band = this.use(bollinger(this.bars.close, this.params.bandBars, this.params.bandWidths), { pane: 'price' });
  /** The newest buy of each level, the highest level first. */
  buys: OrderId[] = [];

  override onBar() {
    const { levels, minStep, stopSteps, invested } = this.params;
    const middle = this.band.middle.value;
    const step = Math.max((middle - this.band.lower.value) / levels, minStep * middle);
    const priceOf = (level: number) => middle - (level + 1) * step;

    // Cancel the buys that the band has moved away from. A cancel is a request: the order can fill until the cancel is confirmed.
    for (const { id, limit } of this.openOrders()) {
      const level = this.buys.indexOf(id);
      if (level >= 0 && Math.abs(limit - priceOf(level)) > step / 2) this.cancel(id);
    }
    // So a level is in use while its buy is open, even after a cancel request, and then while the sell of its coins is open.
    const busyLevels = this.openOrders().map(({ id, entry }) => this.buys.indexOf(entry ?? id));
    for (let level = 0; level < levels; level++) {
      const limit = priceOf(level);
      // A buy above the market would fill at once as taker.
      if (busyLevels.includes(level) || limit >= this.bars.close.value) continue;
      const legs = { takeProfit: limit + step, stopLoss: limit - stopSteps * step };
      this.buys[level] = this.buy({ equity: invested / levels }, { limit, ...legs, tag: `level ${level}` });
    }
  }
}
