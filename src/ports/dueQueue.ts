// Queue of due events, ordered by due time and then by order of registration: the Scheduler of a backtest, and of simultaneous events
// everywhere.

import { assert } from '../base/assert.ts';
import type { Scheduler } from './scheduler.ts';

interface Due {
  readonly timeMs: number;
  readonly sequence: number;
  run: (() => void) | null;
}

/** A binary heap. Events with the same due time run in the order in which they were added. */
export class DueQueue implements Scheduler {
  /** The time of the earliest entry; Infinity when the queue is empty. */
  nextMs = Infinity;
  nowMs = -Infinity;
  readonly #heap: Due[] = [];
  readonly #bySequence = new Map<number, Due>();
  #nextSequence = 0;

  at(timeMs: number, run: () => void): number {
    assert(timeMs >= this.nowMs, `asked for ${timeMs}, which is before now, ${this.nowMs}`);
    const due: Due = { timeMs, sequence: ++this.#nextSequence, run };
    this.#bySequence.set(due.sequence, due);
    this.#siftUp(due);
    this.nextMs = this.#heap[0]!.timeMs;
    return due.sequence;
  }

  cancel(handle: number): void {
    const due = this.#bySequence.get(handle);
    if (!due) return;
    due.run = null;
    this.#bySequence.delete(handle);
    // Most cancelled entries are the earliest ones, such as time limits that were not needed. They are removed at once; others when they
    // are due.
    while (this.#heap[0]?.run === null) this.#pop();
    this.nextMs = this.#heap[0]?.timeMs ?? Infinity;
  }

  /** Moves time to `timeMs` and runs everything due until then, including entries that are added meanwhile. */
  runDue(timeMs: number): void {
    while (this.nextMs <= timeMs) {
      const due = this.#pop();
      this.nowMs = due.timeMs;
      this.nextMs = this.#heap[0]?.timeMs ?? Infinity;
      this.#bySequence.delete(due.sequence);
      due.run?.();
    }
    this.nowMs = timeMs;
  }

  #siftUp(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(due, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = due;
  }

  #pop(): Due {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: Due, b: Due) => a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.sequence < b.sequence);
