// Tests the queue of signal handlers against a sorted list.

import { expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { NO_ROW, SignalQueue, type SignalWatch } from './signalQueue.ts';

test('random handlers are due in the order of the closes of their next rows, and at one instant in the order of registration', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const rng = seededRng(seed);
    const pickBelow = (below: number) => Math.floor(rng.next() * below);
    const watches = Array.from({ length: pickBelow(40) }, (_, place) => {
      const closeMs = Float64Array.from({ length: 30 }, (__, row) => (row + 1) * (1 + (place % 3)));
      const rows = Int32Array.from({ length: 30 }, (__, row) => row).filter(() => rng.next() < 0.3);
      const feed = { bars: { closeMs }, cursor: { base: 0 } } as unknown as SignalWatch['feed'];
      return { feed, rows, place, count: rows.length, rowIndex: 0, row: rows[0] ?? NO_ROW, dueMs: NaN } as unknown as SignalWatch;
    });
    const expectedCalls = watches.flatMap(({ rows, feed, place }) => [...rows].map((row) => ({ ms: feed.bars.closeMs[row]!, place })));
    const queue = new SignalQueue();
    queue.fill(watches);
    const called: typeof expectedCalls = [];
    while (queue.nextMs < Infinity) {
      const watch = queue.first;
      called.push({ ms: queue.nextMs, place: watch.place });
      watch.row = watch.rows[++watch.rowIndex] ?? NO_ROW;
      queue.requeueFirst();
    }
    expect(called).toEqual(expectedCalls.toSorted((a, b) => a.ms - b.ms || a.place - b.place));
  }
});
