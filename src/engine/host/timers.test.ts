// Tests the timers: they fire on the UTC grid, once at each due time, in order of registration.

import { describe, expect, it } from 'vitest';
import { Timers } from './timers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIDNIGHT = Date.UTC(2024, 0, 1);

/** Runs timers up to `ms`, and returns the strategy and the time of each call. */
function firedUntil(timers: Timers, ms: number): [string, number][] {
  const fired: [string, number][] = [];
  while (timers.nextMs <= ms) {
    const dueMs = timers.nextMs;
    timers.runDue(dueMs, (strategy, handler) => {
      handler();
      fired.push([`of ${strategy}`, (dueMs - MIDNIGHT) / MINUTE]);
    });
  }
  return fired;
}

describe('Timers', () => {
  it('timers have nothing due before the run begins', () => {
    const timers = new Timers();
    expect(timers.nextMs).toBe(Infinity);
    timers.every(0, HOUR, () => {}, NaN);
    expect(timers.nextMs).toBe(Infinity);
    expect([timers.has(0), timers.has(1)]).toEqual([true, false]);
  });

  it('a timer fires after every full period, not at the start', () => {
    const timers = new Timers();
    timers.every(3, HOUR, () => {}, NaN);
    timers.start(MIDNIGHT);
    expect(firedUntil(timers, MIDNIGHT + 3 * HOUR)).toEqual([['of 3', 60], ['of 3', 120], ['of 3', 180]]); // prettier-ignore
  });

  it('a timer that starts in the middle of a period fires next on the grid', () => {
    const timers = new Timers();
    timers.every(0, 15 * MINUTE, () => {}, NaN);
    timers.start(MIDNIGHT + 7 * MINUTE + 1);
    expect(timers.nextMs).toBe(MIDNIGHT + 15 * MINUTE);
  });

  it('a daily timer fires at its time of day, and first on the next day if that time has passed', () => {
    const timers = new Timers();
    timers.at(0, 8 * HOUR, () => {}, NaN);
    timers.start(MIDNIGHT + 8 * HOUR);
    expect(timers.nextMs).toBe(MIDNIGHT + 32 * HOUR);
    expect(firedUntil(timers, MIDNIGHT + 80 * HOUR).map(([, minute]) => minute / 60)).toEqual([32, 56, 80]);
  });

  it('a timer that is registered during the run fires first at the next time on the grid', () => {
    const timers = new Timers();
    timers.start(MIDNIGHT);
    timers.every(0, HOUR, () => {}, MIDNIGHT + 150 * MINUTE);
    timers.at(0, 2 * HOUR, () => {}, MIDNIGHT + 150 * MINUTE);
    expect(firedUntil(timers, MIDNIGHT + 26 * HOUR).map(([, minute]) => minute / 60)).toEqual(
      [...Array(23).keys()].map((hour) => hour + 3).concat(26, 26),
    );
  });

  it('a cron timer fires at the times of its pattern until the last one, and throws without a calendar', () => {
    const timers = new Timers();
    expect(() => timers.cron(0, '* * * * *', 'UTC', () => {}, NaN)).toThrow(/no calendar is available here/);
    const times = [2, 5, 9].map((hour) => MIDNIGHT + hour * HOUR);
    timers.cronTimes = () => (afterMs) => times.find((ms) => ms > afterMs) ?? Infinity;
    timers.cron(0, '* * * * *', 'UTC', () => {}, NaN);
    timers.start(MIDNIGHT + 2 * HOUR);
    expect(firedUntil(timers, MIDNIGHT + 80 * HOUR).map(([, minute]) => minute / 60)).toEqual([5, 9]);
    expect(timers.nextMs).toBe(Infinity);
  });

  it('timers of equal times fire in order of registration, including those that a timer has registered', () => {
    const timers = new Timers();
    const ran: string[] = [];
    timers.at(1, HOUR, () => ran.push('at'), NaN);
    const registerTimer = () => timers.every(2, 30 * MINUTE, () => ran.push('made'), MIDNIGHT + 30 * MINUTE);
    const every = () => {
      ran.push('every');
      if (ran.length === 1) registerTimer();
    };
    timers.every(0, 30 * MINUTE, every, NaN);
    timers.start(MIDNIGHT);
    firedUntil(timers, MIDNIGHT + HOUR);
    expect(ran).toEqual(['every', 'at', 'every', 'made']);
  });
});
