// Compares the executed quantity in the status of an order with the sum of its trades. A list of trades may lag behind the status of an order.

import type { OrderRow, TradeRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { InstrumentId } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';

const ZERO = new Decimal(0);

/** An order whose trades add up to less than it has executed. */
export interface LackingOrder {
  readonly venueId: string;
  readonly side: Side;
  /** The largest executed quantity that a status has shown, in coins or contracts. */
  readonly executed: Decimal;
  /** Sum of the trades that the journal and the list have, in coins or contracts; less than `executed`. */
  readonly shown: Decimal;
}

/** The executed quantity of one order, in coins or contracts. */
interface ExecutedQuantity {
  readonly side: Side;
  readonly qty: Decimal;
}

/** Executed quantities of the orders of one kill. They only grow: a smaller one comes from an older replica. */
export class Executions {
  /** The largest executed quantity of each order, by instrument and venue order id. */
  readonly #executed = new Map<string, Map<string, ExecutedQuantity>>();
  /** Quantities of the trades that the journal has booked, by `<instrument id> <venue order id>` and trade id. */
  readonly #booked = new Map<string, Map<string, string>>();

  /** Notes what a reading of an order shows: its executed quantity, decimal text in coins or contracts. */
  noteExecuted(instrumentId: InstrumentId, { venueId, side, executed }: Pick<OrderRow, 'venueId' | 'side' | 'executed'>): void {
    const orders = this.#executed.get(instrumentId) ?? new Map<string, ExecutedQuantity>();
    this.#executed.set(instrumentId, orders);
    orders.set(venueId, { side, qty: Decimal.max(executed, orders.get(venueId)?.qty ?? ZERO) });
  }

  /** Notes a trade that the journal has booked. */
  noteBooked(instrument: string, venueId: string, { tradeId, qty }: Pick<TradeRow, 'tradeId' | 'qty'>): void {
    const key = `${instrument} ${venueId}`;
    this.#booked.set(key, (this.#booked.get(key) ?? new Map<string, string>()).set(tradeId, qty));
  }

  /** True if the journal has booked a trade of the order. */
  hasBooked(instrument: string, venueId: string): boolean {
    return this.#booked.has(`${instrument} ${venueId}`);
  }

  /** Returns the largest executed quantity that a status of the order has shown; 0 before the first. */
  executedOf(instrumentId: InstrumentId, venueId: string): Decimal {
    return this.#executed.get(instrumentId)?.get(venueId)?.qty ?? ZERO;
  }

  /**
   * Returns the own orders whose trades are not all in the journal or in `trades`. `accountRows`: the fills of the instrument that the journal has
   * booked to the account. The exchange may no longer list them.
   */
  lackingOrders(
    instrumentId: InstrumentId,
    trades: readonly TradeRow[],
    isOwn: (venueId: string) => boolean,
    accountRows: readonly TradeRow[] = [],
  ): readonly LackingOrder[] {
    const listedTrades = tradesByOrder(trades);
    const accountFills = tradesByOrder(accountRows);
    const executedOrders = this.#executed.get(instrumentId) ?? new Map<string, ExecutedQuantity>();
    return [...executedOrders].flatMap(([venueId, { side, qty: executed }]) => {
      if (executed.isZero() || !isOwn(venueId)) return [];
      const quantities = new Map<string, Decimal.Value>(this.#booked.get(`${instrumentId} ${venueId}`));
      // The account and a strategy may each have a part of one trade. A listed trade has both.
      for (const { tradeId, qty } of accountFills.get(venueId) ?? [])
        quantities.set(tradeId, ZERO.plus(quantities.get(tradeId) ?? 0).plus(qty));
      for (const { tradeId, qty } of listedTrades.get(venueId) ?? []) quantities.set(tradeId, qty);
      const shown = [...quantities.values()].reduce<Decimal>((sum, qty) => sum.plus(qty), ZERO);
      return shown.lessThan(executed) ? [{ venueId, side, executed, shown }] : [];
    });
  }
}

/** Returns the trades by venue order id. A trade of the account with itself is of both orders, and an exchange may list it once. */
function tradesByOrder(trades: readonly TradeRow[]): ReadonlyMap<string, readonly TradeRow[]> {
  const byOrder = new Map<string, TradeRow[]>();
  for (const trade of trades) {
    for (const venueId of new Set([trade.venueId, trade.otherId])) {
      if (venueId === null) continue;
      const tradesOfOrder = byOrder.get(venueId);
      if (tradesOfOrder === undefined) byOrder.set(venueId, [trade]);
      else tradesOfOrder.push(trade);
    }
  }
  return byOrder;
}
