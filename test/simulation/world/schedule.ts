// Draws the faults of a simulated day before the day runs, so that a failing day can be repeated with some of its faults.

import { seededRng } from '../../../src/base/number/rng.ts';
import { NETWORK_FAULTS } from '../../../src/worlds/computer/faultyNetwork.ts';
import { THEMED_REQUEST_FAULTS, THEMED_TIMED_FAULTS, themedFaultsOf, themeOf } from './themes/themedDay.ts';
import { HARD_REQUEST_FAULTS, HARD_TIMED_FAULTS, dayTermsOf, hardFaultsOf, isHardDay } from './hard/hardDay.ts';
import { drawFaultMs, MAX_CREATES, TIMED_FAULTS } from './draws.ts';
import { secondBotFaultsOf } from './pair/pairDay.ts';
import type { SceneRequestFault } from './themes/scenes/scenes.ts';

/** Length of a simulated day, if its options give no other length. */
export const DAY_MS = 86_400_000;
/** Length of the last part of a day, which has no faults, so that everything can come to rest. */
export const CALM_MS = 3_600_000;

/** Faults of create requests that every day may have. */
export const REQUEST_FAULTS = [...NETWORK_FAULTS, 'duplicateRequest', 'otherReply'] as const;

/** A fault of one create request. */
export interface RequestFault {
  readonly faultKind:
    | (typeof REQUEST_FAULTS)[number]
    | (typeof HARD_REQUEST_FAULTS)[number]
    | (typeof THEMED_REQUEST_FAULTS)[number]
    | SceneRequestFault;
  /** Number of the create request on its day, from 1. */
  readonly requestNumber: number;
  /** Uniform in [0, 1). It scales the fault, such as the length of a delay. */
  readonly draw: number;
  /** 2 for a fault of the second bot; absent for a fault of the first bot. */
  readonly bot?: 2;
}
/** A fault at a time. */
export interface TimedFault {
  readonly faultKind: (typeof TIMED_FAULTS)[number] | (typeof HARD_TIMED_FAULTS)[number] | (typeof THEMED_TIMED_FAULTS)[number];
  /** Time since the start of the day, ms. */
  readonly atMs: number;
  /** Uniform in [0, 1). It scales the fault, such as its duration. */
  readonly draw: number;
  /** 2 for a fault of the second bot; absent for a fault of the first bot. */
  readonly bot?: 2;
}
/** A fault of a schedule. */
export type ScheduledFault = RequestFault | TimedFault;

const TIMED_KINDS: ReadonlySet<string> = new Set([...TIMED_FAULTS, ...HARD_TIMED_FAULTS, ...THEMED_TIMED_FAULTS]);

/** True for a fault at a time, false for a fault of a create request. */
export const isTimed = (fault: ScheduledFault): fault is TimedFault => TIMED_KINDS.has(fault.faultKind);

/** True for every fourth day: it has many orders, close to the limits, and most of their requests fail. */
export const isBusyDay = (seed: number): boolean => seed % 4 === 3;

/** The smallest probability that a create request has a fault. */
const MIN_FAULT_PROBABILITY = { quiet: 0.3, busy: 0.5 };
/** By how much the probability of a day may exceed the smallest one. */
const FAULT_PROBABILITY_RANGE = 0.3;

/** Returns the faults of a seed: first those of create requests by number, then those at a time. */
export function scheduleOf(seed: number, lengthMs = DAY_MS): readonly ScheduledFault[] {
  const faultyMs = lengthMs - CALM_MS;
  const rng = seededRng(seed);
  const faults: ScheduledFault[] = [];
  // Squared, so that a few kinds of faults dominate each day.
  const weights = REQUEST_FAULTS.map(() => rng.next() ** 2);
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const minProbability = isBusyDay(seed) ? MIN_FAULT_PROBABILITY.busy : MIN_FAULT_PROBABILITY.quiet;
  const faultProbability = minProbability + rng.next() * FAULT_PROBABILITY_RANGE;
  for (let requestNumber = 1; requestNumber <= MAX_CREATES; requestNumber++) {
    if (rng.next() >= faultProbability) continue;
    // Draws a kind with a probability in proportion to its weight.
    let remainingWeight = rng.next() * totalWeight;
    const faultKind = REQUEST_FAULTS.find((_, index) => (remainingWeight -= weights[index]!) < 0) ?? 'loseReply';
    faults.push({ faultKind, requestNumber, draw: rng.next() });
  }
  const addTimedFaults = (faultKind: TimedFault['faultKind'], count: number): void => {
    for (let nth = 0; nth < count; nth++) faults.push({ faultKind, atMs: drawFaultMs(rng, faultyMs), draw: rng.next() });
  };
  const drawUpTo = (maxCount: number): number => Math.floor(rng.next() * (maxCount + 1));
  addTimedFaults('kill', 3 + drawUpTo(6));
  addTimedFaults('power', 1 + drawUpTo(3));
  addTimedFaults('diskCrash', 1 + drawUpTo(3));
  addTimedFaults('partition', drawUpTo(4));
  addTimedFaults('stale', drawUpTo(10));
  addTimedFaults('gap', drawUpTo(4));
  addTimedFaults('halt', drawUpTo(3));
  addTimedFaults('killSwitch', drawUpTo(1));
  addTimedFaults('flatten', drawUpTo(1));
  addTimedFaults('lostFlatten', drawUpTo(2));
  addTimedFaults('unlink', drawUpTo(2));
  addTimedFaults('syncFails', drawUpTo(2));
  addTimedFaults('bitFlips', drawUpTo(2));
  addTimedFaults('secondStart', drawUpTo(2));
  const theme = themeOf(seed);
  const secondBotFaults = theme === 'twoBots' ? secondBotFaultsOf(seed, faultyMs) : [];
  if (theme !== null) return sortedSchedule([...themedFaultsOf(seed, theme, faults, faultyMs), ...secondBotFaults]);
  const hardFaults = (isHardDay(seed) ? hardFaultsOf(seed, faultyMs) : []) as readonly ScheduledFault[];
  // A request has one fault: a hard fault replaces the plain fault of the same request.
  const replacedNumbers = new Set(hardFaults.flatMap((fault) => (isTimed(fault) ? [] : [fault.requestNumber])));
  // Without client order ids in lists, a bot cannot distinguish a duplicate order from its own, or the reply to another create from its own.
  const { hidesClientIds } = dayTermsOf(seed);
  const isPossible = ({ faultKind, requestNumber }: RequestFault): boolean =>
    !replacedNumbers.has(requestNumber) && !(hidesClientIds && (faultKind === 'duplicateRequest' || faultKind === 'otherReply'));
  return sortedSchedule([...faults.filter((fault) => isTimed(fault) || isPossible(fault)), ...hardFaults]);
}

/** Returns faults in the order of a schedule: those of create requests by number, then those at a time. */
const sortedSchedule = (faults: readonly ScheduledFault[]): readonly ScheduledFault[] =>
  faults.toSorted((a, b) => Number(isTimed(a)) - Number(isTimed(b)) || sortKeyOf(a) - sortKeyOf(b));

/** Returns the time of a timed fault, or the number of the request that a request fault changes. */
const sortKeyOf = (fault: ScheduledFault): number => (isTimed(fault) ? fault.atMs : fault.requestNumber);

/** Returns the faults of the create requests of a bot, by the number of the request. */
export const requestFaultsOf = (schedule: readonly ScheduledFault[], bot: 1 | 2): ReadonlyMap<number, RequestFault> =>
  new Map(schedule.flatMap((fault) => (isTimed(fault) || (fault.bot ?? 1) !== bot ? [] : [[fault.requestNumber, fault]])));

/** Returns a fault as one line of text. */
export function faultText(fault: ScheduledFault): string {
  const botText = fault.bot === 2 ? 'second bot, ' : '';
  if (!isTimed(fault)) return `${botText}create ${fault.requestNumber}: ${fault.faultKind} (${fault.draw.toFixed(3)})`;
  return `${botText}${new Date(fault.atMs).toISOString().slice(11, 23)} ${fault.faultKind} (${fault.draw.toFixed(3)})`;
}
