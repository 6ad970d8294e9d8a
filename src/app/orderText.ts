// Describes an order as text.

import type { Ticks } from '../base/brand.ts';
import { fromScaled } from '../base/number/decimal.ts';
import { type Instrument, sizeText } from '../model/instrument.ts';
import type { Order } from '../model/order.ts';

/** Returns an order as text, such as `buy 0.5 BTC of BTCUSDT at 65000`. */
export function orderText(order: Order): string {
  const { side, lots, quoteUnits, instrument, reduceOnly } = order;
  const size = orderSizeText(lots, quoteUnits, instrument);
  const price = `${orderPriceText(order)}${triggerText(order)}`;
  return `${side} ${size} of ${instrument.wireName}${price}${reduceOnly ? ', reducing' : ''}`;
}

/** Returns the size as text. A denied order can have an invalid size. */
function orderSizeText(lots: number, quoteUnits: number, instrument: Instrument): string {
  if (!Number.isSafeInteger(lots) || !Number.isSafeInteger(quoteUnits)) return 'an invalid quantity';
  if (lots !== 0) return sizeText(fromScaled(lots, instrument.quantityDigits), instrument);
  return `for ${fromScaled(quoteUnits, instrument.quoteDigits)} ${instrument.quote}`;
}

/** Returns the limit. That of a market order is its collar: the most that a buy pays, and the least that a sell takes. */
function orderPriceText({ limit, role, side, instrument }: Order): string {
  if (limit === 0) return ' at the market';
  if (!Number.isSafeInteger(limit)) return ' at an invalid price';
  const collar = side === 'buy' ? 'at most' : 'at least';
  return ` ${role === 'market' ? collar : 'at'} ${fromScaled(limit, instrument.priceDigits)}`;
}

/** Returns the price for which a trigger order or a stop entry waits. */
function triggerText({ triggerTicks = 0 as Ticks, triggersAbove = false, instrument }: Order): string {
  if (triggerTicks === 0) return '';
  return ` once the price is at or ${triggersAbove ? 'above' : 'below'} ${fromScaled(triggerTicks, instrument.priceDigits)}`;
}
