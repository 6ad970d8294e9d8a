// Builds and recognises client order ids: 26 characters from the run and the order number.

import { InvariantError } from '../base/errors.ts';
import type { OrderId } from '../model/order.ts';

/** Digits and letters without I, L, O and U. So ids sort by number, and are unique on a service that ignores case. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PREFIX = /^[0-9A-HJKMNP-TV-Z]{16}$/;
const TIME_CHARS = 10;
const PREFIX_CHARS = 16;
const COUNTER_CHARS = 10;

/** Returns the last `chars` base-32 digits of a number. */
function base32(value: number, chars: number): string {
  let remaining = value;
  let text = '';
  for (let count = 0; count < chars; count++) {
    text = DIGITS[remaining % 32]! + text;
    remaining = Math.floor(remaining / 32);
  }
  if (remaining !== 0 || !Number.isSafeInteger(value) || value < 0) throw new InvariantError(`${value} has no ${chars} digits in base 32`);
  return text;
}

/**
 * Returns the 16 characters with which all ids of a run begin: its start (ms UTC) and `random`. `random` is a 30-bit number, 0 to 2^30 - 1,
 * from the injected source. Two runs share a prefix only if they start in the same millisecond and draw the same number.
 */
export const runPrefix = (startedMs: number, random: number): string => base32(startedMs, 10) + base32(random, 6);

/**
 * Returns the client order id of an order of this run. It is always the same for the same order, so that a replay creates no second one.
 */
export function clientOrderIdOf(prefix: string, id: OrderId): string {
  if (!PREFIX.test(prefix)) throw new InvariantError(`${prefix} is not a prefix of a run`);
  return prefix + base32(id, COUNTER_CHARS);
}

/** Returns the prefix of a client order id, which all orders of its run share. */
export const idPrefixOf = (clientOrderId: string): string => clientOrderId.slice(0, PREFIX_CHARS);

/** Returns the id of the order of this run with this client order id, in any case; null for an id of another run or program. */
export function orderIdIn(prefix: string, clientOrderId: string): OrderId | null {
  const text = clientOrderId.toUpperCase();
  if (text.length !== prefix.length + COUNTER_CHARS || !text.startsWith(prefix)) return null;
  let value = 0;
  for (const char of text.slice(prefix.length)) {
    const digit = DIGITS.indexOf(char);
    if (digit < 0) return null;
    value = value * 32 + digit;
  }
  return Number.isSafeInteger(value) && value > 0 ? (value as OrderId) : null;
}

/** 2020-01-01, ms UTC. A run starts between this time and `LAST_MS`. */
const FIRST_MS = 1_577_836_800_000;
/** 2100-01-01, ms UTC. */
const LAST_MS = 4_102_444_800_000;
const LAST_ORDER = 10_000_000_000;

/** True for text in the form of these ids: a possible start time, a random number, and an order number. */
export function isClientOrderId(text: string): boolean {
  const id = text.toUpperCase();
  if (id.length !== PREFIX_CHARS + COUNTER_CHARS || !PREFIX.test(idPrefixOf(id))) return false;
  const valueOf = (digits: string): number =>
    Array.from(digits).reduce((value, digit) => (DIGITS.includes(digit) ? value * 32 + DIGITS.indexOf(digit) : NaN), 0);
  const startedMs = valueOf(id.slice(0, TIME_CHARS));
  const order = valueOf(id.slice(PREFIX_CHARS));
  return startedMs >= FIRST_MS && startedMs < LAST_MS && order > 0 && order <= LAST_ORDER;
}
