// Tests that a starting bot waits for cancels that are in progress.

import { expect, it } from 'vitest';
import { STATE } from '../../../orders/lifecycle.ts';
import { afterCancels } from './afterCancels.ts';

/** Starts a wait for orders in `states`. The test moves the time. */
function startWait(states: number[]) {
  const timers = new Map<number, { readonly timeMs: number; readonly run: () => void }>();
  let handles = 0;
  const scheduler = {
    nowMs: 1000,
    at: (timeMs: number, run: () => void) => (timers.set(++handles, { timeMs, run }), handles),
    cancel: (handle: number) => void timers.delete(handle),
  };
  const moveTo = (ms: number): void => {
    for (;;) {
      const dueTimer = [...timers].toSorted(([, a], [, b]) => a.timeMs - b.timeMs).find(([, { timeMs }]) => timeMs <= ms);
      if (dueTimer === undefined) break;
      timers.delete(dueTimer[0]);
      scheduler.nowMs = dueTimer[1].timeMs;
      dueTimer[1].run();
    }
    scheduler.nowMs = ms;
  };
  const engine = { orders: { active: () => states.map((state) => ({ state })) } } as never;
  let calls = 0;
  const end = afterCancels({ engine, scheduler, limitMs: 10_000 }, () => void calls++);
  return { moveTo, end, calls: () => calls, timers: () => timers.size };
}

it('the bot continues at once if no cancel is in progress', () => {
  for (const states of [[], [STATE.working], [STATE.unknown, STATE.sent]]) {
    const { calls, timers } = startWait(states);
    expect([calls(), timers()]).toEqual([1, 0]);
  }
});

it('the bot continues as soon as the last cancel has ended', () => {
  const states: number[] = [STATE.cancelSent, STATE.working, STATE.cancelSent];
  const { moveTo, calls, timers } = startWait(states);
  states[0] = STATE.done;
  moveTo(4000);
  expect(calls()).toBe(0);
  states[2] = STATE.done;
  moveTo(4500);
  expect([calls(), timers()]).toEqual([1, 0]);
});

it('the bot continues after the time limit, and never after the wait was cancelled', () => {
  const timedOut = startWait([STATE.cancelSent]);
  timedOut.moveTo(10_900);
  expect(timedOut.calls()).toBe(0);
  timedOut.moveTo(11_250);
  expect([timedOut.calls(), timedOut.timers()]).toEqual([1, 0]);
  const endedEarly = startWait([STATE.cancelSent]);
  endedEarly.moveTo(2000);
  endedEarly.end();
  endedEarly.moveTo(99_000);
  expect([endedEarly.calls(), endedEarly.timers()]).toEqual([0, 0]);
});
