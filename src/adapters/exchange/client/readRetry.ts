// Decides which failed reads are retried, and after which pause.

import { assertNever } from '../../../base/assert.ts';
import { isSafeToRetry, type Effect } from '../../../protocol/endpoints/endpoint.ts';
import { errorCode } from '../../../protocol/errors/errorCodes.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';

/** ms before the second attempt, doubled for each further one. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4000;

/**
 * Returns the pause in ms before attempt `attempt` + 1. Jitter (`random` from 0 to 1) keeps calls that failed together from retrying
 * together.
 */
export function retryPauseMs(attempt: number, random: number): number {
  const maxMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return Math.ceil((maxMs * (1 + random)) / 2);
}

/** True if another attempt of a read may succeed. False after a ban (418), because each request makes the ban longer. */
export function mayRetry(effect: Effect, outcome: Outcome<unknown>): boolean {
  if (!isSafeToRetry({ effect })) return false;
  switch (outcome.kind) {
    case 'acked':
      return false;
    case 'notSent':
      return true;
    case 'refused':
      return outcome.status !== HTTP_STATUS.banned && isTransient(outcome.code);
    case 'unknown': {
      const { status, error } = outcome;
      const listedCode = error?.code === undefined || error.code === null ? null : errorCode(error.code);
      if (listedCode !== null) return status !== HTTP_STATUS.banned && isTransient(listedCode.code);
      // Retry if there was no reply, a broken reply, a server error or a proxy's rate limit. Do not retry a redirect or another 4xx.
      return status === null || status === HTTP_STATUS.tooManyRequests || status >= 500 || (status < 300 && error === null);
    }
    default:
      return assertNever(outcome);
  }
}

const isTransient = (code: number): boolean => errorCode(code)?.retry === 'after' && code !== VENUE_CODES.invalidTimestamp.code;

/** True if the service rejected the request's timestamp, so that its clock must be measured. */
export const isWrongTime = (outcome: Outcome<unknown>): boolean => errorCodeOf(outcome) === VENUE_CODES.invalidTimestamp.code;
