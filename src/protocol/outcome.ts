// Decides the outcome of a call from the reply or failure of the transport: `acked`, `refused`, `notSent` or, by default, `unknown`.

import { assertNever } from '../base/assert.ts';
import { errorIn, type ServiceError } from './errors/errorBody.ts';
import { errorCode, refusesCreate } from './errors/errorCodes.ts';
import type { Effect } from './endpoints/endpoint.ts';
import { answerOf, endpointOf, type Op, type OpResult } from './endpoints/endpoints.ts';
import { type JsonProblem, parseJson } from './json/parseJson.ts';
import { decodeAnswer } from './shapes/answer.ts';

/** The reply to a request, or its failure. */
export type Transport =
  | { readonly kind: 'reply'; readonly status: number; readonly body: Uint8Array }
  /** `bytesWritten`: number of bytes of the request that left; null if the transport does not know. Null counts as some. */
  | { readonly kind: 'failed'; readonly cause: string; readonly bytesWritten: number | null };

/**
 * The outcome of a call. `acked`: carried out and confirmed. `refused`: it had no effect and never will. `notSent`: no byte left this
 * process. `unknown`: it may have had an effect; every unproven outcome is in this class. For a read, `unknown` means that no usable reply
 * arrived.
 */
export type Outcome<T> =
  | { readonly kind: 'acked'; readonly value: T }
  | { readonly kind: 'refused'; readonly status: number; readonly code: number; readonly msg: string }
  | { readonly kind: 'notSent'; readonly cause: string }
  | {
      readonly kind: 'unknown';
      readonly cause: string;
      /** HTTP status; null without a reply. */
      readonly status: number | null;
      /** The error in the reply, if it has one. */
      readonly error: ServiceError | null;
    };

/** Returns the outcome of a call of `op` (order safety, section 4). The body counts more than the HTTP status. Never throws. */
export function outcomeOf<O extends Op>(op: O, transport: Transport): Outcome<OpResult<O>> {
  if (transport.kind === 'failed') {
    const { cause, bytesWritten } = transport;
    return bytesWritten === 0 ? { kind: 'notSent', cause } : unknown(cause, null);
  }
  const { status, body } = transport;
  const parsedBody = parseJson(body);
  if (!parsedBody.ok) return unknown(unreadableCause(status, body, parsedBody), status);
  const error = errorIn(parsedBody.value);
  if (error) return errorOutcome(error, status, endpointOf(op).effect);
  if (!isSuccessStatus(status)) return unknown(`HTTP ${status} without an error of the service`, status);
  const decoded = decodeAnswer(answerOf(op), parsedBody.value);
  return decoded.ok ? { kind: 'acked', value: decoded.value } : unknown(`an answer of another shape: ${decoded.problem}`, status);
}

/** Returns why a reply cannot be used: it is a redirect, empty or not JSON. */
function unreadableCause(
  status: number,
  body: Uint8Array,
  { problem, offset }: { readonly problem: JsonProblem; readonly offset: number },
): string {
  if (status >= 300 && status < 400) return `a redirect, which is not followed, with HTTP ${status}`;
  if (body.length === 0) return `an empty answer with HTTP ${status}`;
  return `an answer that is no JSON (${problem} at ${offset}) with HTTP ${status}`;
}

const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300;
/** True for a status with which services refuse requests: 2xx or 4xx. */
const mayRefuse = (status: number): boolean => isSuccessStatus(status) || (status >= 400 && status < 500);

/** Returns the outcome of an error reply: it depends on the code and on the effect of the call. */
function errorOutcome(error: ServiceError, status: number, effect: Effect): Outcome<never> {
  const { code, msg, isStrict } = error;
  const cause = code === null ? `an error without a code and with HTTP ${status}: ${msg}` : `code ${code} with HTTP ${status}: ${msg}`;
  if (code === null || !isStrict || !mayRefuse(status)) return unknown(cause, status, error);
  const refuses = effect === 'create' ? refusesCreate(code) : errorCode(code)?.sideEffect === 'none';
  return refuses ? { kind: 'refused', status, code, msg } : unknown(cause, status, error);
}

/** Returns the outcome of a call that may or may not have had an effect. */
const unknown = (cause: string, status: number | null, error: ServiceError | null = null): Outcome<never> => ({
  kind: 'unknown',
  cause,
  status,
  error,
});

/** Returns the service's error code in an outcome; null if it has none. */
export function errorCodeOf(outcome: Outcome<unknown>): number | null {
  switch (outcome.kind) {
    case 'refused':
      return outcome.code;
    case 'unknown':
      return outcome.error?.code ?? null;
    case 'acked':
    case 'notSent':
      return null;
    default:
      return assertNever(outcome);
  }
}
