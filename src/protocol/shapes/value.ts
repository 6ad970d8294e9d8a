// Reads single values of replies, such as decimals, ids and times, in every form that services send, and writes the specification's form.

import { timeMs, type TimeMs } from '../../base/brand.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import type { Side } from '../../model/order.ts';
import { canonicalDecimal, isList, isObject, JsonNumber, jsonNumber, writeJson, type Json } from '../json/json.ts';
import type { Variants } from './variants.ts';

/** Thrown when JSON does not have the expected form. Only `decodeAnswer` and the readers of lists catch it. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  /** The path to the value, such as `positions[2].avgPrice`. */
  place = '';
  constructor(expected: string, json: Json | undefined) {
    super(`expected ${expected}, got ${shortText(json)}`);
  }

  /** Puts the name of an outer member, or an index, in front of the path. */
  within(outer: string): this {
    this.place = this.place === '' || this.place.startsWith('[') ? outer + this.place : `${outer}.${this.place}`;
    return this;
  }
}

/** Returns a JSON value as text for messages. */
function shortText(json: Json | undefined): string {
  if (json === undefined) return 'nothing';
  const text = writeJson(json);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** Reads and writes one kind of value. `kind` names it for schemas and tests. */
export interface Value<T> {
  readonly kind: string;
  /** Throws Mismatch. */
  read(json: Json): T;
  /** Returns the value as JSON, as `variants` require. */
  write(value: T, variants: Variants): Json;
}

/** Returns the text of a JSON number or string; null for anything else. */
export function scalarText(json: Json): string | null {
  if (json instanceof JsonNumber) return json.text;
  return typeof json === 'string' ? json : null;
}

/** Reads a decimal in plain digits. Throws Mismatch for anything else. */
function readDecimal(json: Json): string {
  const text = scalarText(json);
  const value = text === null ? null : canonicalDecimal(text);
  if (value === null) throw new Mismatch('a decimal', json);
  return value;
}

/** A decimal in its unique plain text (`0.1`, `-3`), written as a JSON number. */
export const wireDecimal: Value<string> = { kind: 'decimal', read: readDecimal, write: (value) => jsonNumber(value) };
/** A decimal that is written as a JSON string. */
export const wireDecimalString: Value<string> = { kind: 'decimal', read: readDecimal, write: (value) => value };

/** A decimal above 0, as every price of an order book or a bar must be. */
export const wirePrice: Value<string> = { kind: 'price', read: readPrice, write: (value) => jsonNumber(value) };
/** A price that the specification's form writes as text. */
export const wirePriceString: Value<string> = { kind: 'price', read: readPrice, write: (value) => value };

/** Reads a price. Throws Mismatch for anything else. */
function readPrice(json: Json): string {
  const value = readDecimal(json);
  if (value === '0' || value.startsWith('-')) throw new Mismatch('a price above 0', json);
  return value;
}

/** Returns the digits of an id above 0, from a number, a string or a list of one; null for anything else. */
export function idText(json: Json): string | null {
  if (isList(json) && json.length !== 1) return null;
  const text = scalarText(isList(json) ? json[0]! : json);
  return text !== null && /^[1-9]\d{0,30}$/.test(text) ? text : null;
}

/** Reads an id of the venue. Throws Mismatch for anything else. */
function readId(json: Json): string {
  const text = idText(json);
  if (text === null) throw new Mismatch('an id', json);
  return text;
}

/** An id, always kept as text because ids exceed 2^53. Written as a JSON number. */
export const wireId: Value<string> = { kind: 'id', read: readId, write: (value) => jsonNumber(value) };
/** An id that is written as a JSON string. */
export const wireIdString: Value<string> = { kind: 'id', read: readId, write: (value) => value };

/** An id that may be withheld, as 0 or as empty text. */
export const wireIdOrNone: Value<string | null> = {
  kind: 'idOrNone',
  read(json) {
    const idDigits = scalarText(json);
    return idDigits === '0' || idDigits === '' ? null : readId(json);
  },
  write: (value) => (value === null ? null : jsonNumber(value)),
};

/** A client order id; null without one, which is `0` on the wire. */
export const wireClientId: Value<string | null> = {
  kind: 'clientId',
  read(json) {
    const clientId = scalarText(json);
    if (clientId === null) throw new Mismatch('a client order id', json);
    return clientId === '' || clientId === '0' ? null : clientId;
  },
  write: (value) => value ?? '0',
};

/** A text that is not empty. */
export const wireText: Value<string> = {
  kind: 'text',
  read(json) {
    if (typeof json !== 'string' || json === '') throw new Mismatch('text', json);
    return json;
  },
  write: (value) => value,
};

/** The name of an instrument or asset, in upper case. */
export const wireUpperText: Value<string> = {
  kind: 'upperText',
  read: (json) => wireText.read(json).toUpperCase(),
  write: (value) => value,
};

/** A whole number that a double holds exactly. Digits in a string are read too. */
export const wireInteger: Value<number> = {
  kind: 'integer',
  read(json) {
    const wholeText = readDecimal(json);
    if (wholeText.includes('.') || !Number.isSafeInteger(Number(wholeText))) throw new Mismatch('a whole number', json);
    return Number(wholeText);
  },
  write: (value) => jsonNumber(value),
};

/** True or false. */
export const wireFlag: Value<boolean> = {
  kind: 'flag',
  read(json) {
    if (typeof json !== 'boolean') throw new Mismatch('true or false', json);
    return json;
  },
  write: (value) => value,
};

/** Unix time in ms. */
export const wireTime: Value<TimeMs> = {
  kind: 'time',
  read: (json) => timeMs(wireInteger.read(json)),
  write: (value) => jsonNumber(value),
};

/** Smaller times are in seconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
const MAX_SECONDS = 1e11;

/** Open time of a kline, in seconds or ms on the wire. Its size shows which. */
export const wireBarTime: Value<TimeMs> = {
  kind: 'barTime',
  read(json) {
    const integerValue = wireInteger.read(json);
    return timeMs(integerValue < MAX_SECONDS ? integerValue * 1000 : integerValue);
  },
  write: (value, { klineIdx }) => jsonNumber(klineIdx === 's' ? Math.floor(value / 1000) : value),
};

const ZONE_MS = 8 * 3_600_000;

/** A date-time without a zone: UTC+8 (exchange dialect, 12). For display only, so it is null if it cannot be read. */
export const wireZonelessTime: Value<TimeMs | null> = {
  kind: 'zonelessTime',
  read(json) {
    const timeText = scalarText(json) ?? '';
    if (/^\d{12,14}$/.test(timeText)) return timeMs(Number(timeText));
    const local = parseTime(timeText);
    return local === null ? null : timeMs(local - ZONE_MS);
  },
  write: (value) => (value === null ? null : formatTime(value + ZONE_MS).slice(0, 19)),
};

/** BUY or SELL on the wire, in any case. */
export const wireSide: Value<Side> = {
  kind: 'side',
  read(json) {
    const upper = typeof json === 'string' ? json.toUpperCase() : '';
    if (upper !== 'BUY' && upper !== 'SELL') throw new Mismatch('BUY or SELL', json);
    return upper === 'BUY' ? 'buy' : 'sell';
  },
  write: (value) => (value === 'buy' ? 'BUY' : 'SELL'),
};

/** Whether a futures order opens or closes a position. */
export type PositionAction = 'OPEN' | 'CLOSE';
/** A position action, in any case. */
export const wireAction: Value<PositionAction> = {
  kind: 'action',
  read(json) {
    const upper = typeof json === 'string' ? json.toUpperCase() : '';
    if (upper !== 'OPEN' && upper !== 'CLOSE') throw new Mismatch('OPEN or CLOSE', json);
    return upper;
  },
  write: (value) => value,
};

/** A level of an order book: a list of two elements. */
export const wireLevel: Value<DepthLevel> = {
  kind: 'level',
  read(json) {
    if (!isList(json) || json.length !== 2) throw new Mismatch('a pair of price and quantity', json);
    return { price: readPrice(json[0]!), quantity: readDecimal(json[1]!) };
  },
  write: (value) => [jsonNumber(value.price), jsonNumber(value.quantity)],
};

/** A level of an order book. */
export interface DepthLevel {
  readonly price: string;
  readonly quantity: string;
}

/** Returns a member of an object; undefined if it is missing or `json` is not an object. */
export const memberOf = (json: Json | undefined, name: string): Json | undefined => (isObject(json) ? json.get(name) : undefined);
