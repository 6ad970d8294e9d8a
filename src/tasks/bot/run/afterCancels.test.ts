// Tests that a starting bot waits for pending cancels before it continues, but only up to a time limit.

import { expect, it } from 'vitest';
import { STATE } from '../../../orders/lifecycle.ts';
import { afterCancels } from './afterCancels.ts';

const START_MS = 1000;
const MAX_WAIT_MS = 10_000;
/** Time between two checks, as in afterCancels.ts. */
const CHECK_PERIOD_MS = 250;

/**
 * Starts a wait for orders in `states`. The test changes the states and moves the time with `moveTo`. `end` ends the wait; `calls` and `timers`
 * count how often the bot was continued, and the timers that are set.
 */
function startWait(states: number[]) {
  const timers = new Map<number, { readonly timeMs: number; readonly run: () => void }>();
  let lastHandle = 0;
  const scheduler = {
    nowMs: START_MS,
    at: (timeMs: number, run: () => void) => (timers.set(++lastHandle, { timeMs, run }), lastHandle),
    cancel: (handle: number) => void timers.delete(handle),
  };
  const moveTo = (untilMs: number): void => {
    for (;;) {
      const timersByTime = [...timers].toSorted(([, a], [, b]) => a.timeMs - b.timeMs);
      const dueTimer = timersByTime.find(([, { timeMs }]) => timeMs <= untilMs);
      if (dueTimer === undefined) break;
      const [handle, { timeMs, run }] = dueTimer;
      timers.delete(handle);
      scheduler.nowMs = timeMs;
      run();
    }
    scheduler.nowMs = untilMs;
  };
  const engine = { orders: { active: () => states.map((state) => ({ state })) } } as never;
  let calls = 0;
  const end = afterCancels({ engine, scheduler, maxWaitMs: MAX_WAIT_MS }, () => void calls++);
  return { moveTo, end, calls: () => calls, timers: () => timers.size };
}

it('without a pending cancel, the bot continues at once', () => {
  for (const states of [[], [STATE.working], [STATE.unknown, STATE.sent]]) {
    const { calls, timers } = startWait(states);
    expect([calls(), timers()]).toEqual([1, 0]);
  }
});

it('with two pending cancels, the bot continues at the first check after both have ended', () => {
  const states: number[] = [STATE.cancelSent, STATE.working, STATE.cancelSent];
  const { moveTo, calls, timers } = startWait(states);
  states[0] = STATE.done;
  moveTo(START_MS + 3000);
  expect(calls()).toBe(0);
  states[2] = STATE.done;
  moveTo(START_MS + 3000 + CHECK_PERIOD_MS);
  expect([calls(), timers()]).toEqual([1, 0]);
});

it('with a cancel that never ends, the bot continues after the time limit', () => {
  const { moveTo, calls, timers } = startWait([STATE.cancelSent]);
  moveTo(START_MS + MAX_WAIT_MS - 1);
  expect(calls()).toBe(0);
  moveTo(START_MS + MAX_WAIT_MS);
  expect([calls(), timers()]).toEqual([1, 0]);
});

it('after the wait was ended, the bot never continues', () => {
  const { moveTo, end, calls, timers } = startWait([STATE.cancelSent]);
  moveTo(START_MS + 1000);
  end();
  moveTo(START_MS + 10 * MAX_WAIT_MS);
  expect([calls(), timers()]).toEqual([0, 0]);
});
