// Tests the timers: they fire on the UTC grid, once at each due time, in order of registration.

import { describe, expect, it } from 'vitest';
import { Timers } from './timers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIDNIGHT_MS = Date.UTC(2024, 0, 1);

/** Runs timers up to `ms`, and returns the strategy and the time of each call. */
function firedUntil(timers: Timers, ms: number): [string, number][] {
  const fired: [string, number][] = [];
  while (timers.nextMs <= ms) {
    const dueMs = timers.nextMs;
    timers.runDue(dueMs, (strategy, handler) => {
      handler();
      fired.push([`of ${strategy}`, (dueMs - MIDNIGHT_MS) / MINUTE_MS]);
    });
  }
  return fired;
}

describe('Timers', () => {
  it('timers have nothing due before the run begins', () => {
    const timers = new Timers();
    expect(timers.nextMs).toBe(Infinity);
    timers.every(0, HOUR_MS, () => {}, NaN);
    expect(timers.nextMs).toBe(Infinity);
    expect([timers.has(0), timers.has(1)]).toEqual([true, false]);
  });

  it('a timer fires after every full period, not at the start', () => {
    const timers = new Timers();
    timers.every(3, HOUR_MS, () => {}, NaN);
    timers.start(MIDNIGHT_MS);
    expect(firedUntil(timers, MIDNIGHT_MS + 3 * HOUR_MS)).toEqual([['of 3', 60], ['of 3', 120], ['of 3', 180]]); // prettier-ignore
  });

  it('a timer that starts in the middle of a period fires next on the grid', () => {
    const timers = new Timers();
    timers.every(0, 15 * MINUTE_MS, () => {}, NaN);
    timers.start(MIDNIGHT_MS + 7 * MINUTE_MS + 1);
    expect(timers.nextMs).toBe(MIDNIGHT_MS + 15 * MINUTE_MS);
  });

  it('a daily timer fires at its time of day, and first on the next day if that time has passed', () => {
    const timers = new Timers();
    timers.at(0, 8 * HOUR_MS, () => {}, NaN);
    timers.start(MIDNIGHT_MS + 8 * HOUR_MS);
    expect(timers.nextMs).toBe(MIDNIGHT_MS + 32 * HOUR_MS);
    expect(firedUntil(timers, MIDNIGHT_MS + 80 * HOUR_MS).map(([, minute]) => minute / 60)).toEqual([32, 56, 80]);
  });

  it('a timer that is registered during the run fires first at the next time on the grid', () => {
    const timers = new Timers();
    timers.start(MIDNIGHT_MS);
    timers.every(0, HOUR_MS, () => {}, MIDNIGHT_MS + 150 * MINUTE_MS);
    timers.at(0, 2 * HOUR_MS, () => {}, MIDNIGHT_MS + 150 * MINUTE_MS);
    expect(firedUntil(timers, MIDNIGHT_MS + 26 * HOUR_MS).map(([, minute]) => minute / 60)).toEqual(
      [...Array(23).keys()].map((hour) => hour + 3).concat(26, 26),
    );
  });

  it('a cron timer fires at the times of its pattern until the last one, and throws without a calendar', () => {
    const timers = new Timers();
    expect(() => timers.cron(0, '* * * * *', 'UTC', () => {}, NaN)).toThrow(/no calendar is available here/);
    const times = [2, 5, 9].map((hour) => MIDNIGHT_MS + hour * HOUR_MS);
    timers.cronTimes = () => (afterMs) => times.find((ms) => ms > afterMs) ?? Infinity;
    timers.cron(0, '* * * * *', 'UTC', () => {}, NaN);
    timers.start(MIDNIGHT_MS + 2 * HOUR_MS);
    expect(firedUntil(timers, MIDNIGHT_MS + 80 * HOUR_MS).map(([, minute]) => minute / 60)).toEqual([5, 9]);
    expect(timers.nextMs).toBe(Infinity);
  });

  it('timers of equal times fire in order of registration, including those that a timer has registered', () => {
    const timers = new Timers();
    const calls: string[] = [];
    timers.at(1, HOUR_MS, () => calls.push('at'), NaN);
    const registerTimer = () => timers.every(2, 30 * MINUTE_MS, () => calls.push('registered'), MIDNIGHT_MS + 30 * MINUTE_MS);
    const callEvery = () => {
      calls.push('every');
      if (calls.length === 1) registerTimer();
    };
    timers.every(0, 30 * MINUTE_MS, callEvery, NaN);
    timers.start(MIDNIGHT_MS);
    firedUntil(timers, MIDNIGHT_MS + HOUR_MS);
    expect(calls).toEqual(['every', 'at', 'every', 'registered']);
  });

  it('hundreds of thousands of missed calls are made up for, in order of their times, after a handler has thrown, too', () => {
    const timers = new Timers();
    const calls: number[] = [];
    const daysMissed = 200;
    const addTimer = (strategy: number, periodMs: number): void =>
      timers.every(strategy, periodMs, () => void calls.push(strategy), MIDNIGHT_MS, 'all');
    timers.start(MIDNIGHT_MS);
    addTimer(0, MINUTE_MS);
    addTimer(1, HOUR_MS);
    let failures = 0;
    const callTimer = (_strategy: number, handler: () => void): void => {
      handler();
      if (calls.length === 100 && failures++ === 0) throw new Error('planted');
    };
    const untilMs = MIDNIGHT_MS + daysMissed * 24 * HOUR_MS;
    expect(() => timers.runMissed(untilMs, callTimer)).toThrow('planted');
    timers.runMissed(untilMs, callTimer);
    expect(calls).toHaveLength(daysMissed * 24 * 61);
    // At each full hour the timer that was registered first comes first.
    expect(calls.slice(0, 61)).toEqual([...Array(60).fill(0), 1]);
    expect(calls.slice(-2)).toEqual([0, 1]);
  });
});
