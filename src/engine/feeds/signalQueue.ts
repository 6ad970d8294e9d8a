// The handlers of `when` of one strategy, and a queue of them by the time of their next row.

import type { Signal } from '../../indicators/graph/series.ts';
import type { FeedRun } from './feed.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** A handler of `when`, with the rows of the block at which its signal is true. */
export interface SignalWatch {
  readonly signal: Signal;
  readonly feed: FeedRun;
  readonly handler: () => void;
  /** Rows of the block at which the signal is true; `count` of them are in use. */
  readonly rows: Int32Array;
  /** Its position among the handlers of the strategy, which are called in this order at one instant. */
  readonly place: number;
  count: number;
  /** The next listed row and its position in the list; NO_ROW when all are done. */
  row: number;
  rowIndex: number;
  /** The close of that row, ms UTC; Infinity when all are done. Only the queue writes it. Hot: docs/performance.md#double-fields. */
  dueMs: number;
}
/** The next row of a handler that has none left: greater than every row. */
export const NO_ROW = 2 ** 31 - 1;

/** A binary heap, so that an instant costs time only for the handlers that are due, even with hundreds of handlers. */
export class SignalQueue {
  private readonly heap: SignalWatch[] = [];

  /** Replaces the content of the queue by these handlers, each at its next row. */
  fill(watches: readonly SignalWatch[]): void {
    const { heap } = this;
    heap.length = 0;
    for (let index = 0; index < watches.length; index++) {
      watches[index]!.dueMs = closeOfNext(watches[index]!);
      heap.push(watches[index]!);
    }
    for (let index = (heap.length >> 1) - 1; index >= 0; index--) this.siftDown(index);
  }

  /** The time of the first handler that is due, ms UTC; Infinity if none is. */
  get nextMs(): number {
    return this.heap.length === 0 ? INFINITY : this.heap[0]!.dueMs;
  }
  /** Returns the first handler that is due. The caller moves it to its next row, and calls `requeueFirst`. */
  get first(): SignalWatch {
    return this.heap[0]!;
  }
  /** Moves the first handler to its place after its next row has changed. */
  requeueFirst(): void {
    const first = this.heap[0]!;
    first.dueMs = closeOfNext(first);
    this.siftDown(0);
  }

  /** Moves the watch at index `from` of the heap down, behind all that come before it. */
  private siftDown(from: number): void {
    const { heap } = this;
    const { length } = heap;
    const watch = heap[from]!;
    let index = from;
    for (let child = 2 * index + 1; child < length; child = 2 * index + 1) {
      if (child + 1 < length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      const childWatch = heap[child]!;
      if (!isBefore(childWatch, watch)) break;
      heap[index] = childWatch;
      index = child;
    }
    heap[index] = watch;
  }
}

/** Returns the close of the next row of a handler, ms UTC; Infinity when none is left. */
function closeOfNext({ row, feed }: SignalWatch): number {
  return row < NO_ROW ? feed.bars.closeMs[row - feed.cursor.base]! : INFINITY;
}

/** True when a handler is called before another one. */
function isBefore(watch: SignalWatch, other: SignalWatch): boolean {
  return watch.dueMs < other.dueMs || (watch.dueMs === other.dueMs && watch.place < other.place);
}
