// Plain decimal text to scaled integers without a decimal library: for limits, in rooms where decimal.js has no home.

import { MAX_EXACT } from './exact.ts';

const PLAIN = /^(\d+)(?:\.(\d+))?$/;
const MAX_INTEGER = BigInt(MAX_EXACT);

/**
 * The largest whole number of 10^-digits that is not above `text`, a plain decimal >= 0 such as "12" or "0.05". What lies above
 * 2^53 - 1 becomes 2^53 - 1: as an upper limit that is the tighter one. Null when `text` is no plain decimal.
 */
export function scaledDown(text: string, digits: number): number | null {
  const found = PLAIN.exec(text);
  if (!found) return null;
  const [, whole = '', part = ''] = found;
  const scaled = BigInt(whole + part.slice(0, digits).padEnd(digits, '0'));
  return Number(scaled <= MAX_INTEGER ? scaled : MAX_INTEGER);
}

/** A fraction of whole numbers, exactly: over / under. */
export interface Ratio {
  readonly numerator: number;
  /** A power of ten. */
  readonly denominator: number;
}

/** A plain decimal >= 0 as an exact ratio: "1.25" is 125 / 100. Null when it is none, or has more than nine decimals or fifteen digits. */
export function parseRatio(text: string): Ratio | null {
  const found = PLAIN.exec(text);
  if (!found) return null;
  const [, whole = '', tail = ''] = found;
  const part = tail.replace(/0+$/, '');
  return part.length <= 9 && whole.length + part.length <= 15 ? { numerator: Number(whole + part), denominator: 10 ** part.length } : null;
}
