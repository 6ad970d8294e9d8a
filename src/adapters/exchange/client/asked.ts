// Compares a reply with its request: a row for another symbol, contract or order makes the reply invalid. Pure.

import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { Given } from '../../../protocol/arguments.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** Prefix of the cause when `checkSubject` rejects a reply. */
export const OTHER_ANSWER = 'an answer about something else than what was asked';

/**
 * Returns the outcome of a read unchanged, or `unknown` if the reply names another symbol, contract or order than the arguments. One such
 * row voids the whole reply, because the other rows may be wrong in the same way.
 */
export function checkSubject<T>(outcome: Outcome<T>, args: Given): Outcome<T> {
  if (outcome.kind !== 'acked') return outcome;
  const other = otherIn(outcome.value, args);
  return other === null ? outcome : { kind: 'unknown', cause: `${OTHER_ANSWER}: ${other}`, status: 200, error: null };
}

function otherIn(value: unknown, args: Given): string | null {
  if (!isRecord(value)) return null;
  const rows: readonly unknown[] = Array.isArray(value['rows']) ? value['rows'] : [value];
  for (const row of rows) {
    const other = isRecord(row) ? otherOf(row, args) : null;
    if (other !== null) return other;
  }
  return null;
}

function otherOf(row: Readonly<Record<string, unknown>>, args: Given): string | null {
  const { symbol, contractName, orderId, newClientOrderId } = args;
  const [rowSymbol, rowContract] = [textOf(row['symbol']), textOf(row['contractName'])];
  const asked = textOf(symbol) ?? textOf(contractName);
  if (asked !== null && rowContract !== null && !isSame(rowContract, asked)) return differs('contractName', asked, rowContract);
  if (asked !== null && rowContract === null && rowSymbol !== null && !isNameOf(rowSymbol, asked))
    return differs('symbol', asked, rowSymbol);
  const [askedId, rowId] = [textOf(orderId), textOf(row['orderId'])];
  if (askedId !== null && rowId !== null && rowId !== askedId) return differs('orderId', askedId, rowId);
  // A client order id finds only its newest order, and a service may omit the id from its reply.
  const [askedCid, rowCid] = [askedId === null ? textOf(newClientOrderId) : null, textOf(row['clientOrderId'])];
  if (askedCid !== null && rowCid !== null && rowCid !== '0' && rowCid !== '' && !isSame(rowCid, askedCid)) {
    return differs('clientOrderId', askedCid, rowCid);
  }
  return null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
const isSame = (a: string, b: string): boolean => a.toUpperCase() === b.toUpperCase();
const letters = (name: string): string => name.toUpperCase().replace(/[^0-9A-Z]/g, '');
/** A position may say BTCUSDT for the contract E-BTC-USDT. */
const isNameOf = (name: string, asked: string): boolean =>
  letters(name) === letters(asked) || (asked.includes('-') && asked.toUpperCase().split('-').slice(1).join('') === letters(name));
const differs = (name: string, asked: string, got: string): string =>
  `${name}: expected ${sanitizeText(asked, 40)}, got ${sanitizeText(got, 40)}`;
