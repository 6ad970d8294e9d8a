// Closes the positions in instruments that leave the run, in their last bar.

import { exitMsOf } from '../feeds/delisting.ts';
import type { Engine } from '../engine.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Schedules the exits from instruments that leave the run. An instrument that left before the run takes only closing orders. */
export function scheduleDelistings(engine: Engine): void {
  const { leavesMs, fromMs } = engine.deps;
  if (leavesMs === undefined) return;
  const exitsMs = leavesMs.map((ms, index) => exitMsOf(engine.execution[index]!, ms));
  engine.exitsMs = exitsMs;
  exitsMs.forEach((timeMs, index) => {
    if (timeMs < INFINITY && timeMs >= fromMs) engine.queue.at(timeMs, () => leaveAll(engine, index));
  });
}

/** Lets every strategy close its position in the instrument. */
function leaveAll(engine: Engine, instrumentIndex: number): void {
  engine.hasPendingWork = true;
  for (const run of engine.runs) {
    if (!run.hasStarted) continue;
    engine.currentStrategy = run.index;
    run.leave(engine.execution[instrumentIndex]!);
  }
}
