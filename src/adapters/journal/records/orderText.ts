// Converts orders and fills to the decimal text of journal records.

import { fromScaled } from '../../../base/number/decimal.ts';
import type { Ticks } from '../../../base/brand.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Ladder, Order } from '../../../model/order.ts';
import type { Waits } from '../../../ports/journal.ts';
import { PERCENT_DIGITS, SHARE_DIGITS } from './recordDecimals.ts';
import type { RecordBody } from './records.ts';

/** Returns lots as a decimal quantity. */
export const qtyText = ({ instrument }: Pick<Order, 'instrument'>, lots: number): string => fromScaled(lots, instrument.quantityDigits);
/** Returns ticks as a decimal price. */
export const recordPriceText = (instrument: Instrument, ticks: number): string => fromScaled(ticks, instrument.priceDigits);
/** Returns units of the quote asset as decimal money. */
export const recordMoneyText = (instrument: Instrument, units: number): string => fromScaled(units, instrument.quoteDigits);

type Sizes = Pick<RecordBody<'INTENT'>, 'symbol' | 'side' | 'qty' | 'amount' | 'price' | 'fp'>;

/** Returns the terms of an order and its fingerprint, which identifies it in lists without client order ids (order-safety, section 6). */
export function sizesOf(order: Order): Sizes {
  const { instrument, side, lots, quoteUnits, limit, reduceOnly } = order;
  const qty = lots > 0 ? qtyText(order, lots) : null;
  const amount = quoteUnits > 0 ? recordMoneyText(instrument, quoteUnits) : null;
  const price = limit > 0 ? recordPriceText(instrument, limit) : null;
  const action = reduceOnly ? 'CLOSE' : 'OPEN';
  const positionAction = instrument.market === 'spot' ? '' : action;
  const typeAndPrice = price === null ? 'MARKET|' : `LIMIT|${price}`;
  const fp = `${instrument.market}|${instrument.wireName}|${side}|${positionAction}|${typeAndPrice}|${qty ?? ''}|${amount ?? ''}`;
  return { symbol: instrument.id, side, qty, amount, price, fp };
}

/** The prices of an order's bracket and of its triggers, as texts of the journal. */
export type GuardTexts = Pick<
  RecordBody<'INTENT'>,
  'takeProfit' | 'targets' | 'stopLoss' | 'trailing' | 'trailingPercent' | 'trailingFrom' | 'trigger' | 'condition' | 'rises'
>;

/** Returns the prices of an order's bracket and of its triggers. */
export function guardsOf({
  instrument,
  takeProfit,
  ladder = null,
  stopLoss,
  trailing,
  trailingPpm = 0,
  trailingFrom = 0 as Ticks,
  firedAtTicks,
  triggerTicks,
  triggersAbove,
}: Order): GuardTexts & { readonly rises: boolean } {
  const priceText = (ticks: number | undefined): string | null =>
    ticks === undefined || ticks === 0 ? null : recordPriceText(instrument, ticks);
  return {
    takeProfit: priceText(takeProfit),
    targets: ladder === null ? undefined : ladderText(instrument, ladder),
    stopLoss: priceText(stopLoss),
    trailing: priceText(trailing),
    trailingPercent: trailingPpm > 0 ? fromScaled(trailingPpm, PERCENT_DIGITS) : undefined,
    trailingFrom: priceText(trailingFrom) ?? undefined,
    trigger: priceText(firedAtTicks),
    condition: priceText(triggerTicks),
    rises: triggersAbove === true,
  };
}

/** Returns several take-profit targets as text, such as `105.5:0.6 110:0.4`. */
const ladderText = (instrument: Instrument, ladder: Ladder): string =>
  ladder.map(({ at, sharePpm }) => `${recordPriceText(instrument, at)}:${fromScaled(sharePpm, SHARE_DIGITS)}`).join(' ');

type Terms = Pick<RecordBody<'DRAFT'>, 'order' | 'strategy' | 'role' | 'reduceOnly' | 'timeInForce' | Exclude<keyof Sizes, 'fp'>>;

/** Returns the terms that all records of an order have. Members have the sequence of the record table, here and below. */
function termsOf({ id, strategy, role, reduceOnly, timeInForce }: Order, { symbol, side, qty, amount, price }: Sizes): Terms {
  return { order: id, strategy, symbol, side, role, qty, amount, price, reduceOnly, timeInForce };
}

/** Returns the record of an approved order. */
export function intentOf(order: Order, ownMembers: Pick<RecordBody<'INTENT'>, 'cid' | 'reason' | 'riskReserve'>): RecordBody<'INTENT'> {
  const sizes = sizesOf(order);
  return {
    cid: ownMembers.cid,
    ...termsOf(order, sizes),
    fp: sizes.fp,
    slot: order.slot,
    reason: ownMembers.reason,
    parent: order.parent,
    ...guardsOf(order),
    amends: order.amends === undefined || order.amends === 0 ? undefined : order.amends,
    riskReserve: ownMembers.riskReserve,
    createdMs: order.createdMs,
  };
}

/** Returns the record of a draft, with the orders that it waits for. */
export function draftOf(order: Order, { ahead, replaced, targetLots }: Waits): Omit<RecordBody<'DRAFT'>, 'cid'> {
  const { instrument } = order;
  const { trigger: _trigger, ...guards } = guardsOf(order);
  return {
    ...termsOf(order, sizesOf(order)),
    slot: order.slot,
    ...guards,
    createdMs: order.createdMs,
    ahead,
    replaced: replaced === null ? null : replacedText(order, replaced),
    target: Number.isNaN(targetLots) ? null : fromScaled(targetLots, instrument.quantityDigits),
  };
}

/** Returns the side, size and fills of the order that a draft replaces. */
function replacedText(order: Order, { side, lots, quoteUnits, filledLots, filledUnits }: NonNullable<Waits['replaced']>) {
  const { instrument } = order;
  return {
    side,
    qty: qtyText(order, lots),
    amount: recordMoneyText(instrument, quoteUnits),
    filled: qtyText(order, filledLots),
    spent: recordMoneyText(instrument, filledUnits),
  };
}

type Execution = Pick<
  RecordBody<'FILL'>,
  'symbol' | 'side' | 'qty' | 'price' | 'notional' | 'fee' | 'feeCoin' | 'maker' | 'executedMs' | 'filled' | 'last'
>;

/** Returns the execution of an order, after it was booked. */
export function executionOf(order: Order, { price, lots, notional, fee, feeInBase, isMaker, timeMs }: Fill): Execution {
  const { instrument, side } = order;
  return {
    symbol: instrument.id,
    side,
    qty: qtyText(order, lots),
    price: recordPriceText(instrument, price),
    notional: recordMoneyText(instrument, notional),
    fee: feeInBase ? fromScaled(fee, instrument.baseDigits) : recordMoneyText(instrument, fee),
    feeCoin: feeInBase ? instrument.base : instrument.quote,
    maker: isMaker,
    executedMs: timeMs,
    filled: qtyText(order, order.filledLots),
    last: order.lots > 0 && order.filledLots === order.lots,
  };
}
