// Parses decimals in a line of bytes exactly, without creating a string for each field.

import { pow10 } from '../../../base/number/exact.ts';

const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;

/** Powers of ten that a double holds exactly. An integer below 2^53 divided by one rounds to the double nearest to the decimal. */
const POWERS = Array.from({ length: 23 }, (_, digits) => pow10(digits));

/** Reads a plain decimal from bytes. One object is reused for all fields. */
export class DecimalReader {
  /** The double nearest to the decimal. */
  value = 0;
  /** Number of decimals, without trailing zeros. */
  digits = 0;
  /** Position at which reading ended: a comma or the end of the line. */
  endPosition = 0;
  /** All digits as an integer. Exact while it is at most 2^53 - 1. */
  digitsValue = 0;
  /** Number of decimals as written, with trailing zeros. */
  places = 0;

  /** Reads `digits[.digits]` from `start`. Returns false if anything else precedes the next comma. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let position = start;
    let digitsValue = 0;
    let digit = 0;
    for (; position < end; position++) {
      digit = bytes[position]! - ZERO;
      if (digit < 0 || digit > 9) break;
      digitsValue = digitsValue * 10 + digit;
    }
    if (position === start) return false;
    let places = 0;
    let digits = 0;
    if (position < end && bytes[position] === POINT) {
      const firstDecimal = ++position;
      for (; position < end; position++) {
        digit = bytes[position]! - ZERO;
        if (digit < 0 || digit > 9) break;
        digitsValue = digitsValue * 10 + digit;
        if (digit !== 0) digits = position - firstDecimal + 1;
      }
      places = position - firstDecimal;
      if (places === 0) return false;
    }
    if (position < end && bytes[position] !== COMMA) return false;
    this.endPosition = position;
    this.digits = digits;
    this.digitsValue = digitsValue;
    this.places = places;
    const isExact = digitsValue <= Number.MAX_SAFE_INTEGER && places < POWERS.length;
    this.value = isExact ? digitsValue / POWERS[places]! : Number(bytesToText(bytes, start, position));
    return true;
  }

  /** Rounds the value exactly to `digits` decimals, half up. Call it after `read` of the field at `start`. */
  round(bytes: Uint8Array, start: number, digits: number): void {
    const [integerPart, decimals = ''] = bytesToText(bytes, start, this.endPosition).split('.');
    const truncatedValue = BigInt(integerPart + decimals.slice(0, digits));
    const roundUp = decimals.charCodeAt(digits) >= ZERO + 5 ? 1n : 0n;
    this.value = Number(truncatedValue + roundUp) / POWERS[digits]!;
    this.digits = digits;
  }
}

/** Returns the bytes from `from` to before `to` as Latin-1 text. */
export function bytesToText(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}
