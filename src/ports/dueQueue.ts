// A queue of events, sorted by due time and then by the sequence of their registration. It is the Scheduler of a backtest.

import { assert } from '../base/assert.ts';
import type { Scheduler } from './scheduler.ts';

/** An event. `run` is null once it was cancelled. */
interface DueEvent {
  readonly timeMs: number;
  readonly sequence: number;
  run: (() => void) | null;
}

/** The queue as a binary heap. Events with the same due time run in the order in which they were added. */
export class DueQueue implements Scheduler {
  /** The time of the earliest event; Infinity when the queue is empty. */
  nextMs = Infinity;
  /** The time up to which events have run, ms; -Infinity before the first run. */
  nowMs = -Infinity;
  readonly #heap: DueEvent[] = [];
  readonly #bySequence = new Map<number, DueEvent>();
  #nextSequence = 0;

  at(timeMs: number, run: () => void): number {
    assert(timeMs >= this.nowMs, `asked for ${timeMs}, which is before now, ${this.nowMs}`);
    const event: DueEvent = { timeMs, sequence: ++this.#nextSequence, run };
    this.#bySequence.set(event.sequence, event);
    this.#siftUp(event);
    this.nextMs = this.#heap[0]!.timeMs;
    return event.sequence;
  }

  cancel(handle: number): void {
    const event = this.#bySequence.get(handle);
    if (!event) return;
    event.run = null;
    this.#bySequence.delete(handle);
    // Most cancelled events are time limits that were not needed. They are removed at once if they are the earliest, otherwise when due.
    while (this.#heap[0]?.run === null) this.#pop();
    this.nextMs = this.#heap[0]?.timeMs ?? Infinity;
  }

  /** Moves time to `timeMs` and runs everything due until then, including events that are added meanwhile. */
  runDue(timeMs: number): void {
    while (this.nextMs <= timeMs) {
      const event = this.#pop();
      this.nowMs = event.timeMs;
      this.nextMs = this.#heap[0]?.timeMs ?? Infinity;
      this.#bySequence.delete(event.sequence);
      event.run?.();
    }
    this.nowMs = timeMs;
  }

  /** Adds an event to the heap, before all that are due later. */
  #siftUp(event: DueEvent): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  /** Removes and returns the earliest event. */
  #pop(): DueEvent {
    const heap = this.#heap;
    const earliest = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return earliest;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return earliest;
  }
}

const isBefore = (a: DueEvent, b: DueEvent) => a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.sequence < b.sequence);
