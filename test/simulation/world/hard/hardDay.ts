// Draws what only hard days have: more kinds of faults, clocks far off, lists without client order ids, and bursts of equal orders.

import { seededRng } from '../../../../src/base/number/rng.ts';
import { themeOf, themedWorldSettings, type ThemeTerms } from '../themes/themedDay.ts';
import { MAX_CREATES, rngOf } from '../draws.ts';

/** Faults of create requests that only hard days have. */
export const HARD_REQUEST_FAULTS = ['unknownCode', 'slowAdmission', 'jsonPage', 'lateAdmission', 'crashAfterCreate'] as const;
/** Acts of a person at the exchange, beside the bot. */
const MANUAL_ACTS = ['manualCancel', 'manualSale', 'transfer'] as const;
export type ManualAct = (typeof MANUAL_ACTS)[number];
export const isManualAct = (what: string): what is ManualAct => (MANUAL_ACTS as readonly string[]).includes(what);
/** Faults of the clocks: of the bot's computer when a process starts, of the exchange, and of a computer that sleeps. */
const CLOCK_FAULTS = ['clockStep', 'exchangeClock', 'sleep'] as const;
export type ClockFault = (typeof CLOCK_FAULTS)[number];
export const isClockFault = (what: string): what is ClockFault => (CLOCK_FAULTS as readonly string[]).includes(what);
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
export const isHardTimed = (what: string): what is (typeof HARD_TIMED_FAULTS)[number] =>
  (HARD_TIMED_FAULTS as readonly string[]).includes(what);
type HardFaultKind = (typeof HARD_REQUEST_FAULTS)[number] | (typeof HARD_TIMED_FAULTS)[number];

/** A fault that only hard days have. `at`: as in the schedule. */
export interface HardFault {
  readonly what: HardFaultKind;
  readonly at: number;
  readonly size: number;
}

/** Seeds above this have hard days. All others have the hashes that they had before there were hard days. */
const LAST_PLAIN_SEED = 1000;
export const isHardDay = (seed: number): boolean => seed > LAST_PLAIN_SEED && themeOf(seed) === null;

/** Clocks of a hard day are at most this far ahead or behind, ms. Clocks of other days: 3 s. */
const HARD_SKEW_MS = 60_000;
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

/** Largest share of the create requests that have one kind of fault. */
const MAX_SHARE = 0.2;
/** Share of those after which the exchange crashes. */
const CRASH_SHARE = { min: 0.02, max: 0.1 };
/** Largest number of timed faults of one kind, in the shortest day too. */
const MAX_TIMED = 2;
const MAX_CRASHES = 5;

/**
 * Draws the faults that a hard day has beside its others. Each kind has a generator of its own, so that a new kind leaves the others as they are.
 * `faultyMs`: length of the part of the day that has faults.
 */
export function hardFaultsOf(seed: number, faultyMs: number): readonly HardFault[] {
  const list = new Map<number, HardFault>();
  for (const [kind, what] of HARD_REQUEST_FAULTS.entries()) {
    const rng = seededRng(seed * 31 + kind);
    const drawn = rng.next() ** 2;
    const share = what === 'crashAfterCreate' ? CRASH_SHARE.min + drawn * (CRASH_SHARE.max - CRASH_SHARE.min) : drawn * MAX_SHARE;
    for (let at = 1; at <= MAX_CREATES; at++) if (rng.next() < share) list.set(at, { what, at, size: rng.next() });
  }
  const timed = HARD_TIMED_FAULTS.flatMap((what, kind) => {
    const rng = seededRng(seed * 37 + kind);
    return Array.from(
      { length: what === 'exchangeCrash' ? 1 + Math.floor(rng.next() * MAX_CRASHES) : Math.floor(rng.next() * (MAX_TIMED + 1)) },
      (): HardFault => {
        return { what, at: Math.floor((0.01 + rng.next() * 0.98) * faultyMs), size: rng.next() };
      },
    );
  });
  return [...list.values(), ...timed];
}
