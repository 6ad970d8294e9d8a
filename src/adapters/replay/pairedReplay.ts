// Combines two replayed exchanges: each order goes to the one that trades its instrument.

import type { ApprovedOrder, Order } from '../../model/order.ts';
import type { BarMarket, Channel, OrderGateway } from '../../ports/exchange.ts';
import type { ReplayExchange } from './replayExchange.ts';

/** The exchange of a backtest over both markets. */
export class PairedReplay implements OrderGateway, BarMarket {
  readonly supportsTriggerOrders = true;
  readonly futures: ReplayExchange;
  readonly spot: ReplayExchange;
  /** Number of contracts. Contracts have lower instrument indices than coins. */
  private contracts = 0;

  constructor(futures: ReplayExchange, spot: ReplayExchange) {
    this.futures = futures;
    this.spot = spot;
  }

  /** `contracts`: how many of the run's instruments are futures. */
  route(contracts: number): void {
    this.contracts = contracts;
  }

  submit(order: ApprovedOrder): void {
    this.exchangeOf(order.instrumentIndex).submit(order);
  }
  cancel(order: Order): void {
    this.exchangeOf(order.instrumentIndex).cancel(order);
  }
  recall(order: Order): void {
    this.exchangeOf(order.instrumentIndex).recall(order);
  }
  read(order: Order, channel: Channel): void {
    this.exchangeOf(order.instrumentIndex).read(order, channel);
  }
  workingOrders(instrumentIndex: number): number {
    return this.exchangeOf(instrumentIndex).workingOrders(instrumentIndex);
  }
  passRows(instrumentIndex: number, from: number, to: number): number {
    return this.exchangeOf(instrumentIndex).passRows(instrumentIndex, from, to);
  }
  matchRow(instrumentIndex: number, row: number): void {
    this.exchangeOf(instrumentIndex).matchRow(instrumentIndex, row);
  }
  blockOpened(): void {
    this.futures.blockOpened();
  }
  settleMarks(): void {
    this.futures.settleMarks();
  }

  private exchangeOf(instrumentIndex: number): ReplayExchange {
    return instrumentIndex < this.contracts ? this.futures : this.spot;
  }
}
