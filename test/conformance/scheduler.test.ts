// Tests the promises of the Scheduler on the queue of a backtest and on the timers of live trading.

import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import { nowMs } from '../../src/adapters/clock/wallClock.ts';
import type { Scheduler } from '../../src/ports/scheduler.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';

/** A scheduler under test. */
interface TestedScheduler {
  readonly scheduler: Scheduler;
  /** Lets time pass until everything due by `ms` has run. */
  readonly until: (ms: number) => Promise<void>;
  readonly close: () => void;
}

const SCHEDULERS: Readonly<Record<string, () => TestedScheduler>> = {
  DueQueue: () => {
    const scheduler = new DueQueue();
    scheduler.runDue(1000);
    return { scheduler, until: async (ms) => scheduler.runDue(ms), close: () => {} };
  },
  LiveScheduler: () => liveScheduler(1),
  'LiveScheduler at twenty times the speed': () => liveScheduler(20),
};

/** Returns the scheduler of live trading. */
function liveScheduler(speed: number): TestedScheduler {
  const scheduler = new LiveScheduler({ speed });
  const until = async (ms: number): Promise<void> => {
    // The first callback is registered last, so it runs after all others of that time. Callbacks that they registered run before the second.
    await new Promise<void>((resolve) => scheduler.at(ms, resolve));
    await new Promise<void>((resolve) => scheduler.at(scheduler.nowMs, resolve));
  };
  return { scheduler, until, close: () => scheduler.close() };
}

describe.each(Object.entries(SCHEDULERS))('%s', (_name, open) => {
  const openSchedulers: TestedScheduler[] = [];
  const openScheduler = (): TestedScheduler => {
    const opened = open();
    openSchedulers.push(opened);
    return opened;
  };
  afterEach(() => {
    for (const opened of openSchedulers.splice(0)) opened.close();
  });

  test('a scheduler runs nothing within the call, nothing early, and each callback once', async () => {
    const { scheduler, until } = openScheduler();
    const fromMs = scheduler.nowMs;
    const calls: { readonly delayMs: number; readonly calledAfterMs: number }[] = [];
    for (const delayMs of [0, 1, 5, 12])
      scheduler.at(fromMs + delayMs, () => calls.push({ delayMs, calledAfterMs: scheduler.nowMs - fromMs }));
    expect(calls).toEqual([]);
    await until(fromMs + 20);
    expect(calls.map(({ delayMs }) => delayMs)).toEqual([0, 1, 5, 12]);
    for (const { delayMs, calledAfterMs } of calls) expect(calledAfterMs).toBeGreaterThanOrEqual(delayMs);
  });

  test('a scheduler runs a new callback after the earlier ones of the same time', async () => {
    const { scheduler, until } = openScheduler();
    const dueMs = scheduler.nowMs + 5;
    const calls: string[] = [];
    scheduler.at(dueMs, () => {
      calls.push('first');
      scheduler.at(scheduler.nowMs, () => calls.push('requested meanwhile'));
    });
    scheduler.at(dueMs, () => calls.push('second'));
    await until(dueMs + 5);
    expect(calls).toEqual(['first', 'second', 'requested meanwhile']);
  });

  test('a scheduler does not run a cancelled callback, also if a callback of the same time cancels it', async () => {
    const { scheduler, until } = openScheduler();
    const dueMs = scheduler.nowMs + 3;
    const calls: string[] = [];
    const cancelled = scheduler.at(dueMs, () => calls.push('cancelled'));
    scheduler.cancel(cancelled);
    scheduler.cancel(cancelled);
    const first = scheduler.at(dueMs, () => {
      calls.push('first');
      scheduler.cancel(second);
      scheduler.cancel(first);
    });
    const second = scheduler.at(dueMs, () => calls.push('second'));
    scheduler.at(dueMs, () => calls.push('third'));
    await until(dueMs + 2);
    expect(calls).toEqual(['first', 'third']);
  });

  test('a scheduler runs random histories in the order of a sorted list', async () => {
    const step = fc.record({ delayMs: fc.integer({ min: 0, max: 12 }), cancels: fc.option(fc.nat(60), { freq: 4 }) });
    const histories = fc.sample(fc.array(step, { minLength: 1, maxLength: 60 }), { numRuns: 40, seed: 7 });
    await Promise.all(
      histories.map(async (steps) => {
        const { scheduler, until } = openScheduler();
        const fromMs = scheduler.nowMs;
        const calls: number[] = [];
        const handles: number[] = [];
        let expectedCalls: { delayMs: number; name: number }[] = [];
        for (const { delayMs, cancels } of steps) {
          const name = handles.length;
          // All times count from the start, so that the expected order does not depend on the duration of this loop.
          handles.push(scheduler.at(fromMs + delayMs, () => calls.push(name)));
          expectedCalls.push({ delayMs, name });
          if (cancels === null || handles[cancels] === undefined) continue;
          scheduler.cancel(handles[cancels]);
          expectedCalls = expectedCalls.filter((callback) => callback.name !== cancels);
        }
        await until(fromMs + 15);
        const inOrder = expectedCalls.toSorted((a, b) => a.delayMs - b.delayMs || a.name - b.name);
        expect(calls).toEqual(inOrder.map(({ name }) => name));
      }),
    );
  });
});

describe('LiveScheduler', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('LiveScheduler starts at the wall clock and is not moved by it afterwards', () => {
    const scheduler = new LiveScheduler();
    // The smallest of three: a busy computer may take the processor away in between.
    expect(Math.min(...[1, 2, 3].map(() => Math.abs(scheduler.nowMs - nowMs())))).toBeLessThan(50);
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    expect(scheduler.nowMs).toBeGreaterThan(1e12);
    vi.useRealTimers();
    let lastMs = scheduler.nowMs;
    for (let read = 0; read < 1e5; read++) {
      const readMs = scheduler.nowMs;
      if (readMs < lastMs || !Number.isInteger(readMs)) throw new Error(`${lastMs} and then ${readMs}`);
      lastMs = readMs;
    }
  });

  test('LiveScheduler treats a time in the past as due at once, in its own order', async () => {
    const scheduler = new LiveScheduler();
    const calls: string[] = [];
    const earlierMs = scheduler.nowMs - 1000;
    scheduler.at(earlierMs + 2, () => calls.push('b'));
    scheduler.at(earlierMs + 1, () => calls.push('a'));
    await new Promise<void>((resolve) => scheduler.at(scheduler.nowMs, resolve));
    expect(calls).toEqual(['a', 'b']);
  });

  test('LiveScheduler waits longer than a timer of Node.js can', () => {
    vi.useFakeTimers();
    const scheduler = new LiveScheduler();
    const calls: number[] = [];
    const monthMs = 30 * 86_400_000;
    scheduler.at(scheduler.nowMs + monthMs, () => calls.push(1));
    vi.advanceTimersByTime(monthMs - 1);
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual([1]);
  });

  test('LiveScheduler continues with what is due after one that threw', () => {
    vi.useFakeTimers();
    const scheduler = new LiveScheduler();
    const calls: number[] = [];
    scheduler.at(scheduler.nowMs + 5, () => {
      throw new Error('thrown');
    });
    scheduler.at(scheduler.nowMs + 5, () => calls.push(2));
    expect(() => vi.advanceTimersByTime(5)).toThrow('thrown');
    vi.advanceTimersByTime(1);
    expect(calls).toEqual([2]);
  });

  test('LiveScheduler holds no timer once all its callbacks are cancelled, and runs the callback that is requested next', () => {
    vi.useFakeTimers();
    const scheduler = new LiveScheduler();
    const calls: number[] = [];
    const handles = [5, 10].map((delayMs) => scheduler.at(scheduler.nowMs + delayMs, () => calls.push(delayMs)));
    for (const handle of handles) scheduler.cancel(handle);
    expect(vi.getTimerCount()).toBe(0);
    scheduler.at(scheduler.nowMs + 20, () => calls.push(20));
    vi.advanceTimersByTime(20);
    expect([calls, vi.getTimerCount()]).toEqual([[20], 0]);
  });

  test('LiveScheduler runs nothing after it was closed, and holds no timer', () => {
    vi.useFakeTimers();
    const scheduler = new LiveScheduler();
    const calls: number[] = [];
    scheduler.at(scheduler.nowMs + 5, () => calls.push(1));
    scheduler.close();
    scheduler.at(scheduler.nowMs + 5, () => calls.push(2));
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(calls).toEqual([]);
  });
});
