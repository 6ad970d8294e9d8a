// Buys on a grid of price levels, and keeps the levels that it has bought in a Set until their sales have filled.
import { Strategy, type FillInfo, type OrderInfo } from 'isobar';

/** The distance of two levels, as a share of the price. */
const LEVEL_DISTANCE = 0.004;

export default class SetOfLevels extends Strategy.with({}) {
  heldLevels = new Set<number>();
  /** The level of each order, by order id. */
  levelByOrder: Record<number, number> = {};
  /** The price of level 0, which follows the prices of sales. */
  anchor = NaN;

  override onBar() {
    const close = this.bars.close.value;
    if (Number.isNaN(this.anchor)) this.anchor = close;
    const level = Math.floor(Math.log(close / this.anchor) / LEVEL_DISTANCE);
    if (this.heldLevels.has(level) || this.heldLevels.size >= 6) return;
    const id = this.buy({ base: '0.01' }, { takeProfit: close * 1.008, stopLoss: close * 0.98, tag: `level ${level}` });
    this.levelByOrder[id] = level;
    this.heldLevels.add(level);
  }

  override onOrder(order: OrderInfo) {
    if (order.lifecycle !== 'done') return;
    const level = this.levelByOrder[order.entry ?? order.id];
    // A sale has ended, or an order was denied or refused.
    if (level !== undefined && (order.entry !== null || order.code !== null)) this.heldLevels.delete(level);
  }

  override onFill(fill: FillInfo) {
    if (fill.side === 'sell') this.anchor += (fill.price - this.anchor) * 0.1;
  }
}
