// Lossless JSON: numbers keep their exact text, and objects are maps.

import { InvariantError } from '../../base/errors.ts';

/** A number as plain decimal text, such as `1322738336974712847` or `65000.00`. An exponent is written out; nothing else is changed. */
export class JsonNumber {
  /** The number as it was written. */
  readonly text: string;
  /** `text` must be a plain JSON decimal. `jsonNumber` and the parser check that. */
  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON object as a map, so that a key such as `__proto__` is an ordinary key, and numeric keys keep their position. */
export type JsonObject = ReadonlyMap<string, Json>;
/** A JSON value. Numbers keep their text, so that no digit is lost. */
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject;

/** A JSON number without an exponent. */
const PLAIN = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Returns the number for plain decimal text such as `0.10`, or for a whole number. Throws InvariantError for any other text. */
export function jsonNumber(value: string | number): JsonNumber {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return new JsonNumber(String(value));
  const text = typeof value === 'number' ? String(value) : value;
  if (!PLAIN.test(text)) throw new InvariantError(`${text} is not a number of JSON in plain digits`);
  return new JsonNumber(text);
}

/** Returns an object of the defined members. Keys must come from this program, never from untrusted input. */
export function jsonObject(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const object = new Map<string, Json>();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) object.set(name, value);
  return object;
}

/** True when a JSON value is an array. */
export const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
/** True when a JSON value is an object. */
export const isObject = (json: Json | undefined): json is JsonObject => json instanceof Map;

/** A member name as JSON text: at the start of an object, and after another member. */
interface QuotedName {
  readonly first: string;
  readonly later: string;
}
/** Quoted names by name. Replies of the specification have about 100 names. */
const quotedNames = new Map<string, QuotedName>();
const MAX_QUOTED_NAMES = 1000;

/** Returns the text before the value of a member, from the cache if it has it. The cache is bounded, because names can come from replies. */
function quotedNameOf(name: string): QuotedName {
  const cachedText = quotedNames.get(name);
  if (cachedText !== undefined) return cachedText;
  const text = JSON.stringify(name);
  const quotedName = { first: `{${text}:`, later: `,${text}:` };
  if (quotedNames.size < MAX_QUOTED_NAMES) quotedNames.set(name, quotedName);
  return quotedName;
}

/** Returns compact JSON text, with the members in the order of the map. */
export function writeJson(json: Json): string {
  if (typeof json === 'string') return JSON.stringify(json);
  if (json instanceof JsonNumber) return json.text;
  if (json === null || typeof json === 'boolean') return String(json);
  // Concatenating takes a third of the time of joining a list.
  let text = '';
  if (isList(json)) {
    for (const element of json) text += text === '' ? writeJson(element) : `,${writeJson(element)}`;
    return `[${text}]`;
  }
  for (const [name, value] of json) {
    const { first, later } = quotedNameOf(name);
    text += text === '' ? first : later;
    text += writeJson(value);
  }
  return text === '' ? '{}' : `${text}}`;
}

const UTF8 = new TextEncoder();

/** Returns the bytes of `text` in UTF-8. */
export const utf8 = (text: string): Uint8Array => UTF8.encode(text);

/** Maximum exponent. No double needs a larger one. */
const MAX_EXPONENT = 400;

/** Returns the plain text of a decimal that may have an exponent (`1E-7` is `0.0000001`). Null for an exponent beyond 400. */
export function expandExponent(text: string): string | null {
  const exponentAt = text.search(/[eE]/);
  if (exponentAt < 0) return text;
  const exponent = Number(text.slice(exponentAt + 1));
  if (!(Math.abs(exponent) <= MAX_EXPONENT)) return null;
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = text.slice(sign.length, exponentAt).split('.');
  const digits = whole + fraction;
  // The exponent moves the point. Zeros fill the digits up to it, and one zero comes before the point.
  const pointAt = whole.length + exponent;
  const padded = pointAt <= 0 ? '0'.repeat(1 - pointAt) + digits : digits.padEnd(pointAt, '0');
  const wholeCount = Math.max(pointAt, 1);
  const wholeText = padded.slice(0, wholeCount).replace(/^0+(?=\d)/, '');
  const fractionText = padded.slice(wholeCount);
  return fractionText === '' ? sign + wholeText : `${sign}${wholeText}.${fractionText}`;
}

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Maximum length of a number. Every double is shorter. */
export const MAX_NUMBER_CHARS = 800;

/** Returns the plain digits of a decimal that may have an exponent. Null if `text` is not a decimal or is too long. */
export const plainDecimal = (text: string): string | null =>
  text.length <= MAX_NUMBER_CHARS && DECIMAL.test(text) ? expandExponent(text) : null;

const CODE_0 = '0'.charCodeAt(0);
const CODE_9 = '9'.charCodeAt(0);

/**
 * True for canonical text without a sign, which nearly all decimals of replies are. A fast test: it is false for some canonical texts, such
 * as `-0.1`.
 */
function isCanonical(text: string): boolean {
  const last = text.length - 1;
  if (last < 0 || last >= MAX_NUMBER_CHARS) return false;
  const pointAt = text.indexOf('.');
  for (let index = 0; index <= last; index++) {
    const code = text.charCodeAt(index);
    if ((code < CODE_0 || code > CODE_9) && index !== pointAt) return false;
  }
  if (pointAt < 0) return text[0] !== '0' || last === 0;
  return pointAt > 0 && pointAt < last && text[last] !== '0' && (text[0] !== '0' || pointAt === 1);
}

/** Returns the unique text of a decimal's value: no exponent, no redundant zeros, no minus before zero. Null if `text` is not a decimal. */
export function canonicalDecimal(text: string): string | null {
  if (isCanonical(text)) return text;
  const plain = plainDecimal(text);
  if (plain === null) return null;
  const sign = plain.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = plain.slice(sign.length).split('.');
  const leadingZeros = zeroCount(whole, 0, 1);
  const trailingZeros = zeroCount(fraction, fraction.length - 1, -1);
  // The whole part keeps its last digit, also if it is a zero.
  const wholeText = whole.slice(Math.min(leadingZeros, whole.length - 1));
  const fractionText = fraction.slice(0, fraction.length - trailingZeros);
  const unsigned = fractionText === '' ? wholeText : `${wholeText}.${fractionText}`;
  return unsigned === '0' ? unsigned : sign + unsigned;
}

/**
 * Returns the number of consecutive zeros from `start` on, forwards or backwards. A regular expression for the end of the text would be slower.
 */
function zeroCount(text: string, start: number, step: 1 | -1): number {
  let count = 0;
  while (text[start + count * step] === '0') count++;
  return count;
}
