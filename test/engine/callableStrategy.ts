// A strategy whose protected actions and views a test can call, and runs in which a script calls them at each bar.

import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Side } from '../../src/model/order.ts';
import { crossedUp, sma, Strategy, type Amendment, type Feed, type OrderOptions, type Size } from '../../src/index.ts';
import { barsOfRows, fillRows, orderRows, run, type PlanOptions } from './world.ts';

/** Open, high, low and close of a bar that reaches no order, in ticks. */
export const QUIET: [number, number, number, number] = [10_000, 10_010, 9990, 10_000];
/** Returns bars of one price range, in which no order away from the price fills. */
export const quietBars = (rows: number): BarColumns => barsOfRows(Array.from({ length: rows }, () => QUIET));
/** No fees, so that results are the differences of prices. */
export const NO_FEES = { fees: { makerPpm: 0, takerPpm: 0 } };

/** Decides for a strategy at each bar. `row` is the number of the bar, from 0. */
export type BarScript = (strategy: CallableStrategy, row: number) => unknown;

/** Returns a strategy class that calls `script` at each bar. */
export function strategyOf(script: BarScript) {
  return class Acting extends CallableStrategy {
    override onBar() {
      script(this, this.row++);
    }
  };
}
/** A strategy whose protected actions and views are public: orders as `order`, all others as members of `api`. */
export class CallableStrategy extends Strategy {
  row = 0;
  order = (side: Side, size?: Size, options?: OrderOptions) => (side === 'buy' ? this.buy(size, options) : this.sell(size, options));
  api = {
    exit: (feed?: Feed) => this.exit(feed),
    target: (size: Size, feed?: Feed) => this.target(size, feed),
    cancel: (id: number) => this.cancel(id as never),
    amend: (id: number, change: Amendment) => this.amend(id as never, change),
    oco: (...ids: number[]) => this.oco(...(ids as never[])),
    closeAt: (timeMs: number | null, feed?: Feed) => this.closeAt(timeMs, feed),
    position: (feed?: Feed) => this.position(feed),
    openOrders: (feed?: Feed) => this.openOrders(feed),
    random: () => this.random(),
    equity: () => this.equity,
    cash: () => this.cash,
    now: () => this.nowMs as number,
    feed: (name: string) => this.feed(name),
    lateIndicator: () => this.use(sma(this.bars.close, 3)),
    lateSignal: () => this.when(crossedUp(this.bars.close, 100), () => {}),
    lateCross: () => crossedUp(this.bars.close, sma(this.bars.close, 3)),
    every: (period: `${number}m`, handler: () => void) => this.every(period, handler),
    log: (message: string, fields?: Readonly<Record<string, unknown>>) => this.log(message, fields),
  };
}

/** Runs a strategy that calls `script` at each bar, and returns its orders and fills. */
export async function ordersOf(script: BarScript, options: Partial<PlanOptions> = {}, bars = quietBars(6)) {
  const { record, engine } = await run({ strategies: [strategyOf(script)], feeds: { bars }, ...NO_FEES, ...options });
  return { orders: orderRows(record), fills: fillRows(record), record, engine };
}
/** Returns a script that buys once, at the first bar. */
export const buyAtFirstBar =
  (size: Size | undefined, options?: OrderOptions): BarScript =>
  (strategy, row) =>
    row === 0 && strategy.order('buy', size, options);
