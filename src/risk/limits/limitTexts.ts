// Writes the figures of denials and halts as texts: money in its asset, sizes in coins or contracts, prices in the quote asset.

import type { Ratio } from '../../base/number/decimalText.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import { pow10 } from '../../base/number/exact.ts';
import { sizeText, type Instrument } from '../../model/instrument.ts';
import type { Ledger } from '../../portfolio/ledger.ts';

/** Returns a number of units of 10^-digits as a plain decimal. NaN gives "unknown"; a number that is too large to be exact is rounded. */
function decimalText(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'unknown';
  if (Number.isSafeInteger(value)) return fromScaled(value, digits);
  return String(value / pow10(digits));
}

/** Returns money of the account, such as `17530.74 USDT`. */
export function limitMoneyText(units: number, { cashDigits, cashAsset }: Pick<Ledger, 'cashDigits' | 'cashAsset'>): string {
  return `${decimalText(units, cashDigits)} ${cashAsset}`;
}
/** Returns an amount of the quote asset of an instrument. */
export function quoteText(units: number, { quoteDigits, quote }: Instrument): string {
  return `${decimalText(units, quoteDigits)} ${quote}`;
}
/** Returns units of an instrument's base asset, such as `0.5 BTC`. */
export function baseText(units: number, { baseDigits, base }: Instrument): string {
  return `${decimalText(units, baseDigits)} ${base}`;
}
/** Returns a quantity, such as `0.5 BTC` or `12 contracts`. */
export function lotsText(lots: number, instrument: Instrument): string {
  return sizeText(decimalText(lots, instrument.quantityDigits), instrument);
}
/** Returns a price, such as `65000.5 USDT`. */
export function limitPriceText(ticks: number, { priceDigits, quote }: Instrument): string {
  return `${decimalText(ticks, priceDigits)} ${quote}`;
}
/** Returns a ratio as a decimal, such as `0.03`. */
export function ratioText({ numerator, denominator }: Ratio): string {
  return String(numerator / denominator);
}
