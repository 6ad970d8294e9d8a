// Tests the promises of the Scheduler on the queue of a backtest and on the timers of live trading.

import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import { nowMs } from '../../src/adapters/clock/wallClock.ts';
import type { Scheduler } from '../../src/ports/scheduler.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';

/** A scheduler under test. */
interface Subject {
  readonly scheduler: Scheduler;
  /** Lets time pass until everything due by `ms` has run. */
  readonly until: (ms: number) => Promise<void>;
  readonly close: () => void;
}

const SUBJECTS: Readonly<Record<string, () => Subject>> = {
  DueQueue: () => {
    const scheduler = new DueQueue();
    scheduler.runDue(1000);
    return { scheduler, until: async (ms) => scheduler.runDue(ms), close: () => {} };
  },
  LiveScheduler: () => live(1),
  'LiveScheduler in a hurry': () => live(20),
};

/** Returns the scheduler of live trading. */
function live(speed: number): Subject {
  const scheduler = new LiveScheduler({ speed });
  const until = async (ms: number): Promise<void> => {
    // The first callback is registered last, so it runs after all others of that time. Callbacks that they registered run before the second.
    await new Promise<void>((resolve) => scheduler.at(ms, resolve));
    await new Promise<void>((resolve) => scheduler.at(scheduler.nowMs, resolve));
  };
  return { scheduler, until, close: () => scheduler.close() };
}

describe.each(Object.entries(SUBJECTS))('%s', (_name, open) => {
  const openSubjects: Subject[] = [];
  const openSubject = (): Subject => {
    const opened = open();
    openSubjects.push(opened);
    return opened;
  };
  afterEach(() => {
    for (const subject of openSubjects.splice(0)) subject.close();
  });

  test('a scheduler runs nothing within the call, nothing early, and each callback once', async () => {
    const { scheduler, until } = openSubject();
    const from = scheduler.nowMs;
    const calls: { readonly delayMs: number; readonly calledAfterMs: number }[] = [];
    for (const delayMs of [0, 1, 5, 12]) scheduler.at(from + delayMs, () => calls.push({ delayMs, calledAfterMs: scheduler.nowMs - from }));
    expect(calls).toEqual([]);
    await until(from + 20);
    expect(calls.map(({ delayMs }) => delayMs)).toEqual([0, 1, 5, 12]);
    for (const { delayMs, calledAfterMs } of calls) expect(calledAfterMs).toBeGreaterThanOrEqual(delayMs);
  });

  test('a scheduler runs a new callback after the earlier ones of the same time', async () => {
    const { scheduler, until } = openSubject();
    const dueMs = scheduler.nowMs + 5;
    const calls: string[] = [];
    scheduler.at(dueMs, () => {
      calls.push('first');
      scheduler.at(scheduler.nowMs, () => calls.push('asked meanwhile'));
    });
    scheduler.at(dueMs, () => calls.push('second'));
    await until(dueMs + 5);
    expect(calls).toEqual(['first', 'second', 'asked meanwhile']);
  });

  test('a scheduler does not run a cancelled callback, also if a callback of the same time cancels it', async () => {
    const { scheduler, until } = openSubject();
    const dueMs = scheduler.nowMs + 3;
    const calls: string[] = [];
    const ended = scheduler.at(dueMs, () => calls.push('gone'));
    scheduler.cancel(ended);
    scheduler.cancel(ended);
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
    const step = fc.record({ after: fc.integer({ min: 0, max: 12 }), cancels: fc.option(fc.nat(60), { freq: 4 }) });
    const histories = fc.sample(fc.array(step, { minLength: 1, maxLength: 60 }), { numRuns: 40, seed: 7 });
    await Promise.all(
      histories.map(async (steps) => {
        const { scheduler, until } = openSubject();
        const from = scheduler.nowMs;
        const calls: number[] = [];
        const handles: number[] = [];
        let list: { after: number; name: number }[] = [];
        for (const { after, cancels } of steps) {
          const name = handles.length;
          // All times count from the start, so that the expected order does not depend on the duration of this loop.
          handles.push(scheduler.at(from + after, () => calls.push(name)));
          list.push({ after, name });
          if (cancels === null || handles[cancels] === undefined) continue;
          scheduler.cancel(handles[cancels]);
          list = list.filter((callback) => callback.name !== cancels);
        }
        await until(from + 15);
        expect(calls).toEqual(list.toSorted((a, b) => a.after - b.after || a.name - b.name).map(({ name }) => name));
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
    for (let last = scheduler.nowMs, i = 0; i < 1e5; i++) {
      const now = scheduler.nowMs;
      if (now < last || !Number.isInteger(now)) throw new Error(`${last} and then ${now}`);
      last = now;
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
    const month = 30 * 86_400_000;
    scheduler.at(scheduler.nowMs + month, () => calls.push(1));
    vi.advanceTimersByTime(month - 1);
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

  test('LiveScheduler holds no timer once all that it waited for was cancelled, and waits for what is asked next', () => {
    vi.useFakeTimers();
    const scheduler = new LiveScheduler();
    const calls: number[] = [];
    const handles = [5, 10].map((after) => scheduler.at(scheduler.nowMs + after, () => calls.push(after)));
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
