// One line of a bar file, from bytes to numbers: exact, and without a string a field.

import { pow10 } from '../../../base/number/exact.ts';

const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
/** Powers of ten that are exact in a double: an integer below 2^53 divided by one rounds to the double nearest to the decimal. */
const POWERS = Array.from({ length: 23 }, (_, digits) => pow10(digits));

/** A plain decimal read from bytes. One object is used over and over. */
export class DecimalReader {
  /** The double nearest to the decimal. */
  value = 0;
  /** Digits behind the point, without trailing zeros. */
  digits = 0;
  /** Where reading ended: at a comma or at the end of the line. */
  next = 0;
  /** All digits as an integer, and how many of them stood behind the point; valid while `whole` is at most 2^53 - 1. */
  whole = 0;
  places = 0;

  /** Reads `digits[.digits]` from `at`; false when there is anything else before the next comma. */
  read(bytes: Uint8Array, at: number, end: number): boolean {
    let i = at;
    let whole = 0;
    let byte = 0;
    for (; i < end; i++) {
      byte = bytes[i]! - ZERO;
      if (byte < 0 || byte > 9) break;
      whole = whole * 10 + byte;
    }
    if (i === at) return false;
    let places = 0;
    let digits = 0;
    if (i < end && bytes[i] === POINT) {
      const first = ++i;
      for (; i < end; i++) {
        byte = bytes[i]! - ZERO;
        if (byte < 0 || byte > 9) break;
        whole = whole * 10 + byte;
        if (byte !== 0) digits = i - first + 1;
      }
      places = i - first;
      if (places === 0) return false;
    }
    if (i < end && bytes[i] !== COMMA) return false;
    this.next = i;
    this.digits = digits;
    this.whole = whole;
    this.places = places;
    const exact = whole <= Number.MAX_SAFE_INTEGER && places < POWERS.length;
    this.value = exact ? whole / POWERS[places]! : Number(bytesToText(bytes, at, i));
    return true;
  }

  /** After `read` of the field that starts at `at`: rounds to `digits` behind the point, a half upwards, exactly. */
  round(bytes: Uint8Array, at: number, digits: number): void {
    const [whole, part = ''] = bytesToText(bytes, at, this.next).split('.');
    const kept = BigInt(whole + part.slice(0, digits));
    const up = part.charCodeAt(digits) >= ZERO + 5 ? 1n : 0n;
    this.value = Number(kept + up) / POWERS[digits]!;
    this.digits = digits;
  }
}

export function bytesToText(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}
