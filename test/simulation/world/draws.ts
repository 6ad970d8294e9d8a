// Random numbers of a simulated day: a generator for each part of the day, and several numbers from one draw.

import { seededRng, type Rng } from '../../../src/base/number/rng.ts';

/** Number of create requests for which faults are drawn. A day has fewer. */
export const MAX_CREATES = 1200;

/** Faults that come at a time, on days without a theme. Faults are drawn in this order, so that recorded hashes depend on it. */
export const TIMED_FAULTS = [
  'kill',
  'power',
  'diskCrash',
  'partition',
  'stale',
  'gap',
  'halt',
  'killSwitch',
  'flatten',
  'lostFlatten',
  'unlink',
  'syncFails',
  'bitFlips',
  'secondStart',
] as const;

/** Makes the seed of each part of a day from the seed of the day. Recorded hashes depend on these numbers. */
const PART_SEEDS = {
  process: (seed: number) => seed ^ 0x0dd,
  network: (seed: number) => seed ^ 0x4e7,
  venue: (seed: number) => seed ^ 0x5eed,
  exchangeDisk: (seed: number) => seed ^ 0xd15c,
  contracts: (seed: number) => seed ^ 0xf07,
  config: (seed: number) => seed ^ 0xc0f,
  themedConfig: (seed: number) => seed ^ 0x7c0f,
  hardDay: (seed: number) => seed ^ 0x7e25,
  themedSchedule: (seed: number) => seed * 41,
  keptFaults: (seed: number) => seed * 43,
  themedFaults: (seed: number) => seed * 47,
  lastKill: (seed: number) => seed * 53,
  secondProcess: (seed: number) => seed * 59,
  secondNetwork: (seed: number) => seed * 61,
  secondConfig: (seed: number) => seed * 67,
  secondSchedule: (seed: number) => seed * 71,
  killScene: (seed: number) => seed * 73,
  secondContracts: (seed: number) => seed * 79,
  // No day draws from both.
  module: (seed: number) => seed * 83,
  switches: (seed: number) => seed * 83,
} as const;

/** Returns the generator of one part of a day. Parts have generators of their own, so that one more draw in a part leaves the others as they are. */
export const rngOf = (seed: number, part: keyof typeof PART_SEEDS): Rng => seededRng(PART_SEEDS[part](seed));

/** Returns another number in [0, 1) from the lower digits of `draw`, for a fault that needs several. Each `factor` gives a different one. */
export const subRandom = (draw: number, factor: number): number => (draw * factor) % 1;

/** Returns a random time for a fault, ms since the start of the day: not in the first and the last hundredth of the `faultyMs` that have faults. */
export const drawFaultMs = (rng: Rng, faultyMs: number): number => Math.floor((0.01 + rng.next() * 0.98) * faultyMs);

/** Returns the value at a fraction, in [0, 1), of a range. */
export const valueInRange = ({ min, max }: { readonly min: number; readonly max: number }, fraction: number): number =>
  min + fraction * (max - min);
