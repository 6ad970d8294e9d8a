// Parses the text of an order request into an order intent in whole numbers, or into the code of the first invalid field.

import { lots, ticks, units } from '../base/brand.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderIntent } from '../model/order.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** The fields of a new order as on the wire (spec 4.1); null or absent: not sent. Numbers are text, digit by digit. */
export interface OrderText {
  readonly symbol?: string | null;
  /** Base quantity; for a MARKET BUY the quote amount. */
  readonly volume?: string | null;
  readonly side?: string | null;
  readonly type?: string | null;
  readonly price?: string | null;
}

/** The intent of a valid request, or the error code of an invalid one. */
export type ParsedOrder = { readonly ok: true; readonly intent: OrderIntent } | { readonly ok: false; readonly code: number };

/**
 * Parses an order. Step 12 of the order of checks (exchange dialect, 10.1). Each field, in the order of the specification's table, is
 * present and has a valid type and value. `instrumentOf` knows symbols in upper case. `Venue.place` makes the later checks: it refuses a
 * number finer than its scale, which becomes a fraction here, and one below its minimum.
 */
export function parseOrder(fields: OrderText, instrumentOf: (symbol: string) => Instrument | undefined): ParsedOrder {
  const instrument = instrumentOf((fields.symbol ?? '').toUpperCase());
  if (instrument === undefined) return refusal(VENUE_CODES.badSymbol.code);
  const { volume, side, type, price } = fields;
  const badVolumeOrSide = missingCode(volume) ?? notNumberCode(volume) ?? missingCode(side);
  if (badVolumeOrSide !== null) return refusal(badVolumeOrSide);
  if (side !== 'BUY' && side !== 'SELL') return refusal(VENUE_CODES.invalidSide.code);
  const badType = missingCode(type);
  if (badType !== null) return refusal(badType);
  if (type !== 'LIMIT' && type !== 'MARKET') return refusal(VENUE_CODES.invalidOrderType.code);

  const limit = type === 'LIMIT' ? scaleText(price ?? '', instrument.priceDigits) : 0;
  if (type === 'LIMIT') {
    const badPrice = missingCode(price) ?? notNumberCode(price);
    if (badPrice !== null) return refusal(badPrice);
    if (limit <= 0) return refusal(VENUE_CODES.mandatoryParamEmpty.code);
  }
  const isByAmount = type === 'MARKET' && side === 'BUY';
  const size = scaleText(volume ?? '', isByAmount ? instrument.quoteDigits : instrument.quantityDigits);
  const intent: OrderIntent = {
    instrument,
    side: side === 'BUY' ? 'buy' : 'sell',
    role: type === 'LIMIT' ? 'limit' : 'market',
    lots: lots(isByAmount ? 0 : size),
    quoteUnits: units(isByAmount ? size : 0),
    limit: ticks(limit),
    reduceOnly: false,
    timeInForce: null,
    slot: '',
  };
  return { ok: true, intent };
}

/** Returns the result for an order that is refused with a code. */
function refusal(code: number): ParsedOrder {
  return { ok: false, code };
}

/** Returns the error code of a parameter that is absent or empty. Null if it is present. */
function missingCode(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return VENUE_CODES.mandatoryParamEmpty.code;
  return text === '' ? VENUE_CODES.paramEmpty.code : null;
}

/** A JSON number or a plain decimal, up to the length that a number with an exponent may have when written out. */
const NUMBER = /^(-?)(\d{1,1300})(?:\.(\d{1,1300}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Returns the error code of a text that is not a number. Null for a number. */
function notNumberCode(text: string | null | undefined): number | null {
  return NUMBER.test(text ?? '') ? null : VENUE_CODES.mandatoryParamEmpty.code;
}

const MAX_HALF = 2n ** 52n - 1n;

/**
 * Returns the value x 10^digits if that is a whole number below 2^53; Infinity above. A value finer than the scale becomes its floor plus a
 * half, so that the venue refuses it. From 2^52 on doubles have no halves, so it becomes NaN, which the venue refuses with the same code.
 */
export function scaleText(text: string, digits: number): number {
  const scaled = scaleShortText(text, digits);
  if (scaled !== null) return scaled;
  const match = NUMBER.exec(text);
  if (match === null) return NAN;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = digits + Number(exponent) - fraction.length;
  const digitsAsInteger = BigInt(whole + fraction);
  const power = 10n ** BigInt(Math.abs(shift));
  const value = shift >= 0 ? digitsAsInteger * power : digitsAsInteger / power;
  const isWhole = shift >= 0 || value * power === digitsAsInteger;
  if (!isWhole && value > MAX_HALF) return NAN;
  const size = value <= MAX_WHOLE ? Number(value) + (isWhole ? 0 : 0.5) : INFINITY;
  return sign === '-' ? -size : size;
}

const MAX_WHOLE = BigInt(Number.MAX_SAFE_INTEGER);

const [ZERO, NINE, POINT] = [48, 57, 46];
/** A number with at most this many digits is always below 2^53. */
const MAX_EXACT_DIGITS = 15;

/** Does the same for a few plain digits, the usual case. Null if the text has another form, or is finer than the scale. */
function scaleShortText(text: string, digits: number): number | null {
  if (text.length > MAX_EXACT_DIGITS) return null;
  let value = 0;
  let point = -1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO && code <= NINE) value = value * 10 + code - ZERO;
    else if (code === POINT && point < 0 && index > 0) point = index;
    else return null;
  }
  const places = point < 0 ? 0 : text.length - 1 - point;
  // A point needs digits on both sides, and the scaled value must be whole and exact.
  const isExact = text !== '' && (point < 0 || places > 0) && places <= digits && text.length + digits - places <= MAX_EXACT_DIGITS;
  return isExact ? value * 10 ** (digits - places) : null;
}
