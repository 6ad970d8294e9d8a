// Timers of strategies: `every` period and `at` a time of day on the UTC grid, or `cron` by a pattern. They fire after the bars of their
// instant.

import { ConfigError } from '../../base/errors.ts';
import type { CronTimes } from '../../ports/cron.ts';
import type { Missed } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

const DAY_MS = 86_400_000;

/** A timer of a strategy. */
interface Timer {
  readonly strategy: number;
  /** Returns the first time at which it fires after `afterMs`. */
  readonly nextAfter: (afterMs: number) => number;
  readonly handler: () => void;
  readonly missed: Missed;
  /** The key of a timer that fires once; a new timer with the same key replaces it. Null for a timer that repeats. */
  readonly key: number | null;
  dueMs: number;
}

/** Calls the handler of a timer in the name of its strategy. */
type CallTimer = (strategyIndex: number, handler: () => void) => void;

/** The timers of all strategies, and the calls that are due. */
export class Timers {
  /** The earliest due time; Infinity without timers. */
  nextMs = INFINITY;
  /** Computes the times of cron patterns; null when the run has no calendar. */
  cronTimes: CronTimes | null = null;
  private readonly timers: Timer[] = [];
  /** Missed calls to make up for, the latest first, so that taking the next one costs the same for any number of them. */
  private missed: Timer[] = [];
  private isStarted = false;
  /** No timer fires before this time, ms UTC. */
  private heldUntilMs = -INFINITY;

  /** Fires at each multiple of the period since 1970-01-01T00:00Z. `nowMs`: the instant of the run at which the timer is registered. */
  every(strategyIndex: number, periodMs: number, handler: () => void, nowMs: number, missed: Missed = 'skip'): void {
    this.add({ strategy: strategyIndex, nextAfter: onGrid(periodMs, 0), handler, missed, key: null, dueMs: INFINITY }, nowMs);
  }
  /** Fires daily, `dayMs` after 00:00 UTC. */
  at(strategyIndex: number, dayMs: number, handler: () => void, nowMs: number, missed: Missed = 'skip'): void {
    this.add({ strategy: strategyIndex, nextAfter: onGrid(DAY_MS, dayMs), handler, missed, key: null, dueMs: INFINITY }, nowMs);
  }
  /** Fires when a cron pattern names a time on the clock of a zone. Throws ConfigError for a wrong pattern or zone, and without a calendar. */
  cron(strategyIndex: number, pattern: string, timeZone: string, handler: () => void, nowMs: number, missed: Missed = 'skip'): void {
    if (this.cronTimes === null) throw new ConfigError(`cron('${pattern}'): no calendar is available here`, 'use every or at');
    this.add({ strategy: strategyIndex, nextAfter: this.cronTimes(pattern, timeZone), handler, missed, key: null, dueMs: INFINITY }, nowMs);
  }

  /**
   * Fires once, at the first instant at or after `timeMs`; a live bot that was down then makes up for it. It replaces the strategy's timer with
   * the same key. Null: only removes that timer.
   */
  once(strategyIndex: number, key: number, timeMs: number | null, handler: () => void, nowMs: number): void {
    this.remove((timer) => timer.strategy === strategyIndex && timer.key === key);
    if (timeMs === null) return this.findNext();
    this.add(
      {
        strategy: strategyIndex,
        nextAfter: (afterMs) => (afterMs < timeMs ? timeMs : INFINITY),
        handler,
        missed: 'once',
        key,
        dueMs: INFINITY,
      },
      nowMs,
    );
  }

  /** Returns the next due time of each timer, ms UTC, in order of registration. */
  due(): readonly number[] {
    return this.timers.map(({ dueMs }) => dueMs);
  }
  /** Restores the due times after a restart. */
  recall(due: readonly number[]): void {
    this.timers.forEach((timer, index) => (timer.dueMs = due[index] ?? timer.dueMs));
    this.findNext();
  }

  /** True when a strategy has a timer. */
  has(strategyIndex: number): boolean {
    return this.timers.some((timer) => timer.strategy === strategyIndex);
  }

  /** Sets every timer to its first time after `timeMs`. */
  start(timeMs: number): void {
    this.isStarted = true;
    for (const timer of this.timers) timer.dueMs = timer.nextAfter(timeMs);
    this.findNext();
  }

  /** Lets no timer fire before `timeMs`. Used to repeat a time in which a bot was down. */
  holdUntil(timeMs: number): void {
    this.heldUntilMs = timeMs;
    this.findNext();
  }

  /** Calls every timer due at or before `timeMs`, in order of registration. */
  runDue(timeMs: number, callTimer: CallTimer): void {
    // Loop over a copy, because a timer that fires once leaves the list and a handler may add or remove timers.
    for (const timer of this.timers.slice()) {
      if (timer.dueMs > timeMs || !this.timers.includes(timer)) continue;
      timer.dueMs = timer.nextAfter(timeMs);
      if (timer.key !== null) this.timers.splice(this.timers.indexOf(timer), 1);
      callTimer(timer.strategy, timer.handler);
    }
    this.findNext();
  }

  /**
   * Makes up for the time until `timeMs`, in which the bot was down. Calls the timers that fell due meanwhile, in order of their times,
   * as each timer's `missed` option says. After a handler has thrown, a second call continues with the next one.
   */
  runMissed(timeMs: number, callTimer: CallTimer): void {
    const missedCalls: { readonly dueMs: number; readonly timer: Timer }[] = [];
    for (const timer of this.timers) {
      if (timer.dueMs > timeMs) continue;
      if (timer.missed === 'all')
        for (let dueMs = timer.dueMs; dueMs <= timeMs; dueMs = timer.nextAfter(dueMs)) missedCalls.push({ dueMs, timer });
      else if (timer.missed === 'once') missedCalls.push({ dueMs: timer.dueMs, timer });
      timer.dueMs = timer.nextAfter(timeMs);
    }
    this.remove(({ key, dueMs }) => key !== null && dueMs === INFINITY);
    this.findNext();
    const inTimeOrder = missedCalls.toSorted((call, other) => call.dueMs - other.dueMs).map(({ timer }) => timer);
    this.missed = [...inTimeOrder.toReversed(), ...this.missed];
    for (let timer = this.missed.pop(); timer !== undefined; timer = this.missed.pop()) callTimer(timer.strategy, timer.handler);
  }

  private add(timer: Timer, nowMs: number): void {
    if (this.isStarted) timer.dueMs = timer.nextAfter(nowMs);
    this.timers.push(timer);
    this.findNext();
  }
  private remove(isRemoved: (timer: Timer) => boolean): void {
    for (let index = this.timers.length - 1; index >= 0; index--) if (isRemoved(this.timers[index]!)) this.timers.splice(index, 1);
  }
  private findNext(): void {
    const earliestMs = this.timers.reduce((earliest, timer) => Math.min(earliest, timer.dueMs), INFINITY);
    this.nextMs = Math.max(earliestMs, this.heldUntilMs);
  }
}

/** Returns a function that gives the first time after another one on the grid of a period. */
const onGrid =
  (periodMs: number, offsetMs: number) =>
  (afterMs: number): number =>
    Math.floor((afterMs - offsetMs) / periodMs + 1) * periodMs + offsetMs;
