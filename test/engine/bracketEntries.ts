// Builds strategies with one entry and its bracket, and returns the orders and fills of their runs.

import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import { barsOfRows, fillRows, orderRows, run, type PlanOptions } from './world.ts';

/** Returns a strategy class that enters at the first close. At the close of each later row it calls the function of that row in `later`. */
export function entry(size: Size, options: OrderOptions, later: Readonly<Record<number, (strategy: EntryStrategy) => void>> = {}) {
  return class extends EntryStrategy {
    row = 0;
    override onBar() {
      if (this.row === 0) this.buy(size, options);
      later[this.row++]?.(this);
    }
  };
}
/** Gives tests access to the actions of a strategy. */
export class EntryStrategy extends Strategy {
  currentPosition = () => this.position();
  exitPosition = () => this.exit();
  leaveAt = (timeMs: number | null) => this.closeAt(timeMs);
  targetSize = (size: Size) => this.target(size);
  cancelAll = () => this.openOrders().forEach(({ id }) => this.cancel(id));
  sellSize = (size: Size, options?: OrderOptions) => this.sell(size, options);
  enter = (size: Size, options?: OrderOptions) => this.buy(size, options);
}

/** A bar as plain numbers: prices in ticks, volume in lots. */
export type RowOf = readonly [open: number, high: number, low: number, close: number, volume?: number];
/** A bar that reaches no leg of a bracket. */
export const QUIET: RowOf = [10_000, 10_010, 9990, 10_000];
/** No fees, so that results are the differences of prices. */
export const FREE = { makerPpm: 0, takerPpm: 0 };

/** Runs the strategy over a quiet row and `rows`, and returns its fills and orders. */
export async function fillsOf(strategy: ReturnType<typeof entry>, rows: readonly RowOf[], options: Partial<PlanOptions> = {}) {
  const { record, engine } = await run({ strategies: [strategy], feeds: { bars: barsOfRows([QUIET, ...rows]) }, fees: FREE, ...options });
  const orders = orderRows(record);
  const fills = fillRows(record).map(({ order, price, lots, isMaker, minute }) => ({
    role: orders[order - 1]!.role,
    price,
    lots,
    isMaker,
    minute,
  }));
  return { fills, orders, engine };
}

/** The size of a market order. */
export const MARKET: Size = { base: '0.1' };
