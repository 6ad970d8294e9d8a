// Profit and value of positions for the view, in exact decimals.

import type { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { notionalOf } from '../../../model/value.ts';

/** Digits of money in quote assets such as USDT. Amounts of coins keep all their digits. */
const MONEY_DIGITS = 2;

/**
 * Returns the profit of a position opened at `entry`, at the price `last`. The value of an inverse contract is in coins and falls as the price
 * rises.
 */
export function positionProfit(instrument: Instrument, qty: Decimal, entry: Decimal, last: Decimal, isLong: boolean): Decimal {
  const valueChange = notionalOf(instrument, qty, last).minus(notionalOf(instrument, qty, entry));
  const isInverse = instrument.contract?.kind === 'inverse';
  return isLong === isInverse ? valueChange.negated() : valueChange;
}

/** Formats an amount for the view. */
export function positionMoneyText(amount: Decimal, instrument: Pick<Instrument, 'contract' | 'quoteDigits'>): string {
  return amount.toFixed(instrument.contract?.kind === 'inverse' ? instrument.quoteDigits : MONEY_DIGITS);
}
