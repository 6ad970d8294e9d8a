// Tests the event queue: it runs callbacks by time, and equal times in the order of their registration.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueQueue } from './dueQueue.ts';

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
    for (const [name, ms] of callbacks) queue.at(ms, () => calls.push(name));
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
    const note = (name: string) => calls.push([name, queue.nowMs]);
    queue.at(10, () => {
      note('first');
      queue.at(10, () => note('asked at 10 for 10'));
      queue.at(15, () => note('asked at 10 for 15'));
    });
    queue.at(10, () => note('second'));
    queue.at(15, () => note('fifteen'));
    queue.runDue(20);
    expect(calls).toEqual([
      ['first', 10],
      ['second', 10],
      ['asked at 10 for 10', 10],
      ['fifteen', 15],
      ['asked at 10 for 15', 15],
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
    queue.cancel(12_345);
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
    const step = fc.oneof(
      fc.record({ kind: fc.constant('at' as const), after: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ kind: fc.constant('cancel' as const), after: fc.integer({ min: 0, max: 60 }) }),
      fc.record({ kind: fc.constant('run' as const), after: fc.integer({ min: 0, max: 15 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new DueQueue();
        queue.runDue(0);
        const calls: number[] = [];
        const handles: number[] = [];
        let list: { dueMs: number; name: number }[] = [];
        const expected: number[] = [];
        for (const { kind, after } of steps) {
          if (kind === 'at') {
            const name = handles.length;
            handles.push(queue.at(queue.nowMs + after, () => calls.push(name)));
            list.push({ dueMs: queue.nowMs + after, name });
          } else if (kind === 'cancel') {
            queue.cancel(handles[after] ?? -1);
            list = list.filter(({ name }) => name !== after);
          } else {
            const ms = queue.nowMs + after;
            queue.runDue(ms);
            const due = list.filter(({ dueMs }) => dueMs <= ms).toSorted((a, b) => a.dueMs - b.dueMs || a.name - b.name);
            expected.push(...due.map(({ name }) => name));
            list = list.filter(({ dueMs }) => dueMs > ms);
          }
          expect(calls).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});
