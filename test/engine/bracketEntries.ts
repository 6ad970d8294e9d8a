// Runs strategies that enter once with a bracket, for tests of brackets: returns the orders and fills of each run.

import { Strategy, type OrderOptions, type Size } from '../../src/index.ts';
import { barsOfRows, fillRows, NO_FEES, orderRows, QUIET_ROW, run, type PlanOptions, type PriceRow } from './backtestFixture.ts';

/** What a strategy does at the close of some rows, by the number of the row from 0. */
type ActionsByRow = Readonly<Record<number, (strategy: EntryStrategy) => void>>;

/** Returns a strategy class that buys at the close of the first row, and then acts by row. */
export function entryStrategy(size: Size, options: OrderOptions, actionsByRow: ActionsByRow = {}) {
  return class extends EntryStrategy {
    row = 0;
    override onBar() {
      if (this.row === 0) this.buy(size, options);
      actionsByRow[this.row++]?.(this);
    }
  };
}
/** Gives tests access to the actions of a strategy. */
export class EntryStrategy extends Strategy {
  currentPosition = () => this.position();
  exitPosition = () => this.exit();
  closePositionAt = (timeMs: number | null) => this.closeAt(timeMs);
  targetSize = (size: Size) => this.target(size);
  cancelAll = () => this.openOrders().forEach(({ id }) => this.cancel(id));
  sellSize = (size: Size, options?: OrderOptions) => this.sell(size, options);
  enter = (size: Size, options?: OrderOptions) => this.buy(size, options);
}

/** Runs the strategy without fees over a quiet row and `rows`. Returns its fills (prices in ticks) and its orders. */
export async function runEntry(strategy: ReturnType<typeof entryStrategy>, rows: readonly PriceRow[], options: Partial<PlanOptions> = {}) {
  const { record, engine } = await run({
    strategies: [strategy],
    feeds: { bars: barsOfRows([QUIET_ROW, ...rows]) },
    fees: NO_FEES,
    ...options,
  });
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
