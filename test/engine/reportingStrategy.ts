// A scripted spot strategy that records the reports of its orders, and runs of it over a few rows, also with faults of requests.

import type { ReplayFault } from '../../src/adapters/replay/replayExchange.ts';
import type { Order, Side } from '../../src/model/order.ts';
import { Strategy, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import { barsOfRows, fillRows, orderRows, run, type PlanOptions, type PriceRow } from './backtestFixture.ts';

/** Records every report of its orders as text: id, lifecycle and deny code. Its protected actions are public. */
export class ReportingStrategy extends Strategy {
  reported: string[] = [];
  row = 0;
  order = (side: Side, size: Size, options?: OrderOptions) => (side === 'buy' ? this.buy(size, options) : this.sell(size, options));
  exitPosition = () => this.exit();
  cancelOrder = (id: number) => this.cancel(id as never);
  /** Returns the open orders with this tag. */
  ordersTagged = (tag: string) => this.openOrders().filter((order) => order.tag === tag);
  openOrderTexts = () => this.openOrders().map(({ id, lifecycle }) => `${id} ${lifecycle}`);
  override onOrder({ id, lifecycle, code }: OrderInfo) {
    this.reported.push(`${id} ${lifecycle}${code === null ? '' : ` ${code}`}`);
  }
}

/** What a strategy does at the bars that have an entry, by the number of the bar from 0. */
export type Script = Readonly<Record<number, (strategy: ReportingStrategy) => unknown>>;

/** Runs a script over rows. Returns the result of the run, the reports to the strategy, and the number of its bars. */
export async function runScript(
  script: Script,
  rows: readonly PriceRow[],
  options: Partial<PlanOptions> = {},
  faultOf?: (order: Order) => ReplayFault,
) {
  const started: ReportingStrategy[] = [];
  class ScriptedStrategy extends ReportingStrategy {
    override onStart() {
      started.push(this);
    }
    override onBar() {
      script[this.row++]?.(this);
    }
  }
  const plan = { strategies: [ScriptedStrategy], feeds: { bars: barsOfRows(rows) }, ...options };
  const { record, engine, venue } = await run(plan, faultOf ? { faultOf } : {});
  const { reported, row } = started[0]!;
  return { record, engine, venue, reported, barCount: row, orders: orderRows(record), fills: fillRows(record) };
}

/** Returns the faults of a run in which only the create request of one order has a fault. */
export const faultOfOrder =
  (id: number, fault: ReplayFault) =>
  (order: Order): ReplayFault =>
    order.id === id ? fault : 'none';
