// Computes the notional of a quantity at a price, in exact decimals.

import { Decimal } from '../base/number/decimal.ts';
import type { Instrument } from './instrument.ts';

/** Returns the notional in the quote asset, or in the settlement asset of a contract, without rounding. */
export function notionalOf({ contract }: Pick<Instrument, 'contract'>, qty: Decimal, price: Decimal): Decimal {
  if (contract === undefined) return qty.times(price);
  const face = qty.times(contract.multiplier).div(Decimal.pow(10, contract.multiplierDigits));
  return contract.kind === 'inverse' ? face.div(price) : face.times(price);
}
