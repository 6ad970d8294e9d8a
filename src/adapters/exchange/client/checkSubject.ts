// Rejects replies that are about another symbol, contract or order than the request. Pure.

import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { CallArguments } from '../../../protocol/arguments.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** Prefix of the cause when `checkSubject` rejects a reply. */
export const OTHER_SUBJECT = 'an answer about something else than what was asked';

/**
 * Returns the outcome of a read unchanged, or `unknown` if the reply names another symbol, contract or order than the arguments. One such
 * row voids the whole reply, because the other rows may be wrong in the same way.
 */
export function checkSubject<T>(outcome: Outcome<T>, args: CallArguments): Outcome<T> {
  if (outcome.kind !== 'acked') return outcome;
  const difference = differenceIn(outcome.value, args);
  return difference === null ? outcome : { kind: 'unknown', cause: `${OTHER_SUBJECT}: ${difference}`, status: 200, error: null };
}

/** Returns the first difference between a reply and the arguments of its call; null if they agree. */
function differenceIn(value: unknown, args: CallArguments): string | null {
  if (!isRecord(value)) return null;
  const rows: readonly unknown[] = Array.isArray(value['rows']) ? value['rows'] : [value];
  for (const row of rows) {
    const difference = isRecord(row) ? rowDifference(row, args) : null;
    if (difference !== null) return difference;
  }
  return null;
}

/** Returns the first difference between one row and the arguments of the call; null if they agree. */
function rowDifference(row: Readonly<Record<string, unknown>>, args: CallArguments): string | null {
  const { symbol, contractName, orderId, newClientOrderId } = args;
  const rowSymbol = textOf(row['symbol']);
  const rowContract = textOf(row['contractName']);
  const requestedSymbol = textOf(symbol) ?? textOf(contractName);
  if (requestedSymbol !== null && rowContract !== null && !isSame(rowContract, requestedSymbol))
    return differenceText('contractName', requestedSymbol, rowContract);
  if (requestedSymbol !== null && rowContract === null && rowSymbol !== null && !isNameOf(rowSymbol, requestedSymbol))
    return differenceText('symbol', requestedSymbol, rowSymbol);
  const requestedId = textOf(orderId);
  const rowId = textOf(row['orderId']);
  if (requestedId !== null && rowId !== null && rowId !== requestedId) return differenceText('orderId', requestedId, rowId);
  // A reply without the client order id is accepted, because some services omit it.
  const requestedClientOrderId = requestedId === null ? textOf(newClientOrderId) : null;
  const rowClientOrderId = textOf(row['clientOrderId']);
  if (
    requestedClientOrderId !== null &&
    rowClientOrderId !== null &&
    rowClientOrderId !== '0' &&
    rowClientOrderId !== '' &&
    !isSame(rowClientOrderId, requestedClientOrderId)
  ) {
    return differenceText('clientOrderId', requestedClientOrderId, rowClientOrderId);
  }
  return null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Returns a name or an id as text; null for any other value. */
const textOf = (value: unknown): string | null => (typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : null);
const isSame = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();
const lettersAndDigits = (name: string): string => name.toUpperCase().replace(/[^0-9A-Z]/g, '');
/** True if both texts name one symbol or contract. A position may say BTCUSDT for the contract E-BTC-USDT. */
const isNameOf = (name: string, requested: string): boolean =>
  lettersAndDigits(name) === lettersAndDigits(requested) ||
  (requested.includes('-') && requested.toUpperCase().split('-').slice(1).join('') === lettersAndDigits(name));
const differenceText = (name: string, requested: string, received: string): string =>
  `${name}: expected ${sanitizeText(requested, 40)}, got ${sanitizeText(received, 40)}`;
