// Builds and recognises client order ids. An id has 26 characters: the start of the run (10), a random number (6), the order number (10).

import { InvariantError } from '../base/errors.ts';
import type { OrderId } from '../model/order.ts';

/** Digits and letters without I, L, O and U. So ids sort by number, and are unique on a service that ignores case. */
const BASE32_DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PREFIX_PATTERN = /^[0-9A-HJKMNP-TV-Z]{16}$/;
const START_CHARS = 10;
const RANDOM_CHARS = 6;
const PREFIX_CHARS = START_CHARS + RANDOM_CHARS;
const ORDER_CHARS = 10;

/** Returns a number in base 32 with exactly `chars` digits. Throws InvariantError for a number that does not fit. */
function base32(value: number, chars: number): string {
  let remaining = value;
  let text = '';
  for (let count = 0; count < chars; count++) {
    text = BASE32_DIGITS[remaining % 32]! + text;
    remaining = Math.floor(remaining / 32);
  }
  if (remaining !== 0 || !Number.isSafeInteger(value) || value < 0) throw new InvariantError(`${value} has no ${chars} digits in base 32`);
  return text;
}

/**
 * Returns the 16 characters with which all ids of a run begin: its start (ms UTC) and `random`. `random` is a 30-bit number, 0 to 2^30 - 1,
 * from the injected source. Two runs share a prefix only if they start in the same millisecond and draw the same number.
 */
export const runPrefix = (startedMs: number, random: number): string => base32(startedMs, START_CHARS) + base32(random, RANDOM_CHARS);

/**
 * Returns the client order id of an order of this run. It is always the same for the same order, so that a replay creates no second one.
 */
export function clientOrderIdOf(prefix: string, id: OrderId): string {
  if (!PREFIX_PATTERN.test(prefix)) throw new InvariantError(`${prefix} is not a prefix of a run`);
  return prefix + base32(id, ORDER_CHARS);
}

/** Returns the prefix of a client order id, which all orders of its run share. */
export const idPrefixOf = (clientOrderId: string): string => clientOrderId.slice(0, PREFIX_CHARS);

/** Returns the prefix of a run. `textOfId` returns the client order id of an order of the run. */
export const runPrefixOf = (textOfId: (id: OrderId) => string): string => {
  // All ids of a run have the same prefix, so any order will do.
  const anyOrderId = 1 as OrderId;
  return idPrefixOf(textOfId(anyOrderId));
};

/** Returns the id of the order of this run with this client order id, in any case; null for an id of another run or program. */
export function orderIdIn(prefix: string, clientOrderId: string): OrderId | null {
  const text = clientOrderId.toUpperCase();
  if (text.length !== prefix.length + ORDER_CHARS || !text.startsWith(prefix)) return null;
  const orderNumber = fromBase32(text.slice(prefix.length));
  return Number.isSafeInteger(orderNumber) && orderNumber > 0 ? (orderNumber as OrderId) : null;
}

/** Returns the number that these base-32 digits mean; NaN if one of them is not a digit. */
function fromBase32(digits: string): number {
  let value = 0;
  for (const char of digits) {
    const digit = BASE32_DIGITS.indexOf(char);
    if (digit < 0) return NaN;
    value = value * 32 + digit;
  }
  return value;
}

/** 2020-01-01, ms UTC. A run starts between this time and `MAX_START_MS`. */
const MIN_START_MS = 1_577_836_800_000;
/** 2100-01-01, ms UTC. */
const MAX_START_MS = 4_102_444_800_000;
/** No run sends more orders than this. A larger number shows that the text was made by another program. */
const MAX_ORDER_NUMBER = 10_000_000_000;

/** True for text with the form of a client order id: a possible start time, a random number, and an order number. */
export function isClientOrderId(text: string): boolean {
  const id = text.toUpperCase();
  if (id.length !== PREFIX_CHARS + ORDER_CHARS || !PREFIX_PATTERN.test(idPrefixOf(id))) return false;
  const startedMs = fromBase32(id.slice(0, START_CHARS));
  const orderNumber = fromBase32(id.slice(PREFIX_CHARS));
  const isPossibleStart = startedMs >= MIN_START_MS && startedMs < MAX_START_MS;
  return isPossibleStart && orderNumber > 0 && orderNumber <= MAX_ORDER_NUMBER;
}
