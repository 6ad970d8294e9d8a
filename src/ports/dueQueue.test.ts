// Tests the event queue: it runs callbacks by time, and equal times in the order of their registration.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueQueue } from './dueQueue.ts';

/** A handle that no queue gives out. */
const UNKNOWN_HANDLE = -1;
/** A handle that a queue would give out after thousands of callbacks. */
const UNUSED_HANDLE = 12_345;

describe('DueQueue', () => {
  it('DueQueue runs callbacks by due time, and equal times in the order of registration', () => {
    const queue = new DueQueue();
    const calls: string[] = [];
    const callbacks = [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['b3', 20],
    ] as const;
    for (const [name, dueMs] of callbacks) queue.at(dueMs, () => calls.push(name));
    expect(queue.nextMs).toBe(10);
    queue.runDue(20);
    expect(calls).toEqual(['a', 'b1', 'b2', 'b3']);
    expect([queue.nowMs, queue.nextMs]).toEqual([20, 30]);
    queue.runDue(30);
    expect(calls.at(-1)).toBe('c');
    expect(queue.nextMs).toBe(Infinity);
  });

  it('DueQueue runs callbacks that a callback adds at their own time, after those that were registered before', () => {
    const queue = new DueQueue();
    const calls: [string, number][] = [];
    const noteCall = (name: string) => calls.push([name, queue.nowMs]);
    queue.at(10, () => {
      noteCall('first');
      queue.at(10, () => noteCall('added at 10 for 10'));
      queue.at(15, () => noteCall('added at 10 for 15'));
    });
    queue.at(10, () => noteCall('second'));
    queue.at(15, () => noteCall('added before for 15'));
    queue.runDue(20);
    expect(calls).toEqual([
      ['first', 10],
      ['second', 10],
      ['added at 10 for 10', 10],
      ['added before for 15', 15],
      ['added at 10 for 15', 15],
    ]);
  });

  it('DueQueue throws for a time in the past', () => {
    const queue = new DueQueue();
    queue.runDue(100);
    expect(() => queue.at(99, () => {})).toThrow('before now');
    queue.at(100, () => {});
  });

  it('DueQueue never runs a cancelled callback, and cancelling twice has no effect', () => {
    const queue = new DueQueue();
    const calls: number[] = [];
    const handle = queue.at(10, () => calls.push(1));
    queue.at(10, () => calls.push(2));
    queue.cancel(handle);
    queue.cancel(handle);
    queue.cancel(UNKNOWN_HANDLE);
    queue.cancel(UNUSED_HANDLE);
    queue.runDue(10);
    expect(calls).toEqual([2]);
  });

  it('DueQueue ignores cancelled callbacks in its next due time', () => {
    const queue = new DueQueue();
    const firstHandle = queue.at(10, () => {});
    const secondHandle = queue.at(20, () => {});
    queue.at(30, () => {});
    queue.cancel(secondHandle);
    expect(queue.nextMs).toBe(10);
    queue.cancel(firstHandle);
    expect(queue.nextMs).toBe(30);
  });

  it('DueQueue agrees with a sorted list on random histories', () => {
    const anyStep = fc.oneof(
      fc.record({ kind: fc.constant('at' as const), delayMs: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ kind: fc.constant('cancel' as const), callbackNumber: fc.integer({ min: 0, max: 60 }) }),
      fc.record({ kind: fc.constant('run' as const), spanMs: fc.integer({ min: 0, max: 15 }) }),
    );
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
        const queue = new DueQueue();
        queue.runDue(0);
        // A callback's number is its place in the order of registration.
        const calls: number[] = [];
        const handles: number[] = [];
        let waiting: { dueMs: number; callbackNumber: number }[] = [];
        const expectedCalls: number[] = [];
        for (const step of steps) {
          if (step.kind === 'at') {
            const callbackNumber = handles.length;
            const dueMs = queue.nowMs + step.delayMs;
            handles.push(queue.at(dueMs, () => calls.push(callbackNumber)));
            waiting.push({ dueMs, callbackNumber });
          } else if (step.kind === 'cancel') {
            queue.cancel(handles[step.callbackNumber] ?? UNKNOWN_HANDLE);
            waiting = waiting.filter(({ callbackNumber }) => callbackNumber !== step.callbackNumber);
          } else {
            const untilMs = queue.nowMs + step.spanMs;
            queue.runDue(untilMs);
            const due = waiting
              .filter(({ dueMs }) => dueMs <= untilMs)
              .toSorted((a, b) => a.dueMs - b.dueMs || a.callbackNumber - b.callbackNumber);
            expectedCalls.push(...due.map(({ callbackNumber }) => callbackNumber));
            waiting = waiting.filter(({ dueMs }) => dueMs > untilMs);
          }
          expect(calls).toEqual(expectedCalls);
        }
      }),
      { numRuns: 300 },
    );
  });
});
