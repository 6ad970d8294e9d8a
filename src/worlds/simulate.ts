// Runs a user's bot through simulated days. Each seed is one day, which the bot runs without faults and then with them.

import { createHash } from 'node:crypto';
import type { Decimal } from '../base/number/decimal.ts';
import { runDay, type DayOutcome } from './day/dayRun.ts';
import { NO_FAULTS, scheduleOf } from './day/daySchedule.ts';
import type { DayViolation } from './day/dayWatcher.ts';
import { openUsersBot } from './day/usersBot.ts';

/** The days to simulate. */
export interface SimRequest {
  /** A run definition, or the config of a bot. */
  readonly file: string;
  readonly fromSeed: number;
  readonly days: number;
  /** Takes lines about all events of the days with faults. Null to print nothing. */
  readonly print: ((line: string) => void) | null;
  /** Called after each simulated hour with the number of finished days. The run without faults counts as the first half of a day. */
  readonly onProgress: (days: number) => void;
}

/** A broken rule. */
export interface SimViolation extends DayViolation {
  /** True when the day without faults broke the rule. */
  readonly isWithoutFaults: boolean;
}

/** The result of one day. */
export interface SimDay {
  readonly seed: number;
  readonly startMs: number;
  readonly startEquity: Decimal;
  /** Equity at the end of the day with faults. */
  readonly withFaults: Decimal;
  /** Equity at the end of the same day without faults. */
  readonly withoutFaults: Decimal;
  /** Cost of the faults. Below 0 if they gained money. */
  readonly cost: Decimal;
  readonly orders: number;
  readonly fills: number;
  /** Number of orders whose outcome was unknown for a time. */
  readonly unknown: number;
  readonly restarts: number;
  /** Number of halts that the operator had to clear. */
  readonly cleared: number;
  /** Minutes with a position that stops did not fully protect. Null for a strategy that does not place a stop for each position. */
  readonly naked: { readonly withFaults: number; readonly withoutFaults: number } | null;
  readonly violations: readonly SimViolation[];
  readonly hash: string;
}

/** The result of all days. */
export interface SimReport {
  readonly name: string;
  readonly asset: string;
  readonly notes: readonly string[];
  readonly days: readonly SimDay[];
  /** The day with the highest cost of faults. */
  readonly worst: SimDay;
  readonly hash: string;
}

/** Returns the result of all days. Throws ConfigError or StrategyError for a bot that cannot run. */
export async function simulate({ file, fromSeed, days: count, print, onProgress }: SimRequest): Promise<SimReport> {
  const bot = await openUsersBot(file);
  const days: SimDay[] = [];
  for (let index = 0; index < count; index++) {
    const seed = fromSeed + index;
    const startMs = bot.startOf(seed);
    const day = { bot, seed, startMs };
    // Each of the two runs of a day is half of its work.
    const onHourFrom = (doneShare: number) => (shareOfRun: number) => onProgress(index + doneShare + shareOfRun / 2);
    const calm = await runDay({ ...day, schedule: NO_FAULTS, mustProtect: false, print: null, onHour: onHourFrom(0) });
    const faulty = await runDay({ ...day, schedule: scheduleOf(seed), mustProtect: calm.protects, print, onHour: onHourFrom(0.5) });
    days.push(dayResult(seed, startMs, calm, faulty));
  }
  const worst = days.reduce((worstSoFar, day) => (day.cost.greaterThan(worstSoFar.cost) ? day : worstSoFar));
  return { name: bot.name, asset: bot.asset, notes: bot.notes, days, worst, hash: hashOf(days.map(({ hash }) => hash)) };
}

/** Returns the result of a day from its run without faults (`calm`) and its run with faults. */
function dayResult(seed: number, startMs: number, calm: DayOutcome, faulty: DayOutcome): SimDay {
  const { startEquity, orders, fills, unknown, restarts, cleared } = faulty;
  const unprotectedMinutes = ({ unprotectedMs }: DayOutcome): number => Math.round(unprotectedMs / 60_000);
  return {
    seed,
    startMs,
    startEquity,
    withFaults: faulty.equity,
    withoutFaults: calm.equity,
    cost: calm.equity.minus(faulty.equity),
    orders,
    fills,
    unknown,
    restarts,
    cleared,
    naked: calm.protects ? { withFaults: unprotectedMinutes(faulty), withoutFaults: unprotectedMinutes(calm) } : null,
    violations: [
      ...calm.violations.map((violation) => ({ ...violation, isWithoutFaults: true })),
      ...faulty.violations.map((violation) => ({ ...violation, isWithoutFaults: false })),
    ],
    hash: hashOf([calm.hash, faulty.hash]),
  };
}

/** Number of characters of the hash of a day. */
const HASH_LETTERS = 16;

/** Returns a short hash of texts. */
const hashOf = (texts: readonly string[]): string => createHash('sha256').update(texts.join(' ')).digest('hex').slice(0, HASH_LETTERS);
