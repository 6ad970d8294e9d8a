// The value of a quantity of an instrument at a price, in exact decimals: coins by their price, contracts by their face value.

import { Decimal } from '../base/number/decimal.ts';
import type { Instrument } from './instrument.ts';

/** Returns the value in the quote asset, or in the settlement asset of a contract, which for an inverse one is its coin. Not rounded. */
export function notionalOf({ contract }: Pick<Instrument, 'contract'>, qty: Decimal, price: Decimal): Decimal {
  if (contract === undefined) return qty.times(price);
  const face = qty.times(contract.multiplier).div(Decimal.pow(10, contract.multiplierDigits));
  return contract.kind === 'inverse' ? face.div(price) : face.times(price);
}
