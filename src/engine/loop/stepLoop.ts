// Runs a run up to a time, to the millisecond, for a run that is made again to be looked at.

import { nextBlockEnd } from '../feeds/feed.ts';
import { fillIndicators, listSignals, visitBlock } from './blockLoop.ts';
import type { Engine } from '../engine.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/**
 * Runs blocks up to `untilMs`, inclusive: the last one ends there, and everything that is due by then has happened. How a run is cut into
 * blocks changes nothing in it. `onBlock`: called after each block; the run pauses when it returns true. Throws what a strategy throws, with its
 * name and bar.
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
