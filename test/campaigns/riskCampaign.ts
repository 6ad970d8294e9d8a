// What the risk campaigns on spot and futures share: the loops over seeds, and two faulty reservations that the campaigns must find.

import { expect } from 'vitest';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import type { ReservedOrder } from '../../src/orders/reserve/worstCase.ts';
import { zeroCounts, type Counts } from './riskCourse.ts';

/** `npm run campaign -- <name>` sets both variables. Then a campaign also prints its seeds and counts. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
/** The first seed; from ISOBAR_SEED, so that one failing course can be repeated alone. */
export const FIRST_SEED = Number(ISOBAR_SEED ?? 1);
/** From this number of courses on, every kind of event must have happened. Fewer may miss one by chance. */
const MIN_COMPLETE_COURSES = 1000;

/** Returns the number of courses that a campaign asks for, or that of the test suite. */
export const courseCountOf = (coursesOfSuite: number): number => Number(ISOBAR_CASES ?? coursesOfSuite);

/** A course of events, of `SpotRiskWorld` or `FuturesRiskWorld`. */
interface Course {
  /** Returns the code of the limit that was broken, or null. */
  run(): string | null;
}

/**
 * Fails with the seed of the first course that breaks a limit. A campaign of MIN_COMPLETE_COURSES also fails if a kind of event never happened.
 * Only denials may be absent: they depend on the limits that are drawn.
 */
export function expectNoBrokenLimit(campaign: string, courseCount: number, courseOf: (seed: number, counts: Counts) => Course): void {
  const counts = zeroCounts();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + courseCount; seed++) {
    let brokenLimit: string | null;
    try {
      brokenLimit = courseOf(seed, counts).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    if (brokenLimit !== null)
      expect.fail(`seed ${seed} breaks ${brokenLimit}; again: npm run campaign -- ${campaign} --seed ${seed} --cases 1`);
  }
  if (ISOBAR_CASES)
    console.log(`${campaign} campaign: seeds ${FIRST_SEED} to ${FIRST_SEED + courseCount - 1}, no limit broken`, JSON.stringify(counts));
  if (courseCount < MIN_COMPLETE_COURSES) return;
  for (const [eventKind, count] of Object.entries(counts)) if (eventKind !== 'denied') expect(count, eventKind).toBeGreaterThan(0);
}

/** Returns the code of the first limit that is broken within `courseCount` courses from `firstSeed` on, or null. */
export function firstBrokenLimit(firstSeed: number, courseCount: number, courseOf: (seed: number) => Course): string | null {
  for (let seed = firstSeed; seed < firstSeed + courseCount; seed++) {
    const brokenLimit = courseOf(seed).run();
    if (brokenLimit !== null) return brokenLimit;
  }
  return null;
}

/** A fault: the reservation of a proven absent order ends at once, though the order may still arrive. */
export class ReservationsWithoutAbsentHold extends Reservations {
  override holdAbsent(order: ReservedOrder): void {
    this.release(order);
  }
}
/** A fault: the whole reservation of an order ends at its first fill. */
export class ReservationsFreedByFirstFill extends Reservations {
  override fill(order: ReservedOrder): void {
    this.release(order);
  }
}
