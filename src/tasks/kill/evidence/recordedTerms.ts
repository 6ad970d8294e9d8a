// The terms of orders as the journal records them, and the same terms in the whole numbers that a kill compares.

import type { Lots, Ticks } from '../../../base/brand.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { LostOrder } from '../plan/attribution.ts';

/** A slice of the kill that is about to be sent. */
export interface SentSlice {
  readonly cid: string;
  readonly strategy: number;
  readonly instrument: Instrument;
  readonly side: Side;
  readonly qty: string;
  readonly price: string;
  readonly signMs: number;
  readonly latestMs: number;
}

/** Returns the side of the position that an order changes. Only two-way mode has long and short apart. */
export const positionSideOf = (side: Side, closes: boolean): Side => (closes === (side === 'buy') ? 'sell' : 'buy');

/** Returns a price in ticks; 0 without a price. */
export const recordedTicks = (price: string | null, { priceDigits }: Instrument): number =>
  price === null ? 0 : (toScaled(price, priceDigits) ?? 0);

/** Returns the terms of an order in whole numbers. */
export function requestTermsOf(
  instrument: Instrument,
  order: { readonly side: Side; readonly qty: string | null; readonly price: string | null; readonly reduceOnly: boolean },
): LostOrder['request'] {
  const { side, qty, price, reduceOnly } = order;
  return {
    instrument,
    side,
    reduceOnly,
    lots: (qty === null ? 0 : (toScaled(qty, instrument.quantityDigits) ?? 0)) as Lots,
    limit: recordedTicks(price, instrument) as Ticks,
  };
}
