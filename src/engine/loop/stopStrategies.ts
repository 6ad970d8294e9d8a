// The end of a run: every strategy that has started is stopped.

import type { Engine } from '../engine.ts';
import { keptTexts } from '../host/keptState.ts';

/** Calls `onStop` of the strategies. After one of them has thrown, a second call continues with the next strategy. */
export function stopStrategies(engine: Engine): void {
  // The lanes of a sweep share the instant, and each visited another one last. All of them stop at the end of the data.
  engine.instant.set(engine.blockEndMs);
  while (engine.stopped < engine.runs.length) {
    const run = engine.runs[engine.stopped++]!;
    engine.currentStrategy = run.index;
    if (run.hasStarted) run.instance!.onStop?.();
  }
  engine.deliverCallbacks();
  // A live bot checks the kept state at each instant. A backtest therefore also fails on state that cannot be kept.
  keptTexts(engine);
}
