// Converts scaled integers to decimals word by word, because a division by decimal.js takes six times as long.

import { Decimal } from './decimal.ts';
import { MAX_EXACT, pow10 } from './exact.ts';

/** A decimal has its digits in words of seven digits. The point lies between two words. */
const WORD_DIGITS = 7;
const WORD = 1e7;

/** The documented members of a Decimal, under the names of decimal.js. */
interface DecimalMembers {
  /** Sign: 1 or -1. */
  s: number;
  /** Exponent of the first digit. */
  e: number;
  /** The digits in words, the highest first. */
  d: number[];
}

/**
 * Returns `value` / 10^digits exactly. `value`: an integer of at most 2^53 - 1 in size; others are divided as decimal.js does. `digits`: 0
 * to 22.
 */
export function decimalOf(value: number, digits: number): Decimal {
  const size = Math.abs(value);
  if (!(size <= MAX_EXACT) || !Number.isInteger(value)) return new Decimal(value).div(pow10(digits));
  if (value === 0) return new Decimal(value);
  const decimal = new Decimal(0);
  const scale = pow10(digits);
  const whole = Math.floor(size / scale);
  const words: number[] = [];
  const wholeWords = addWhole(words, whole);
  const leadingZeros = addFraction(words, size - whole * scale, digits);
  while (words.at(-1) === 0) words.pop();
  /** Words between the first word and the point: negative if the first word comes after the point. */
  const wordsBeforePoint = wholeWords > 0 ? wholeWords - 1 : -1 - leadingZeros;
  const members = decimal as unknown as DecimalMembers;
  members.d = words;
  members.s = value < 0 ? -1 : 1;
  members.e = digitsOf(words[0]!) - 1 + WORD_DIGITS * wordsBeforePoint;
  return decimal;
}

/** Adds the words of an integer without leading zeros, and returns their number. */
function addWhole(words: number[], whole: number): number {
  if (whole === 0) return 0;
  const high = Math.floor(whole / WORD);
  if (high >= WORD) words.push(Math.floor(high / WORD));
  if (high > 0) words.push(high % WORD);
  words.push(whole % WORD);
  return words.length;
}

/** Adds the words of `fraction` / 10^digits. Returns the number of leading zero words, which it leaves out if `words` is empty. */
function addFraction(words: number[], fraction: number, digits: number): number {
  let leadingZeros = 0;
  for (let [remaining, digitsLeft] = [fraction, digits]; remaining > 0; digitsLeft -= WORD_DIGITS) {
    const isLastWord = digitsLeft <= WORD_DIGITS;
    const unit = isLastWord ? 1 : pow10(digitsLeft - WORD_DIGITS);
    const word = isLastWord ? remaining * pow10(WORD_DIGITS - digitsLeft) : Math.floor(remaining / unit);
    remaining = isLastWord ? 0 : remaining - word * unit;
    if (word === 0 && words.length === 0) leadingZeros++;
    else words.push(word);
  }
  return leadingZeros;
}

/** Returns the number of digits of a whole number above 0. */
function digitsOf(word: number): number {
  let digits = 1;
  for (let quotient = word; quotient >= 10; quotient /= 10) digits++;
  return digits;
}
