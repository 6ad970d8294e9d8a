// Codes of refusals of which a switch has the last word.

import type { Market } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { Profile } from '../dialect/switches.ts';

const { noSuchOrder, noPendingOrder, badPrecision, priceVolumePrecision } = VENUE_CODES;

/** Too many decimals, in the code of the profile: the venue names amounts -1111, prices and quantities -1147. */
export function precisionCode(code: number, { limit }: OrderIntent, { precisionCodes }: Profile): number {
  const isPrecision = code === badPrecision.code || code === priceVolumePrecision.code;
  if (!isPrecision || precisionCodes === 'spec') return code;
  return Number.isInteger(limit) ? priceVolumePrecision.code : badPrecision.code;
}

/** An order to cancel that does not exist. */
export function missingOrderCode(market: Market, { missingOrderCode: code }: Profile): number {
  if (code !== 'perMarket') return Number(code);
  return market === 'spot' ? noSuchOrder.code : noPendingOrder.code;
}
