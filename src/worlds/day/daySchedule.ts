// The faults of a simulated day. They are drawn from the seed before the day starts, so that the day can be repeated.

import { seededRng } from '../../base/number/rng.ts';
import { CREATE_FAULTS, type CreateFault } from '../computer/faultyNetwork.ts';

export const DAY_MS = 86_400_000;
/** The end of a day has no faults, so that all orders can be settled. */
export const CALM_MS = 3_600_000;

export const OUTAGES = ['kill', 'power', 'diskCrash', 'partition', 'stale'] as const;
/** A fault of the bot's computer or network. `atMs`: ms after the start of the day. `size` is uniform in [0, 1). */
export interface Outage {
  readonly what: (typeof OUTAGES)[number];
  readonly atMs: number;
  readonly size: number;
}

export interface DaySchedule {
  /** By the number of the create, from 1. */
  readonly creates: ReadonlyMap<number, CreateFault>;
  readonly outages: readonly Outage[];
}

/** A day without faults. */
export const PEACE: DaySchedule = { creates: new Map(), outages: [] };

/** Later creates of a day have no faults. */
const MAX_CREATES = 2000;
/** Lowest and highest number of outages of each kind on a day. */
const COUNTS: Readonly<Record<Outage['what'], readonly [from: number, to: number]>> = {
  kill: [3, 9],
  power: [1, 4],
  diskCrash: [1, 4],
  partition: [0, 4],
  stale: [0, 10],
};

/** Returns the faults of a day. Each seed has its own mix of faults. */
export function scheduleOf(seed: number): DaySchedule {
  const rng = seededRng(seed ^ 0x5c4ed);
  const weights = CREATE_FAULTS.map(() => rng.next() ** 2);
  const total = weights.reduce((sum, each) => sum + each, 0);
  const share = 0.3 + rng.next() * 0.3;
  const creates = new Map<number, CreateFault>();
  for (let number = 1; number <= MAX_CREATES; number++) {
    if (rng.next() >= share) continue;
    let left = rng.next() * total;
    const what = CREATE_FAULTS.find((_, index) => (left -= weights[index]!) < 0) ?? 'loseReply';
    creates.set(number, { what, size: rng.next() });
  }
  const outages = OUTAGES.flatMap((what) => {
    const [from, to] = COUNTS[what];
    const count = from + Math.floor(rng.next() * (to - from + 1));
    return Array.from({ length: count }, (): Outage => ({
      what,
      atMs: Math.floor((0.01 + rng.next() * 0.98) * (DAY_MS - CALM_MS)),
      size: rng.next(),
    }));
  });
  return { creates, outages: outages.toSorted((a, b) => a.atMs - b.atMs) };
}
