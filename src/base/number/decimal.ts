// Converts between decimal text and scaled integers. Other rooms take decimal.js from here.

import { Decimal } from 'decimal.js';
import { exact } from './exact.ts';

export { Decimal };

/** The result of `scaledShort` for text that it does not read. */
const OTHER_TEXT = -1;

/** Returns `value` scaled to an integer of 10^-digits; null when it is finer than that, or not a plain decimal. */
export function toScaled(value: string | Decimal, digits: number): number | null {
  const shortResult = typeof value === 'string' ? scaledShort(value, digits) : OTHER_TEXT;
  if (shortResult !== OTHER_TEXT) return shortResult;
  const scaled = new Decimal(value).times(powerOfTen(digits));
  return scaled.isInteger() ? exact(scaled.toNumber()) : null;
}

const CODE_0 = 48;
const CODE_9 = 57;
/** Any number of this many digits is a safe integer. */
const MAX_SAFE_DIGITS = 15;

/**
 * Returns the result of `toScaled` for a short decimal without a sign, which is faster than decimal.js. OTHER_TEXT for any other text.
 */
function scaledShort(text: string, digits: number): number | null {
  const pointAt = text.indexOf('.');
  const wholeLength = pointAt < 0 ? text.length : pointAt;
  if (wholeLength === 0 || pointAt === text.length - 1 || wholeLength + digits > MAX_SAFE_DIGITS || digits < 0) return OTHER_TEXT;
  let scaled = 0;
  let isFiner = false;
  for (let index = 0; index < text.length; index++) {
    if (index === pointAt) continue;
    const code = text.charCodeAt(index);
    if (code < CODE_0 || code > CODE_9) return OTHER_TEXT;
    if (pointAt < 0 || index <= pointAt + digits) scaled = scaled * 10 + code - CODE_0;
    else isFiner ||= code !== CODE_0;
  }
  if (isFiner) return null;
  const places = pointAt < 0 ? 0 : Math.min(text.length - pointAt - 1, digits);
  return scaled * 10 ** (digits - places);
}

const powers: Decimal[] = [];
/** Returns 10^digits. */
const powerOfTen = (digits: number): Decimal => (powers[digits] ??= Decimal.pow(10, digits));

/** Returns `value` in whole units of 10^-digits, rounded to the nearest one. */
export function nearestScaled(value: string | Decimal, digits: number): number {
  return new Decimal(value).times(powerOfTen(digits)).round().toNumber();
}

/** JavaScript writes numbers from here on with an exponent. */
const EXPONENT_FROM = 1e21;

/** Returns all digits of a whole number. */
const wholeText = (value: number): string => (value < EXPONENT_FROM ? String(value) : BigInt(value).toString());

/** Returns the plain decimal text of an integer of 10^-digits, without trailing zeros: fromScaled(12340, 3) is "12.34". */
export function fromScaled(value: number, digits: number): string {
  if (digits === 0 && Math.abs(value) < EXPONENT_FROM) return String(value);
  const sign = value < 0 ? '-' : '';
  const text = wholeText(Math.abs(value));
  if (digits === 0) return sign + text;
  // Number of digits before the point; 0 or less if all digits are after it.
  const wholeCount = text.length - digits;
  let endOfDigits = text.length;
  while (endOfDigits > wholeCount && endOfDigits > 0 && text.charCodeAt(endOfDigits - 1) === CODE_0) endOfDigits--;
  if (endOfDigits === 0) return '0';
  if (wholeCount <= 0) return `${sign}0.${'0'.repeat(-wholeCount)}${text.slice(0, endOfDigits)}`;
  const whole = sign + text.slice(0, wholeCount);
  return endOfDigits === wholeCount ? whole : `${whole}.${text.slice(wholeCount, endOfDigits)}`;
}
