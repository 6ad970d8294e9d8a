// What records say of orders and fills, in the words and decimals of the exchange: made here, because nobody else needs the text.

import { fromScaled } from '../../../base/number/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Order } from '../../../model/order.ts';
import type { Waits } from '../../../ports/journal.ts';
import type { Body } from './records.ts';

export const qtyText = ({ instrument }: Pick<Order, 'instrument'>, lots: number): string => fromScaled(lots, instrument.quantityDigits);
const priceText = (instrument: Instrument, ticks: number): string => fromScaled(ticks, instrument.priceDigits);
export const moneyText = (instrument: Instrument, units: number): string => fromScaled(units, instrument.quoteDigits);

type Sizes = Pick<Body<'INTENT'>, 'symbol' | 'side' | 'qty' | 'amount' | 'price' | 'fp'>;

/** What is asked for, and its fingerprint: by which a list of orders without client order ids tells it from others (order-safety, section 6). */
export function sizesOf(order: Order): Sizes {
  const { instrument, side, lots, quoteUnits, limit, reduceOnly } = order;
  const qty = lots > 0 ? qtyText(order, lots) : null;
  const amount = quoteUnits > 0 ? moneyText(instrument, quoteUnits) : null;
  const price = limit > 0 ? priceText(instrument, limit) : null;
  const opens = instrument.market === 'spot' ? '' : reduceOnly ? 'CLOSE' : 'OPEN';
  const what = price === null ? 'MARKET|' : `LIMIT|${price}`;
  const fp = `${instrument.market}|${instrument.wireName}|${side}|${opens}|${what}|${qty ?? ''}|${amount ?? ''}`;
  return { symbol: instrument.id, side, qty, amount, price, fp };
}

type Guards = Pick<Body<'INTENT'>, 'takeProfit' | 'stopLoss' | 'trailing' | 'trigger' | 'condition' | 'rises'>;

/** What guards an order and what it waits for, in prices. */
export function guardsOf({ instrument, takeProfit, stopLoss, trailing, trigger, condition, rises }: Order): Guards {
  const price = (ticks: number | undefined): string | null => (ticks === undefined || ticks === 0 ? null : priceText(instrument, ticks));
  return {
    takeProfit: price(takeProfit),
    stopLoss: price(stopLoss),
    trailing: price(trailing),
    trigger: price(trigger),
    condition: price(condition),
    rises: rises === true,
  };
}

/** Members stand as in the table of records: such a body is written as it is. */
export function intentOf(order: Order, said: Pick<Body<'INTENT'>, 'cid' | 'reason' | 'riskReserve'>): Body<'INTENT'> {
  const { symbol, side, qty, amount, price, fp } = sizesOf(order);
  const { takeProfit, stopLoss, trailing, trigger, condition, rises } = guardsOf(order);
  return {
    cid: said.cid,
    order: order.id,
    strategy: order.strategy,
    symbol,
    side,
    role: order.role,
    qty,
    amount,
    price,
    reduceOnly: order.reduceOnly,
    timeInForce: order.timeInForce,
    fp,
    slot: order.slot,
    reason: said.reason,
    parent: order.parent,
    takeProfit,
    stopLoss,
    trailing,
    trigger,
    condition,
    rises,
    riskReserve: said.riskReserve,
    createdMs: order.createdMs,
  };
}

/** What a draft asks for, and what it waits for. */
export function draftOf(order: Order, { ahead, replaced, targetLots }: Waits): Omit<Body<'DRAFT'>, 'cid'> {
  const { instrument } = order;
  const { symbol, side, qty, amount, price } = sizesOf(order);
  const { takeProfit, stopLoss, trailing, condition, rises } = guardsOf(order);
  return {
    order: order.id,
    strategy: order.strategy,
    symbol,
    side,
    role: order.role,
    qty,
    amount,
    price,
    reduceOnly: order.reduceOnly,
    timeInForce: order.timeInForce,
    slot: order.slot,
    takeProfit,
    stopLoss,
    trailing,
    condition,
    rises: rises === true,
    createdMs: order.createdMs,
    ahead,
    replaced:
      replaced === null
        ? null
        : {
            side: replaced.side,
            qty: qtyText(order, replaced.lots),
            amount: moneyText(instrument, replaced.quoteUnits),
            filled: qtyText(order, replaced.filledLots),
            spent: moneyText(instrument, replaced.filledUnits),
          },
    target: Number.isNaN(targetLots) ? null : fromScaled(targetLots, instrument.quantityDigits),
  };
}

type Execution = Pick<
  Body<'FILL'>,
  'symbol' | 'side' | 'qty' | 'price' | 'notional' | 'fee' | 'feeCoin' | 'maker' | 'executedMs' | 'filled' | 'last'
>;

/** An execution of an order of ours, after it was booked. */
export function executionOf(order: Order, { price, lots, notional, fee, feeInBase, isMaker, timeMs }: Fill): Execution {
  const { instrument, side } = order;
  return {
    symbol: instrument.id,
    side,
    qty: qtyText(order, lots),
    price: priceText(instrument, price),
    notional: moneyText(instrument, notional),
    fee: feeInBase ? fromScaled(fee, instrument.baseDigits) : moneyText(instrument, fee),
    feeCoin: feeInBase ? instrument.base : instrument.quote,
    maker: isMaker,
    executedMs: timeMs,
    filled: qtyText(order, order.filledLots),
    last: order.lots > 0 && order.filledLots === order.lots,
  };
}
