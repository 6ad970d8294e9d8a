// Draws the faults of a simulated day from its seed, before the day starts, so that the day can be repeated.

import { DAY_MS } from '../../base/calendar.ts';
import { seededRng, type Rng } from '../../base/number/rng.ts';
import { CREATE_FAULTS, type CreateFault } from '../computer/faultyNetwork.ts';

/** Length of the end of a day that has no faults, so that the outcome of all orders becomes known. */
export const CALM_MS = 3_600_000;

/** The kinds of outages. */
export const OUTAGES = ['kill', 'power', 'diskCrash', 'partition', 'stale'] as const;

/** A fault of the bot's computer or network. */
export interface Outage {
  readonly outageKind: (typeof OUTAGES)[number];
  /** Time after the start of the day, ms. */
  readonly atMs: number;
  /** A random number in [0, 1), which decides how long or how strong the outage is. */
  readonly draw: number;
}

/** The faults of one day. */
export interface DaySchedule {
  /** Faults of creates, by the number of the create on the day, from 1. */
  readonly creates: ReadonlyMap<number, CreateFault>;
  readonly outages: readonly Outage[];
}

/** A day without faults. */
export const NO_FAULTS: DaySchedule = { creates: new Map(), outages: [] };

/** Number of creates that can have a fault. Later creates of a day have none. */
const MAX_CREATES = 2000;
/** Number of outages of each kind on a day. */
const OUTAGE_COUNTS: Readonly<Record<Outage['outageKind'], { readonly min: number; readonly max: number }>> = {
  kill: { min: 3, max: 9 },
  power: { min: 1, max: 4 },
  diskCrash: { min: 1, max: 4 },
  partition: { min: 0, max: 4 },
  stale: { min: 0, max: 10 },
};
/** Separates the random numbers of the schedule from those of the rest of the day, which has the same seed. */
const SCHEDULE_SEED = 0x5c4ed;

/** Returns the faults of the day of a seed. Each seed has different frequencies of the kinds of faults. */
export function scheduleOf(seed: number): DaySchedule {
  const rng = seededRng(seed ^ SCHEDULE_SEED);
  // The outages are drawn after the faults of creates: another order would change the day of each seed.
  const creates = drawCreateFaults(rng);
  const outages = drawOutages(rng);
  return { creates, outages: outages.toSorted((a, b) => a.atMs - b.atMs) };
}

/** Draws the faults of creates. From 30 to 60 % of the creates have a fault. */
function drawCreateFaults(rng: Rng): ReadonlyMap<number, CreateFault> {
  const weights = CREATE_FAULTS.map(() => rng.next() ** 2);
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const faultShare = 0.3 + rng.next() * 0.3;
  const creates = new Map<number, CreateFault>();
  for (let number = 1; number <= MAX_CREATES; number++) {
    if (rng.next() >= faultShare) continue;
    // Draws a kind in proportion to the weights: the first kind whose weight uses up the drawn number.
    let remainingWeight = rng.next() * totalWeight;
    const faultKind = CREATE_FAULTS.find((_, index) => (remainingWeight -= weights[index]!) < 0) ?? 'loseReply';
    creates.set(number, { faultKind, draw: rng.next() });
  }
  return creates;
}

/** Draws the outages, kind by kind. None is in the first or the last percent of the time with faults. */
function drawOutages(rng: Rng): readonly Outage[] {
  return OUTAGES.flatMap((outageKind) => {
    const { min, max } = OUTAGE_COUNTS[outageKind];
    const count = min + Math.floor(rng.next() * (max - min + 1));
    return Array.from({ length: count }, (): Outage => ({
      outageKind,
      atMs: Math.floor((0.01 + rng.next() * 0.98) * (DAY_MS - CALM_MS)),
      draw: rng.next(),
    }));
  });
}
