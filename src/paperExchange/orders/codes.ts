// Refusal codes that a switch of the profile decides.

import type { Market } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { Profile } from '../dialect/switches.ts';

const { noSuchOrder, noPendingOrder, badPrecision, priceVolumePrecision } = VENUE_CODES;

/** Returns the profile's code for too many decimals. The venue uses -1111 for amounts, -1147 for prices and quantities. */
export function precisionCode(code: number, { limit }: OrderIntent, { precisionCodes }: Profile): number {
  const isPrecisionCode = code === badPrecision.code || code === priceVolumePrecision.code;
  if (!isPrecisionCode || precisionCodes === 'spec') return code;
  return Number.isInteger(limit) ? priceVolumePrecision.code : badPrecision.code;
}

/** Returns the code for the cancellation of an order that does not exist. */
export function missingOrderCode(market: Market, { missingOrderCode: code }: Profile): number {
  if (code !== 'perMarket') return Number(code);
  return market === 'spot' ? noSuchOrder.code : noPendingOrder.code;
}
