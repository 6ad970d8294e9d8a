// Converts plain decimal text to scaled integers without decimal.js, for rooms that do not load it.

import { MAX_EXACT } from './exact.ts';

const PLAIN = /^(\d+)(?:\.(\d+))?$/;
const MAX_INTEGER = BigInt(MAX_EXACT);

/** True for text such as "12", "-0.5": digits with an optional sign and point, no exponent, no spaces. */
export function isPlainDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/**
 * Returns a plain decimal >= 0, such as "0.05", in whole units of 10^-digits, rounded down. A value above 2^53 - 1 becomes 2^53 - 1, which
 * is the tighter limit. Null when `text` is not a plain decimal.
 */
export function scaleDown(text: string, digits: number): number | null {
  const match = PLAIN.exec(text);
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  const scaled = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return Number(scaled <= MAX_INTEGER ? scaled : MAX_INTEGER);
}

/** An exact fraction of whole numbers: numerator / denominator. */
export interface Ratio {
  readonly numerator: number;
  /** A power of ten. */
  readonly denominator: number;
}

/**
 * Returns a plain decimal >= 0 as an exact ratio: "1.25" is 125 / 100. Null for other text, or more than nine decimals or fifteen digits.
 */
export function parseRatio(text: string): Ratio | null {
  const match = PLAIN.exec(text);
  if (!match) return null;
  const [, whole = '', digitsAfterPoint = ''] = match;
  const fraction = digitsAfterPoint.replace(/0+$/, '');
  return fraction.length <= 9 && whole.length + fraction.length <= 15
    ? { numerator: Number(whole + fraction), denominator: 10 ** fraction.length }
    : null;
}
