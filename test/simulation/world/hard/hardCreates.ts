// Answers create requests with the faults that only hard days have.

import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import type { RequestFault } from '../schedule.ts';
import type { SimulatedVenue } from '../venue.ts';
import { HARD_REQUEST_FAULTS } from './hardDay.ts';
import type { HardFaults } from './hardFaults.ts';
import { subRandom } from '../draws.ts';

/** Error codes after which the outcome of a create is unknown, whatever the HTTP status. */
const UNKNOWN_CODES = [-1006, -1007, -1001, -1000, -1016] as const;
/** HTTP statuses of the answers with these codes. */
const STATUSES = [200, 400] as const;
/** Time from the acceptance of an order until lists show it: within the visibility delay that the bot of a day assumes (10 s). */
const SLOW_MS = { min: 6000, max: 9500 };

/** Time until lists show an order whose answer says that the exchange does not know what it did: within the 10 minutes that a bot then assumes. */
const LATE_MS = { min: 60_000, max: 420_000 };
/** Answers by which the exchange admits that an order may come late. */
const INCIDENT_CODES = [504, -1006, -1007] as const;

/** A fault of a create request that only hard days have. */
export type HardCreateFault = RequestFault & { readonly faultKind: (typeof HARD_REQUEST_FAULTS)[number] };

/** True for a fault that only hard days have. */
export const isHardCreate = (fault: RequestFault): fault is HardCreateFault =>
  (HARD_REQUEST_FAULTS as readonly string[]).includes(fault.faultKind);

/** Returns the answer to a create request with a fault. `handle` makes the exchange carry the request out, which some faults skip. */
export function answerHardCreate(
  { faultKind, draw }: HardCreateFault,
  venue: SimulatedVenue,
  hard: HardFaults,
  handle: () => Answer,
): Answer {
  if (faultKind === 'unknownCode') {
    // Twenty variants: five codes, two statuses, carried out or not.
    const variant = Math.floor(draw * 20);
    const code = UNKNOWN_CODES[variant % 5]!;
    const status = STATUSES[Math.floor(variant / 5) % 2]!;
    if (variant >= 10) handle();
    return { ...venue.service.error(code, venue.market), status };
  }
  if (faultKind === 'jsonPage') {
    if (draw < 0.5) handle();
    return { status: 403, headers: {}, body: '{"message":"forbidden"}' };
  }
  if (faultKind === 'lateAdmission') {
    const lateMs = Math.floor(LATE_MS.min + subRandom(draw, 89) * (LATE_MS.max - LATE_MS.min));
    if (hard.isReplyRemembered) handleLate(venue, lateMs, handle);
    else handle();
    const code = INCIDENT_CODES[Math.floor(draw * INCIDENT_CODES.length)]!;
    return code === 504 ? { status: 504, headers: {}, body: '' } : venue.service.error(code, venue.market);
  }
  if (faultKind === 'crashAfterCreate') {
    const answer = handle();
    hard.crashAfterCreate(draw);
    return answer;
  }
  handleLate(venue, Math.floor(SLOW_MS.min + draw * (SLOW_MS.max - SLOW_MS.min)), handle);
  return { status: 200, headers: {}, body: '' };
}

/** Returns how long a slow request is on its way, ms. */
export const slowTravelMs = (draw: number): number => 1000 + subRandom(draw, 97) * 3500;

/** Makes the exchange accept a request now. The order reaches the book and the lists after `ms`. */
export function handleLate({ side }: SimulatedVenue, ms: number, handle: () => Answer): Answer {
  const usualDelays = side.delays;
  side.delays = { ...usualDelays, admissionMs: ms, visibilityMs: ms };
  const answer = handle();
  side.delays = usualDelays;
  return answer;
}
