// Reads codes and statuses of replies in every spelling and as integers, and writes the form that the switches select.

import { codeOf, readCode, readStatus, statusInteger, type OrderStatus, type CodeReading } from './codes.ts';
import { jsonNumber, type Json } from '../json/json.ts';
import { Mismatch, scalarText, type Value } from './value.ts';

type Codes<Word extends string> = Parameters<typeof readCode<Word>>[0];

/** Returns the value of a code as a word. An unlisted code is UNKNOWN with its raw text. `as`: written as word or integer. */
export function codeValue<Word extends string>(codes: Codes<Word>, as: 'word' | 'integer'): Value<CodeReading<Word | 'UNKNOWN'>> {
  return {
    kind: `code:${codes.names.join('|')}`,
    read(json) {
      const text = scalarText(json);
      if (text === null) throw new Mismatch('a code', json);
      return readCode(codes, text);
    },
    write({ word, raw }) {
      const number = codeOf(codes, word);
      if (as === 'word') return number === null ? raw : word;
      return number === null ? rawJson(raw) : jsonNumber(number);
    },
  };
}

/** Returns a raw code as it was received: digits as a number, anything else as text. */
const rawJson = (raw: string): Json => (/^(0|[1-9]\d*)$/.test(raw) ? jsonNumber(raw) : raw);

/** Spellings of statuses that differ from the specification. */
type StatusSpelling = Partial<Readonly<Record<OrderStatus, string>>>;
const VARIANT_SPELLING: StatusSpelling = { PARTIALLY_FILLED: 'PART_FILLED', CANCELED: 'CANCELLED' };
const PROSE_SPELLING: StatusSpelling = { NEW: 'New Order', PARTIALLY_FILLED: 'Partially Filled', PENDING_CANCEL: 'To be Canceled' };

/** Reads an order status. Throws Mismatch for a value that is not a scalar. */
function statusFromJson(json: Json): CodeReading<OrderStatus> {
  const text = scalarText(json);
  if (text === null) throw new Mismatch('a status', json);
  return readStatus(text);
}

/** Returns the value of an order status by name. `prose` are the spellings under the switch value `words`. */
export function statusName(prose: StatusSpelling = {}): Value<CodeReading<OrderStatus>> {
  return {
    kind: 'status',
    read: statusFromJson,
    write({ word, raw }, { statusSpelling }) {
      if (word === 'UNKNOWN') return rawJson(raw);
      if (statusSpelling === 'variant') return VARIANT_SPELLING[word] ?? word;
      return statusSpelling === 'words' ? (prose[word] ?? word) : word;
    },
  };
}
/** The status of a spot order in all other replies. */
export const spotStatus = statusName(PROSE_SPELLING);
/** The status in the list of open orders. Services were seen to write NEW with a trailing underscore there. */
export const spotListStatus = statusName({ ...PROSE_SPELLING, NEW: 'NEW_' });
/** The status of a futures order. */
export const futuresStatus = statusName();

/** An order status by its integer. */
export const statusCode: Value<CodeReading<OrderStatus>> = {
  kind: 'status',
  read: statusFromJson,
  write({ word, raw }) {
    const number = statusInteger(word);
    if (number !== null) return jsonNumber(number);
    return word === 'UNKNOWN' ? rawJson(raw) : word;
  },
};
