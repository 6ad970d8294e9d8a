// Waiting for cancels that are in progress when a bot starts.

import { expect, it } from 'vitest';
import { STATE } from '../../../orders/lifecycle.ts';
import { afterCancels } from './afterCancels.ts';

/** Timers on a time that the test moves. */
function world(states: number[]) {
  const timers = new Map<number, { readonly timeMs: number; readonly run: () => void }>();
  let handles = 0;
  const scheduler = {
    nowMs: 1000,
    at: (timeMs: number, run: () => void) => (timers.set(++handles, { timeMs, run }), handles),
    cancel: (handle: number) => void timers.delete(handle),
  };
  const moveTo = (ms: number): void => {
    for (;;) {
      const next = [...timers].toSorted(([, a], [, b]) => a.timeMs - b.timeMs).find(([, { timeMs }]) => timeMs <= ms);
      if (next === undefined) break;
      timers.delete(next[0]);
      scheduler.nowMs = next[1].timeMs;
      next[1].run();
    }
    scheduler.nowMs = ms;
  };
  const engine = { orders: { active: () => states.map((state) => ({ state })) } } as never;
  let calls = 0;
  const end = afterCancels({ engine, scheduler, limitMs: 10_000 }, () => void calls++);
  return { moveTo, end, calls: () => calls, timers: () => timers.size };
}

it('continues at once where no cancel is under way', () => {
  for (const states of [[], [STATE.working], [STATE.unknown, STATE.sent]]) {
    const { calls, timers } = world(states);
    expect([calls(), timers()]).toEqual([1, 0]);
  }
});

it('waits until the last cancel has ended, and no longer', () => {
  const states: number[] = [STATE.cancelSent, STATE.working, STATE.cancelSent];
  const { moveTo, calls, timers } = world(states);
  states[0] = STATE.done;
  moveTo(4000);
  expect(calls()).toBe(0);
  states[2] = STATE.done;
  moveTo(4500);
  expect([calls(), timers()]).toEqual([1, 0]);
});

it('continues when the time has ended, and never after the wait was ended', () => {
  const first = world([STATE.cancelSent]);
  first.moveTo(10_900);
  expect(first.calls()).toBe(0);
  first.moveTo(11_250);
  expect([first.calls(), first.timers()]).toEqual([1, 0]);
  const second = world([STATE.cancelSent]);
  second.moveTo(2000);
  second.end();
  second.moveTo(99_000);
  expect([second.calls(), second.timers()]).toEqual([0, 0]);
});
