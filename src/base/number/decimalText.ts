// Converts plain decimal text to scaled integers without decimal.js, for limits in rooms that do not use it.

import { MAX_EXACT } from './exact.ts';

const PLAIN = /^(\d+)(?:\.(\d+))?$/;
const MAX_INTEGER = BigInt(MAX_EXACT);

/**
 * Returns the largest whole number of 10^-digits that is not above `text`, a plain decimal >= 0 such as "12" or "0.05". A value above 2^53
 * - 1 becomes 2^53 - 1: as an upper limit that is the tighter one. Null when `text` is not a plain decimal.
 */
export function scaleDown(text: string, digits: number): number | null {
  const found = PLAIN.exec(text);
  if (!found) return null;
  const [, whole = '', part = ''] = found;
  const scaled = BigInt(whole + part.slice(0, digits).padEnd(digits, '0'));
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
  const found = PLAIN.exec(text);
  if (!found) return null;
  const [, whole = '', tail = ''] = found;
  const part = tail.replace(/0+$/, '');
  return part.length <= 9 && whole.length + part.length <= 15 ? { numerator: Number(whole + part), denominator: 10 ** part.length } : null;
}
