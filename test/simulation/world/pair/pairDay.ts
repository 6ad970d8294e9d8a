// Draws what only days with two bots have: faults of the second bot, and times at which one client of the exchange is cut off.

import type { Market } from '../../../../src/model/instrument.ts';
import { drawFaultMs, MAX_CREATES, rngOf, subRandom } from '../draws.ts';
import type { SimulatedNetwork } from '../network.ts';
import type { RequestFault, ScheduledFault, TimedFault } from '../schedule.ts';

/** The days of contracts from this one on of the thousand days of the theme have one account for both bots. */
const FIRST_SHARED_DAY = 500;

/**
 * True for days on which both bots trade on one account, with a key each. To each of them the orders of the other are foreign. With contracts
 * each bot has a contract of its own, because an account has one position of a contract.
 */
export const sharesAccount = (seed: number, market: Market): boolean =>
  market === 'spot' ? seed % 2 === 0 : (seed - 1) % 1000 >= FIRST_SHARED_DAY;

/** Share of the create requests of the second bot that have a fault, by kind. */
const CREATE_SHARES = { loseReply: 0.15, loseRequest: 0.1, delayReply: 0.05, cutReply: 0.05, unknownDone: 0.03 } as const;
/** Smallest and largest number of timed faults of the second bot, by kind. */
const TIMED_COUNTS = {
  cutClient: [2, 4],
  kill: [1, 3],
  power: [0, 2],
  halt: [0, 1],
  killSwitch: [0, 1],
  flatten: [0, 1],
} as const;

/** Draws the faults of the second bot. `faultyMs`: length of the part of the day that has faults. */
export function secondBotFaultsOf(seed: number, faultyMs: number): readonly ScheduledFault[] {
  const rng = rngOf(seed, 'secondSchedule');
  const creates: RequestFault[] = [];
  for (let requestNumber = 1; requestNumber <= MAX_CREATES; requestNumber++) {
    let drawn = rng.next();
    for (const [faultKind, share] of Object.entries(CREATE_SHARES) as [RequestFault['faultKind'], number][]) {
      if (drawn >= 0 && drawn < share) creates.push({ faultKind, requestNumber, draw: rng.next(), bot: 2 });
      drawn -= share;
    }
  }
  const timed = Object.entries(TIMED_COUNTS).flatMap(([faultKind, [min, max]]) =>
    Array.from({ length: min + Math.floor(rng.next() * (max - min + 1)) }, (): TimedFault => ({
      faultKind: faultKind as TimedFault['faultKind'],
      atMs: drawFaultMs(rng, faultyMs),
      draw: rng.next(),
      bot: 2,
    })),
  );
  return [...creates, ...timed];
}

/** Shortest time for which a client is cut off, and how much longer the longest one is, ms. */
const CUT_MS = { min: 5000, range: 600_000 };

/** Cuts one client off while others are connected: its requests do not arrive, or the replies to them, or neither. */
export function cutClient(
  network: Pick<SimulatedNetwork, 'requestsLostUntilMs' | 'repliesLostUntilMs'>,
  nowMs: number,
  draw: number,
): void {
  const untilMs = nowMs + CUT_MS.min + Math.floor(draw ** 2 * CUT_MS.range);
  const direction = Math.floor(subRandom(draw, 97) * 3);
  if (direction !== 1) network.requestsLostUntilMs = untilMs;
  if (direction !== 0) network.repliesLostUntilMs = untilMs;
}
