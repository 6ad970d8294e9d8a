// What the risk campaigns on spot and futures share: the loops over seeds, and broken reservations that the campaigns must find.

import { expect } from 'vitest';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import type { ReservedOrder } from '../../src/orders/reserve/worstCase.ts';
import { noCounts, type Counts } from './riskCourse.ts';

/** `npm run campaign -- <name>` sets both variables and prints what was tried. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
/** The first seed; from ISOBAR_SEED, so that one failing course can be repeated alone. */
export const SEED = Number(ISOBAR_SEED ?? 1);
/** Returns the number of cases that a campaign asks for, or that of the test suite. */
export const casesOr = (casesOfSuite: number): number => Number(ISOBAR_CASES ?? casesOfSuite);

/** A course of events, of `SpotRiskWorld` or `FuturesRiskWorld`. */
interface Course {
  /** Returns the code of the limit that was broken, or null. */
  run(): string | null;
}

/** Fails with the seed of the first course that breaks a limit. A campaign of 1000 cases also fails if a kind of event never happened. */
export function expectNoneBroken(campaign: string, cases: number, courseOf: (seed: number, counts: Counts) => Course): void {
  const counts = noCounts();
  for (let seed = SEED; seed < SEED + cases; seed++) {
    let brokenLimit: string | null;
    try {
      brokenLimit = courseOf(seed, counts).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    if (brokenLimit !== null)
      expect.fail(`seed ${seed} breaks ${brokenLimit}; again: npm run campaign -- ${campaign} --seed ${seed} --cases 1`);
  }
  if (ISOBAR_CASES) console.log(`${campaign} campaign: seeds ${SEED} to ${SEED + cases - 1}, no limit broken`, JSON.stringify(counts));
  if (cases < 1000) return;
  for (const [eventKind, count] of Object.entries(counts)) if (eventKind !== 'denied') expect(count, eventKind).toBeGreaterThan(0);
}

/** Returns the code of the first limit that is broken within `seeds` courses from `firstSeed` on, or null. */
export function firstBrokenLimit(firstSeed: number, seeds: number, courseOf: (seed: number) => Course): string | null {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const brokenLimit = courseOf(seed).run();
    if (brokenLimit !== null) return brokenLimit;
  }
  return null;
}

/** Releases the reservation of a proven absent order at once, though the order may still arrive. */
export class WithoutAbsentHold extends Reservations {
  override holdAbsent(order: ReservedOrder): void {
    this.release(order);
  }
}
/** Releases the whole reservation of an order at its first fill. */
export class ReleasedByFirstFill extends Reservations {
  override fill(order: ReservedOrder): void {
    this.release(order);
  }
}
