// Converts the orders of a live bot to the form of its view.

import { fromScaled } from '../../../base/number/decimal.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { BotOrderView, UnknownView } from '../../control/botView.ts';

/** The engine, and the names of its orders. */
export interface NamedOrders {
  readonly engine: Engine;
  readonly clientOrderIdOf: (id: OrderId) => string;
}

/** Returns an order as the view shows it. */
export function orderView(order: Order, { engine, clientOrderIdOf }: NamedOrders): BotOrderView {
  const { instrument, lots, quoteUnits, limit } = order;
  return {
    cid: clientOrderIdOf(order.id),
    venueId: order.venueId === null ? null : String(order.venueId),
    strategy: engine.runs[order.strategy]!.name,
    instrument: instrument.id,
    side: order.side,
    role: order.role,
    qty: lots > 0 ? fromScaled(lots, instrument.quantityDigits) : null,
    amount: quoteUnits > 0 ? fromScaled(quoteUnits, instrument.quoteDigits) : null,
    price: limit > 0 ? fromScaled(limit, instrument.priceDigits) : null,
    filled: fromScaled(order.filledLots, instrument.quantityDigits),
    reduceOnly: order.reduceOnly,
    lifecycle: order.lifecycle,
    reason: order.reason,
    createdMs: order.createdMs,
    changedMs: order.changedMs,
  };
}

/** Returns an order of unknown outcome as the view shows it. */
export function unknownView(order: Order, named: NamedOrders): UnknownView {
  const { engine } = named;
  const needsPerson = engine.risk.halts.holds({ kind: 'symbol', instrument: order.instrumentIndex }, 'NEEDS_PERSON');
  return {
    ...orderView(order, named),
    cause: 'its reply was lost',
    doing: needsPerson
      ? 'the lists of the exchange do not show the outcome: isobar orders resolve'
      : 'open orders, trades and balances are read until they prove its outcome',
    needsPerson,
  };
}
