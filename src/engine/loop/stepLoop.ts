// Repeats a run up to a given millisecond, so that its state at that time can be inspected.

import { nextBlockEnd } from '../feeds/feed.ts';
import { fillIndicators, listSignals, visitBlock } from './blockLoop.ts';
import type { Engine } from '../engine.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/**
 * Runs blocks up to `untilMs`, inclusive: the last block ends there, and everything that is due by then has happened. The division into
 * blocks does not change a run. `onBlock`: called after each block; the run pauses when it returns true. Throws what a strategy throws,
 * with its name and bar.
 */
export function runTo(engine: Engine, untilMs: number, onBlock: () => boolean = () => false): void {
  try {
    while (engine.blockEndMs < untilMs) {
      const endMs = Math.min(nextBlockEnd(engine, []), untilMs);
      if (endMs === INFINITY) return;
      engine.enterBlock(engine.blockRows, endMs);
      engine.market?.blockOpened();
      fillIndicators(engine);
      listSignals(engine);
      visitBlock(engine);
      engine.closeBlock();
      if (onBlock()) return;
    }
  } catch (error) {
    throw engine.attributeError(error);
  }
}
