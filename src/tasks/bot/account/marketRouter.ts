// Implements one exchange port over several markets: each order goes to the service of its instrument.

import type { RestExchange } from '../../../adapters/exchange/restExchange.ts';
import type { HaltCode } from '../../../adapters/exchange/calls/types.ts';
import { InvariantError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import type { ApprovedOrder, Order } from '../../../model/order.ts';
import type { Channel, OrderGateway } from '../../../ports/exchange.ts';

/** The services of all markets of one bot, as one exchange port. */
export class MarketRouter implements OrderGateway {
  /** Only contracts have trigger orders, and the futures service accepts them. */
  readonly supportsTriggerOrders = true;
  readonly #byMarket = new Map<Market, RestExchange>();

  /** Adds the service of a market. Services come later than this port, because they need the engine and the engine needs the port. */
  addService(market: Market, service: RestExchange): void {
    this.#byMarket.set(market, service);
  }

  /** Returns the service of a market. */
  serviceOf(market: Market): RestExchange {
    const service = this.#byMarket.get(market);
    if (service) return service;
    throw new InvariantError(`the bot has no service for ${market}`);
  }
  /** Returns each market with its service. */
  entries(): Iterable<[Market, RestExchange]> {
    return this.#byMarket.entries();
  }
  /** Returns the services of all markets. */
  all(): readonly RestExchange[] {
    return [...this.#byMarket.values()];
  }
  /** True when another market still raises the same halt cause, so that clearing it in this market does not end it. */
  isRaisedElsewhere(market: Market, code: HaltCode, instrument: number | null): boolean {
    const others = [...this.#byMarket].filter(([other]) => other !== market);
    return others.some(([, { raisedCauses }]) => raisedCauses.some((cause) => cause.code === code && cause.instrument === instrument));
  }
  /** True when no service has a request in flight. */
  get isIdle(): boolean {
    return this.all().every(({ isIdle }) => isIdle);
  }

  submit(order: ApprovedOrder, seq: number): void {
    this.serviceOf(order.instrument.market).submit(order, seq);
  }
  cancel(order: Order): void {
    this.serviceOf(order.instrument.market).cancel(order);
  }
  read(order: Order, channel: Channel): void {
    this.serviceOf(order.instrument.market).read(order, channel);
  }
  /** Informs the service that an order has ended. A service does not know orders that ended before it was opened. */
  orderEnded(order: Order): void {
    this.#byMarket.get(order.instrument.market)?.orderEnded(order);
  }
}
