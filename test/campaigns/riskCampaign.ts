// Draws what the risk campaigns on spot and futures share: limits, courses of events and their checks.

import { expect } from 'vitest';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import type { ReservedOrder } from '../../src/orders/reserve/worstCase.ts';
import { noCounts, type Counts } from './riskCourse.ts';

/** `npm run campaign -- <name>` sets both, and wants to read what was tried. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
export const SEED = Number(ISOBAR_SEED ?? 1);
export const casesOr = (short: number): number => Number(ISOBAR_CASES ?? short);

interface Course {
  /** What was broken; null: nothing. */
  run(): string | null;
}

/** `name`: of the campaign. Fails with the seed of the first course that breaks a limit, and where too little was tried. */
export function expectNoneBroken(name: string, cases: number, course: (seed: number, counts: Counts) => Course): void {
  const counts = noCounts();
  for (let seed = SEED; seed < SEED + cases; seed++) {
    let broken: string | null;
    try {
      broken = course(seed, counts).run();
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    }
    if (broken !== null) expect.fail(`seed ${seed} breaks ${broken}; again: npm run campaign -- ${name} --seed ${seed} --cases 1`);
  }
  if (ISOBAR_CASES) console.log(`${name} campaign: seeds ${SEED} to ${SEED + cases - 1}, no limit broken`, JSON.stringify(counts));
  for (const [what, count] of Object.entries(counts)) if (what !== 'denied' && cases >= 1000) expect(count, what).toBeGreaterThan(0);
}

/** What is broken first, within `seeds` from `from` on. */
export function firstBroken(from: number, seeds: number, course: (seed: number) => Course): string | null {
  for (let seed = from; seed < from + seeds; seed++) {
    const broken = course(seed).run();
    if (broken !== null) return broken;
  }
  return null;
}

/** Releases what a proven absent order holds, though it may still arrive. */
export class Forgetful extends Reservations {
  override holdAbsent(order: ReservedOrder): void {
    this.release(order);
  }
}
/** Cancels the rest of an order with its first fill. */
export class Hasty extends Reservations {
  override fill(order: ReservedOrder): void {
    this.release(order);
  }
}
