// The edge between decimal text and scaled integers; decimal.js stands here and nowhere between a parsed size and the venue.

import { Decimal } from 'decimal.js';
import { exact } from './exact.ts';

export { Decimal };

/** `value` scaled to an integer of 10^-digits; null when it is finer than that, or no plain decimal. */
export function toScaled(value: string | Decimal, digits: number): number | null {
  const scaled = new Decimal(value).times(Decimal.pow(10, digits));
  return scaled.isInteger() ? exact(scaled.toNumber()) : null;
}

/** The plain decimal text of an integer of 10^-digits, without trailing zeros: fromScaled(12340, 3) is "12.34". */
export function fromScaled(value: number, digits: number): string {
  if (digits === 0) return String(value);
  const sign = value < 0 ? '-' : '';
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  const whole = text.slice(0, -digits);
  const part = text.slice(-digits).replace(/0+$/, '');
  return part === '' ? sign + whole : `${sign}${whole}.${part}`;
}

/** True for text such as "12", "-0.5": digits with an optional sign and point, no exponent, no spaces. */
export function isPlainDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
