// Classifies the reply to a create request into the four outcome classes. Pure.

import { assertNever } from '../../../base/assert.ts';
import { fromScaled, toScaled } from '../../../base/number/decimal.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';
import type { HaltCode, OrderRequest } from './types.ts';
import type { CreatedOrder } from './venueCalls.ts';

/** What a create request did, as far as its reply proves it. */
export type CreateOutcome =
  /** `isNamed`: the acknowledgement has the client order id of the order. */
  | { readonly kind: 'acked'; readonly venueId: string; readonly timeMs: number | null; readonly isNamed: boolean }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'notSent'; readonly cause: string }
  /** `code`: the service's code or the HTTP status; null if no reply came. `echo`: how an acknowledgement differs from the order. */
  | { readonly kind: 'unknown'; readonly cause: string; readonly code: string | null; readonly echo: string | null };

/**
 * Returns the outcome of a create request. `outcomeOf` has decided its class (order safety, section 4). An acknowledgement whose terms
 * differ from the request becomes `unknown`.
 */
export function createOutcome(outcome: Outcome<CreatedOrder>, request: OrderRequest, clientOrderId: string): CreateOutcome {
  switch (outcome.kind) {
    case 'acked': {
      const echo = echoProblem(outcome.value, request, clientOrderId);
      const { venueId, timeMs } = outcome.value;
      if (echo === null) return { kind: 'acked', venueId, timeMs, isNamed: echoedIdIn(outcome.value) !== null };
      return { kind: 'unknown', cause: `the acknowledgement is another order's: ${echo}`, code: null, echo };
    }
    case 'refused':
      return { kind: 'refused', code: String(outcome.code) };
    case 'notSent':
      return { kind: 'notSent', cause: sanitizeText(outcome.cause) };
    case 'unknown': {
      const code = outcome.error?.code ?? outcome.status;
      return { kind: 'unknown', cause: sanitizeText(outcome.cause), code: code === null ? null : String(code), echo: null };
    }
    default:
      return assertNever(outcome);
  }
}

/** Returns the first repeated term that differs from the request, as text; null if all agree. Null terms and ids of `0` are ignored. */
export function echoProblem(created: CreatedOrder, request: OrderRequest, clientOrderId: string): string | null {
  const { instrument, side, lots, limit } = request;
  const differs = (name: string, received: string, expected: string): string =>
    `${name}: expected ${expected}, got ${sanitizeText(received, 40)}`;
  const echoed = echoedIdIn(created);
  if (echoed !== null && echoed.toUpperCase() !== clientOrderId.toUpperCase()) return differs('clientOrderId', echoed, clientOrderId);
  if (created.symbol !== null && created.symbol.toUpperCase() !== instrument.wireName.toUpperCase()) {
    return differs('symbol', created.symbol, instrument.wireName);
  }
  if (created.side !== null && created.side !== side) return differs('side', created.side, side);
  const isMarket = limit === 0;
  if (created.isMarket !== null && created.isMarket !== isMarket) {
    return differs('type', created.isMarket ? 'MARKET' : 'another', isMarket ? 'MARKET' : 'LIMIT');
  }
  if (!isMarket && created.price !== null && toScaled(created.price, instrument.priceDigits) !== limit) {
    return differs('price', created.price, fromScaled(limit, instrument.priceDigits));
  }
  if (lots > 0 && created.qty !== null && toScaled(created.qty, instrument.quantityDigits) !== lots) {
    return differs('origQty', created.qty, fromScaled(lots, instrument.quantityDigits));
  }
  return null;
}

/** Returns the client order id in an acknowledgement; null without one. */
const echoedIdIn = ({ clientOrderId }: CreatedOrder): string | null =>
  clientOrderId === '0' || clientOrderId === '' ? null : clientOrderId;

const LOCK_CODES: ReadonlySet<number> = new Set([VENUE_CODES.exchangeLock.code, VENUE_CODES.accountRestricted.code]);
const KEY_CODES: ReadonlySet<number> = new Set([VENUE_CODES.rejectedKey.code, VENUE_CODES.illegalIp.code]);
const INCIDENT_CODES: ReadonlySet<number> = new Set([
  VENUE_CODES.disconnected.code,
  VENUE_CODES.unexpectedResponse.code,
  VENUE_CODES.timeout.code,
  VENUE_CODES.shuttingDown.code,
]);

/** Returns the account's halt cause that a reply implies: account locked, key rejected, incident at the venue; otherwise null. */
export function accountHaltCode(outcome: Outcome<unknown>): Extract<HaltCode, 'LOCKED' | 'KEY' | 'INCIDENT'> | null {
  const code = errorCodeOf(outcome);
  if (code !== null && LOCK_CODES.has(code)) return 'LOCKED';
  if (code !== null && KEY_CODES.has(code)) return 'KEY';
  if (outcome.kind !== 'unknown') return null;
  return outcome.status === HTTP_STATUS.gatewayTimeout || (code !== null && INCIDENT_CODES.has(code)) ? 'INCIDENT' : null;
}
