// Runs the first part of a run, for checks that need only some of its rows.

import { fillIndicators, listSignals, visitBlock } from './blockLoop.ts';
import type { Engine } from '../engine.ts';

/** Runs blocks until the one that contains `untilMs` is done. Throws what a strategy throws, with its name and bar. */
export function spanLoop(engine: Engine, untilMs: number): void {
  try {
    while (engine.blockEndMs < untilMs && engine.openBlock()) {
      fillIndicators(engine);
      listSignals(engine);
      visitBlock(engine);
      engine.closeBlock();
    }
  } catch (error) {
    throw engine.attributeError(error);
  }
}
