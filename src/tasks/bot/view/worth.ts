// Profit and amounts of positions as a live bot shows them, in exact decimals.

import type { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { amountOf } from '../../../model/value.ts';

/** Digits of money in quote assets such as USDT; amounts of coins have all of theirs. */
const MONEY_DIGITS = 2;

/** Profit of a position that was opened at `entry` and stands at `last`. Of an inverse contract it is paid in coins. */
export function profitOf(instrument: Instrument, qty: Decimal, entry: Decimal, last: Decimal, isLong: boolean): Decimal {
  const gain = amountOf(instrument, qty, last).minus(amountOf(instrument, qty, entry));
  const isInverse = instrument.contract?.kind === 'inverse';
  return isLong === isInverse ? gain.negated() : gain;
}

/** An amount as the view says it. */
export function moneyText(amount: Decimal, instrument: Pick<Instrument, 'contract' | 'quoteDigits'>): string {
  return amount.toFixed(instrument.contract?.kind === 'inverse' ? instrument.quoteDigits : MONEY_DIGITS);
}
