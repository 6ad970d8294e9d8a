// A strategy whose protected actions and views a test can call, and runs in which a script calls them at each bar.

import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Side } from '../../src/model/order.ts';
import { crossedUp, sma, Strategy, type Amendment, type Feed, type OrderOptions, type Size } from '../../src/index.ts';
import { barsOfRows, fillRows, NO_FEES, orderRows, quietRows, run, type PlanOptions } from './backtestFixture.ts';

/** Returns the bars of quiet rows, in which no order away from the price fills. */
export const quietBars = (count: number): BarColumns => barsOfRows(quietRows(count));
/** The plan options of a run without fees. */
export const WITHOUT_FEES = { fees: NO_FEES };

/** What a strategy does at each bar. `row` is the number of the bar, from 0. */
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

/** Runs a strategy that calls `script` at each bar, without fees unless `options` has some. Returns its orders and fills. */
export async function ordersOf(script: BarScript, options: Partial<PlanOptions> = {}, bars = quietBars(6)) {
  const { record, engine } = await run({ strategies: [strategyOf(script)], feeds: { bars }, ...WITHOUT_FEES, ...options });
  return { orders: orderRows(record), fills: fillRows(record), record, engine };
}
/** Returns a script that buys once, at the first bar. */
export const buyAtFirstBar =
  (size: Size | undefined, options?: OrderOptions): BarScript =>
  (strategy, row) =>
    row === 0 && strategy.order('buy', size, options);
