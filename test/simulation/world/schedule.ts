// What goes wrong in one seed: a list that is drawn before anything runs, so that a failure can be replayed with a part of it.

import { seededRng } from '../../../src/base/number/rng.ts';
import { NETWORK_FAULTS } from '../../../src/worlds/computer/faultyNetwork.ts';

export const DAY_MS = 86_400_000;
/** Without faults, at the end of the day: everything has to come to rest. */
export const CALM_MS = 3_600_000;

export const REQUEST_FAULTS = [...NETWORK_FAULTS, 'duplicateRequest', 'otherReply'] as const;
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

/** A fault of the `at`-th create of the day. */
export interface RequestFault {
  readonly what: (typeof REQUEST_FAULTS)[number];
  readonly at: number;
  /** Uniform in [0, 1): its size. */
  readonly size: number;
}
/** A fault `at` this time of the day, ms. */
export interface TimedFault {
  readonly what: (typeof TIMED_FAULTS)[number];
  readonly at: number;
  readonly size: number;
}
export type Happening = RequestFault | TimedFault;

export const isTimed = (one: Happening): one is TimedFault => (TIMED_FAULTS as readonly string[]).includes(one.what);

/** Every fourth day is a busy one: many orders, close to the limits, and most of their requests fail. */
export const isBusyDay = (seed: number): boolean => seed % 4 === 3;

/** Draws the day of a seed, in order of time. */
export function scheduleOf(seed: number, lengthMs = DAY_MS): readonly Happening[] {
  const faultyMs = lengthMs - CALM_MS;
  const rng = seededRng(seed);
  const list: Happening[] = [];
  const share = REQUEST_FAULTS.map(() => rng.next() ** 2);
  const total = share.reduce((sum, each) => sum + each, 0);
  const often = (isBusyDay(seed) ? 0.5 : 0.3) + rng.next() * 0.3;
  for (let at = 1; at <= 1200; at++) {
    if (rng.next() >= often) continue;
    let left = rng.next() * total;
    const what = REQUEST_FAULTS.find((_, index) => (left -= share[index]!) < 0) ?? 'loseReply';
    list.push({ what, at, size: rng.next() });
  }
  const timed = (what: TimedFault['what'], count: number): void => {
    for (let nth = 0; nth < count; nth++) list.push({ what, at: Math.floor((0.01 + rng.next() * 0.98) * faultyMs), size: rng.next() });
  };
  const upTo = (count: number): number => Math.floor(rng.next() * (count + 1));
  timed('kill', 3 + upTo(6));
  timed('power', 1 + upTo(3));
  timed('diskCrash', 1 + upTo(3));
  timed('partition', upTo(4));
  timed('stale', upTo(10));
  timed('gap', upTo(4));
  timed('halt', upTo(3));
  timed('killSwitch', upTo(1));
  timed('flatten', upTo(1));
  timed('lostFlatten', upTo(2));
  timed('unlink', upTo(2));
  timed('syncFails', upTo(2));
  timed('bitFlips', upTo(2));
  timed('secondStart', upTo(2));
  return list.toSorted((a, b) => Number(isTimed(a)) - Number(isTimed(b)) || a.at - b.at);
}

/** One line for people. */
export function happeningText(one: Happening): string {
  if (!isTimed(one)) return `create ${one.at}: ${one.what} (${one.size.toFixed(3)})`;
  return `${new Date(one.at).toISOString().slice(11, 23)} ${one.what} (${one.size.toFixed(3)})`;
}
