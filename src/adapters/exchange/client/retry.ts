// Which failed reads are asked again, and when: only what a pause may cure, a bounded number of times, ever later.

import { assertNever } from '../../../base/assert.ts';
import { isSafeToRetry, type Effect } from '../../../protocol/endpoints/endpoint.ts';
import { errorCode } from '../../../protocol/errors/errorCodes.ts';
import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';

/** ms before the second attempt; twice that before the third, and so on. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4000;

/** The pause before attempt `attempt` + 1, with jitter, so that those who failed together do not return together; `random` from 0 to 1. */
export function retryPauseMs(attempt: number, random: number): number {
  const maxMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  return Math.ceil((maxMs * (1 + random)) / 2);
}

/** True for the outcome of a read that may be another one after a pause. A ban (418) only grows longer by asking. */
export function mayPass(effect: Effect, outcome: Outcome<unknown>): boolean {
  if (!isSafeToRetry({ effect })) return false;
  switch (outcome.kind) {
    case 'acked':
      return false;
    case 'notSent':
      return true;
    case 'refused':
      return outcome.status !== 418 && isPassing(outcome.code);
    case 'unknown': {
      const { status, error } = outcome;
      const listed = error?.code === undefined || error.code === null ? null : errorCode(error.code);
      if (listed !== null) return status !== 418 && isPassing(listed.code);
      // No answer, a broken one, a fault of the service, or a limit of whoever stands before it; never a redirect or another 4xx.
      return status === null || status === 429 || status >= 500 || (status < 300 && error === null);
    }
    default:
      return assertNever(outcome);
  }
}

const isPassing = (code: number): boolean => errorCode(code)?.retry === 'after' && code !== VENUE_CODES.invalidTimestamp.code;

/** True where the service says that the time of the request was not its own: cured by measuring its clock, not by a pause. */
export const isWrongTime = (outcome: Outcome<unknown>): boolean => errorCodeOf(outcome) === VENUE_CODES.invalidTimestamp.code;
