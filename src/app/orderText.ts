// Describes an order as text.

import { fromScaled } from '../base/number/decimal.ts';
import { type Instrument, sizeText } from '../model/instrument.ts';
import type { Order } from '../model/order.ts';

/** Returns an order as text, such as `buy 0.5 BTC of BTCUSDT at 65000`. */
export function orderText({ side, lots, quoteUnits, limit, instrument, role, reduceOnly }: Order): string {
  const size = orderSizeText(lots, quoteUnits, instrument);
  return `${side} ${size} of ${instrument.wireName}${orderPriceText(limit, role, instrument)}${reduceOnly ? ', reducing' : ''}`;
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
