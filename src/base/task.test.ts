// Tests tasks: in which stack they run, that they end once, and the effect of a cancel.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueQueue } from '../ports/dueQueue.ts';
import { all, immediate, pending, resultOf, sleep, start, type Work } from './task.ts';

/** A callback that the test calls by hand. */
class Reply<T> {
  #done: ((value: T) => void) | null = null;
  isGivenUp = false;
  readonly work = (): Work<T> =>
    pending<T>((callback) => {
      this.#done = callback;
      return () => (this.isGivenUp = true);
    });
  come(value: T): void {
    this.#done!(value);
  }
}

describe('a task', () => {
  it('a task runs in the stack of its caller up to its first wait, then in the stack of the callback', () => {
    const lines: string[] = [];
    const reply = new Reply<number>();
    const task = start(
      (function* (): Work<void> {
        lines.push('begins');
        lines.push(`got ${yield* reply.work()}`);
      })(),
    );
    lines.push('started');
    reply.come(7);
    lines.push('continued');
    expect(lines).toEqual(['begins', 'started', 'got 7', 'continued']);
    expect(task.isOver).toBe(true);
  });

  it('a task ends within `start` if each of its 10,000 callbacks comes at once', () => {
    const sums: number[] = [];
    start(
      (function* (): Work<number> {
        let sum = 0;
        for (let number = 1; number <= 10_000; number++) sum += yield* immediate(number);
        return sum;
      })(),
    ).whenOver((sum) => sums.push(sum));
    expect(sums).toEqual([50_005_000]);
  });

  it('a task has one result even if callbacks come twice, and each listener gets it once', () => {
    const reply = new Reply<number>();
    const secondReply = new Reply<number>();
    const results: number[] = [];
    const task = start(
      (function* (): Work<number> {
        return (yield* reply.work()) + (yield* secondReply.work());
      })(),
    );
    task.whenOver((result) => results.push(result));
    reply.come(1);
    reply.come(2);
    expect([results, task.isOver]).toEqual([[], false]);
    secondReply.come(10);
    secondReply.come(20);
    task.whenOver((result) => results.push(-result));
    expect(results).toEqual([11, -11]);
  });

  it('a task that throws passes the error to its runner, has no result, and runs its `finally`', () => {
    const reply = new Reply<number>();
    const lines: string[] = [];
    const task = start(
      (function* (): Work<number> {
        try {
          throw new Error(`got ${yield* reply.work()}`);
        } finally {
          lines.push('finally');
        }
      })(),
    );
    task.whenOver(() => lines.push('result'));
    expect(() => reply.come(3)).toThrow('got 3');
    reply.come(4);
    expect([task.isOver, lines]).toEqual([true, ['finally']]);
  });

  it('a task can catch the error of a wait that cannot begin', () => {
    const lines: string[] = [];
    const task = start(
      (function* (): Work<string> {
        try {
          return yield* pending<string>(() => {
            throw new Error('no line');
          });
        } catch (error) {
          return String(error);
        }
      })(),
    );
    task.whenOver((result) => lines.push(result));
    expect(lines).toEqual(['Error: no line']);
  });
});

describe('a cancel', () => {
  it('a cancel ends the wait, runs `finally`, and ignores later callbacks', () => {
    const reply = new Reply<number>();
    const lines: string[] = [];
    const task = start(
      (function* (): Work<void> {
        try {
          lines.push(`got ${yield* reply.work()}`);
        } finally {
          lines.push('finally');
        }
      })(),
    );
    task.whenOver(() => lines.push('result'));
    task.cancel();
    task.cancel();
    reply.come(1);
    expect([task.isOver, reply.isGivenUp, lines]).toEqual([true, true, ['finally']]);
  });

  it('a cancel by the work itself takes effect at its next wait', () => {
    const firstReply = new Reply<void>();
    const secondReply = new Reply<void>();
    const lines: string[] = [];
    const work = function* (): Work<void> {
      yield* firstReply.work();
      task.cancel();
      lines.push('still runs');
      yield* secondReply.work();
      lines.push('never');
    };
    const task = start(work());
    firstReply.come();
    expect([secondReply.isGivenUp, lines]).toEqual([true, ['still runs']]);
  });

  it('a cancel has no effect on a task that has ended', () => {
    const results: number[] = [];
    const task = start(immediate(5));
    task.cancel();
    task.whenOver((result) => results.push(result));
    expect(results).toEqual([5]);
  });
});

describe('resultOf', () => {
  it('resultOf waits for a shared task, and a cancel ends only this wait', () => {
    const reply = new Reply<number>();
    const shared = start(reply.work());
    const results: string[] = [];
    const cancelledWait = start(resultOf(shared));
    cancelledWait.whenOver((result) => results.push(`first ${result}`));
    start(resultOf(shared)).whenOver((result) => results.push(`second ${result}`));
    cancelledWait.cancel();
    expect(reply.isGivenUp).toBe(false);
    reply.come(7);
    start(resultOf(shared)).whenOver((result) => results.push(`later ${result}`));
    expect(results).toEqual(['second 7', 'later 7']);
  });
});

describe('all', () => {
  it('all returns the results in the order of the works, for any order of the callbacks', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 8 }), fc.infiniteStream(fc.boolean()), (ids, areReady) => {
        const replies = new Map<number, Reply<number>>();
        const works = ids.toSorted((a, b) => a - b).map((id) => {
          if (areReady.next().value === true) return immediate(id);
          const reply = new Reply<number>();
          replies.set(id, reply);
          return reply.work();
        }); // prettier-ignore
        const results: (readonly number[])[] = [];
        const task = start(all(works));
        task.whenOver((result) => results.push(result));
        for (const id of ids) {
          if (replies.has(id)) expect(task.isOver).toBe(false);
          replies.get(id)?.come(id);
          replies.delete(id);
        }
        expect(results).toEqual([ids.toSorted((a, b) => a - b)]);
      }),
    );
  });

  it('all starts every work before it waits, and a cancel cancels all of them', () => {
    const replies = [new Reply<number>(), new Reply<number>(), new Reply<number>()];
    const task = start(all(replies.map((reply) => reply.work())));
    replies[1]!.come(1);
    task.cancel();
    expect(replies.map(({ isGivenUp }) => isGivenUp)).toEqual([true, false, true]);
  });
});

describe('sleep', () => {
  it('sleep waits for the scheduler, and a cancel removes its timer', () => {
    const queue = new DueQueue();
    queue.runDue(1000);
    const lines: string[] = [];
    start(sleep(queue, 500)).whenOver(() => lines.push(`woke at ${queue.nowMs}`));
    const cancelledSleep = start(sleep(queue, 200));
    cancelledSleep.whenOver(() => lines.push('never'));
    cancelledSleep.cancel();
    expect(queue.nextMs).toBe(1500);
    for (let ms = 1100; ms <= 1600; ms += 100) queue.runDue(ms);
    expect(lines).toEqual(['woke at 1500']);
  });
});
