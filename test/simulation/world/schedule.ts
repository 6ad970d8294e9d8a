// Draws the faults of a simulated day before the day runs, so that a failing day can be repeated with some of its faults.

import { seededRng } from '../../../src/base/number/rng.ts';
import { NETWORK_FAULTS } from '../../../src/worlds/computer/faultyNetwork.ts';
import { THEMED_REQUEST_FAULTS, THEMED_TIMED_FAULTS, themedFaultsOf, themeOf } from './themes/themedDay.ts';
import { HARD_REQUEST_FAULTS, HARD_TIMED_FAULTS, dayTermsOf, hardFaultsOf, isHardDay } from './hard/hardDay.ts';
import { MAX_CREATES, TIMED_FAULTS } from './draws.ts';
import { secondBotFaultsOf } from './pair/pairDay.ts';

export const DAY_MS = 86_400_000;
/** Length of the last part of a day, which has no faults, so that everything can come to rest. */
export const CALM_MS = 3_600_000;

export const REQUEST_FAULTS = [...NETWORK_FAULTS, 'duplicateRequest', 'otherReply'] as const;

/** A fault of one create request. `at` is the number of the request on its day, from 1. */
export interface RequestFault {
  readonly what: (typeof REQUEST_FAULTS)[number] | (typeof HARD_REQUEST_FAULTS)[number] | (typeof THEMED_REQUEST_FAULTS)[number];
  readonly at: number;
  /** Uniform in [0, 1). It scales the fault, such as the length of a delay. */
  readonly size: number;
  /** The second bot, if the fault is not one of the first bot. */
  readonly bot?: 2;
}
/** A fault at a time. `at` is the time since the begin of the day, ms. */
export interface TimedFault {
  readonly what: (typeof TIMED_FAULTS)[number] | (typeof HARD_TIMED_FAULTS)[number] | (typeof THEMED_TIMED_FAULTS)[number];
  readonly at: number;
  readonly size: number;
  /** The second bot, if the fault is not one of the first bot. */
  readonly bot?: 2;
}
export type ScheduledFault = RequestFault | TimedFault;

const TIMED_KINDS: ReadonlySet<string> = new Set([...TIMED_FAULTS, ...HARD_TIMED_FAULTS, ...THEMED_TIMED_FAULTS]);
/** True for a fault at a time, false for a fault of a create request. */
export const isTimed = (fault: ScheduledFault): fault is TimedFault => TIMED_KINDS.has(fault.what);

/** True for every fourth day: it has many orders, close to the limits, and most of their requests fail. */
export const isBusyDay = (seed: number): boolean => seed % 4 === 3;

/** Returns the faults of a seed: first those of create requests by number, then those at a time. */
export function scheduleOf(seed: number, lengthMs = DAY_MS): readonly ScheduledFault[] {
  const faultyMs = lengthMs - CALM_MS;
  const rng = seededRng(seed);
  const list: ScheduledFault[] = [];
  const weights = REQUEST_FAULTS.map(() => rng.next() ** 2);
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const faultProbability = (isBusyDay(seed) ? 0.5 : 0.3) + rng.next() * 0.3;
  for (let at = 1; at <= MAX_CREATES; at++) {
    if (rng.next() >= faultProbability) continue;
    let remaining = rng.next() * totalWeight;
    const what = REQUEST_FAULTS.find((_, index) => (remaining -= weights[index]!) < 0) ?? 'loseReply';
    list.push({ what, at, size: rng.next() });
  }
  const addTimedFaults = (what: TimedFault['what'], count: number): void => {
    for (let nth = 0; nth < count; nth++) list.push({ what, at: Math.floor((0.01 + rng.next() * 0.98) * faultyMs), size: rng.next() });
  };
  const drawUpTo = (count: number): number => Math.floor(rng.next() * (count + 1));
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
  if (theme !== null) return inOrder([...themedFaultsOf(seed, theme, list, faultyMs), ...secondBotFaults]);
  const hardFaults = (isHardDay(seed) ? hardFaultsOf(seed, faultyMs) : []) as readonly ScheduledFault[];
  // A request has one fault: a hard one replaces another.
  const replaced = new Set(hardFaults.flatMap((fault) => (isTimed(fault) ? [] : [fault.at])));
  // Without client order ids in lists, a bot cannot distinguish a second copy from its order, or the acknowledgement of another one.
  const { hidesClientIds } = dayTermsOf(seed);
  const isPossible = ({ what, at }: ScheduledFault): boolean =>
    !replaced.has(at) && !(hidesClientIds && (what === 'duplicateRequest' || what === 'otherReply'));
  return inOrder([...list.filter((fault) => isTimed(fault) || isPossible(fault)), ...hardFaults]);
}

/** Returns faults in the order of a schedule: those of create requests by number, then those at a time. */
const inOrder = (faults: readonly ScheduledFault[]): readonly ScheduledFault[] =>
  faults.toSorted((a, b) => Number(isTimed(a)) - Number(isTimed(b)) || a.at - b.at);

/** Returns the faults of the create requests of a bot, by the number of the request. */
export const requestFaultsOf = (schedule: readonly ScheduledFault[], bot: 1 | 2): ReadonlyMap<number, RequestFault> =>
  new Map(schedule.flatMap((fault) => (isTimed(fault) || (fault.bot ?? 1) !== bot ? [] : [[fault.at, fault]])));

/** Returns a fault as one line of text. */
export function faultText(fault: ScheduledFault): string {
  const ofBot = fault.bot === 2 ? 'second bot, ' : '';
  if (!isTimed(fault)) return `${ofBot}create ${fault.at}: ${fault.what} (${fault.size.toFixed(3)})`;
  return `${ofBot}${new Date(fault.at).toISOString().slice(11, 23)} ${fault.what} (${fault.size.toFixed(3)})`;
}
