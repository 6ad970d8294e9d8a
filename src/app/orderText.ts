// Describes an order as text.

import type { Ticks } from '../base/brand.ts';
import { fromScaled } from '../base/number/decimal.ts';
import { type Instrument, sizeText } from '../model/instrument.ts';
import type { Order } from '../model/order.ts';

/** Returns an order as text, such as `buy 0.5 BTC of BTCUSDT at 65000`. */
export function orderText(order: Order): string {
  const { side, lots, quoteUnits, limit, instrument, role, reduceOnly } = order;
  const size = orderSizeText(lots, quoteUnits, instrument);
  const price = `${orderPriceText(limit, role, instrument)}${triggerText(order)}`;
  return `${side} ${size} of ${instrument.wireName}${price}${reduceOnly ? ', reducing' : ''}`;
}

/** Returns the size as text. A denied order can have an invalid size. */
function orderSizeText(lots: number, quoteUnits: number, instrument: Instrument): string {
  if (!Number.isSafeInteger(lots) || !Number.isSafeInteger(quoteUnits)) return 'an invalid quantity';
  if (lots !== 0) return sizeText(fromScaled(lots, instrument.quantityDigits), instrument);
  return `for ${fromScaled(quoteUnits, instrument.quoteDigits)} ${instrument.quote}`;
}

function orderPriceText(limit: number, role: Order['role'], { priceDigits }: Instrument): string {
  if (limit === 0) return ' at the market';
  if (!Number.isSafeInteger(limit)) return ' at an invalid price';
  return ` ${role === 'market' ? 'at most' : 'at'} ${fromScaled(limit, priceDigits)}`;
}

/** Returns the price for which a trigger order or a stop entry waits. */
function triggerText({ triggerTicks = 0 as Ticks, triggersAbove = false, instrument }: Order): string {
  if (triggerTicks === 0) return '';
  return ` once the price is at or ${triggersAbove ? 'above' : 'below'} ${fromScaled(triggerTicks, instrument.priceDigits)}`;
}
