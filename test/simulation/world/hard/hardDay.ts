// Draws what only hard days have: more kinds of faults, clocks far off, lists without client order ids, and bursts of equal orders.

import { seededRng } from '../../../../src/base/number/rng.ts';
import { themeOf, themedWorldSettings, type ThemeTerms } from '../themes/themedDay.ts';
import { drawFaultMs, MAX_CREATES, rngOf } from '../draws.ts';

/** Faults of create requests that only hard days have. */
export const HARD_REQUEST_FAULTS = ['unknownCode', 'slowAdmission', 'jsonPage', 'lateAdmission', 'crashAfterCreate'] as const;
/** Acts of a person at the exchange, beside the bot. */
const MANUAL_ACTS = ['manualCancel', 'manualSale', 'transfer'] as const;
/** An act of a person at the exchange. */
export type ManualAct = (typeof MANUAL_ACTS)[number];
/** True for an act of a person at the exchange. */
export const isManualAct = (faultKind: string): faultKind is ManualAct => (MANUAL_ACTS as readonly string[]).includes(faultKind);
/** Faults of the clocks: of the bot's computer when a process starts, of the exchange, and of a computer that sleeps. */
const CLOCK_FAULTS = ['clockStep', 'exchangeClock', 'sleep'] as const;
/** A fault of a clock. */
export type ClockFault = (typeof CLOCK_FAULTS)[number];
/** True for a fault of a clock. */
export const isClockFault = (faultKind: string): faultKind is ClockFault => (CLOCK_FAULTS as readonly string[]).includes(faultKind);
/** Timed faults that only hard days have. */
export const HARD_TIMED_FAULTS = [
  'ban',
  'lateTrades',
  'refusedFlatten',
  'fullDisk',
  ...MANUAL_ACTS,
  'exchangeCrash',
  ...CLOCK_FAULTS,
] as const;

/** True for a timed fault that only hard days have. */
export const isHardTimed = (faultKind: string): faultKind is (typeof HARD_TIMED_FAULTS)[number] =>
  (HARD_TIMED_FAULTS as readonly string[]).includes(faultKind);

/** A fault of one create request that only hard days have. */
interface HardRequestFault {
  readonly faultKind: (typeof HARD_REQUEST_FAULTS)[number];
  /** Number of the create request on its day, from 1. */
  readonly requestNumber: number;
  /** Uniform in [0, 1). It scales the fault. */
  readonly draw: number;
}
/** A fault at a time that only hard days have. */
interface HardFaultAtTime {
  readonly faultKind: (typeof HARD_TIMED_FAULTS)[number];
  /** Time since the start of the day, ms. */
  readonly atMs: number;
  /** Uniform in [0, 1). It scales the fault. */
  readonly draw: number;
}
/** A fault that only hard days have. */
export type HardFault = HardRequestFault | HardFaultAtTime;

/** Seeds above this have hard days. The days of all other seeds keep their recorded hashes. */
const LAST_PLAIN_SEED = 1000;

/** True for a seed whose day has hard faults. */
export const isHardDay = (seed: number): boolean => seed > LAST_PLAIN_SEED && themeOf(seed) === null;

/** Clocks of a hard day are at most this far ahead or behind, ms. */
const HARD_SKEW_MS = 60_000;
/** Clocks of other days without a theme are at most this far ahead or behind, ms. */
const PLAIN_SKEW_MS = 3000;

/** Settings of a day that the schedule does not contain. */
export type DayTerms = ThemeTerms;
/** Longest visibility delay of the exchange on days without a theme, ms. */
const MAX_VISIBILITY_MS = 1500;

/** Returns the settings of a day. */
export function dayTermsOf(seed: number): DayTerms {
  const theme = themeOf(seed);
  if (theme !== null) return themedWorldSettings(seed, theme);
  const maxVisibilityMs = MAX_VISIBILITY_MS;
  if (!isHardDay(seed)) return { maxSkewMs: PLAIN_SKEW_MS, hidesClientIds: false, hasBursts: false, maxVisibilityMs };
  const rng = rngOf(seed, 'hardDay');
  return { maxSkewMs: HARD_SKEW_MS, hidesClientIds: rng.next() < 0.5, hasBursts: rng.next() < 0.5, maxVisibilityMs };
}

/** Largest share of the create requests that have one kind of fault, except crashes. */
const MAX_SHARE = 0.2;
/** Share of the create requests after which the exchange crashes. */
const CRASH_SHARE = { min: 0.02, max: 0.1 };
/** Largest number of timed faults of one kind, except crashes, on a day of any length. */
const MAX_TIMED = 2;
/** Largest number of crashes of the exchange at a time. */
const MAX_CRASHES = 5;

/**
 * Draws the additional faults of a hard day. Each kind has a random generator of its own, so that a new kind does not change the others.
 * `faultyMs`: length of the part of the day that has faults.
 */
export function hardFaultsOf(seed: number, faultyMs: number): readonly HardFault[] {
  // A request has one fault: that of the last kind that draws it.
  const requestFaults = new Map<number, HardRequestFault>();
  for (const [kindIndex, faultKind] of HARD_REQUEST_FAULTS.entries()) {
    const rng = seededRng(seed * 31 + kindIndex);
    const position = rng.next() ** 2;
    const crashShare = CRASH_SHARE.min + position * (CRASH_SHARE.max - CRASH_SHARE.min);
    const share = faultKind === 'crashAfterCreate' ? crashShare : position * MAX_SHARE;
    for (let requestNumber = 1; requestNumber <= MAX_CREATES; requestNumber++)
      if (rng.next() < share) requestFaults.set(requestNumber, { faultKind, requestNumber, draw: rng.next() });
  }
  const timedFaults = HARD_TIMED_FAULTS.flatMap((faultKind, kindIndex) => {
    const rng = seededRng(seed * 37 + kindIndex);
    const draw = rng.next();
    const count = faultKind === 'exchangeCrash' ? 1 + Math.floor(draw * MAX_CRASHES) : Math.floor(draw * (MAX_TIMED + 1));
    const drawFault = (): HardFaultAtTime => ({ faultKind, atMs: drawFaultMs(rng, faultyMs), draw: rng.next() });
    return Array.from({ length: count }, drawFault);
  });
  return [...requestFaults.values(), ...timedFaults];
}
