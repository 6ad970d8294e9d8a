// Runs the first part of a run, or two runs in turn. Checks of strategies use it to compare runs (src/tasks/prove, src/tasks/backtest).

import { fillIndicators, listSignals, visitBlock } from './blockLoop.ts';
import type { Engine } from '../engine.ts';
import { stopStrategies } from './stopStrategies.ts';

/** Runs blocks until the one that contains `untilMs` is done. Throws what a strategy throws, with its name and bar. */
export function spanLoop(engine: Engine, untilMs: number): void {
  try {
    while (engine.blockEndMs < untilMs && runBlock(engine));
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Calls `onStop` of the strategies after the last block. Throws what a strategy throws, with its name and bar. */
export function endSpan(engine: Engine): void {
  try {
    stopStrategies(engine);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Runs two bots in turn, a block each, the first one ahead, until the block that contains `untilMs` is done. Throws what a strategy throws. */
export function turnsLoop(ahead: Engine, behind: Engine, untilMs: number): void {
  for (let isOpen = true; isOpen && behind.blockEndMs < untilMs;) {
    isOpen = runAttributed(ahead);
    runAttributed(behind);
  }
}

/** Does the same as `runBlock`, but throws what a strategy throws with its name and bar. */
function runAttributed(engine: Engine): boolean {
  try {
    return runBlock(engine);
  } catch (error) {
    throw engine.attributeError(error);
  }
}

/** Runs the next block. Returns false after the last block. */
function runBlock(engine: Engine): boolean {
  if (!engine.openBlock()) return false;
  fillIndicators(engine);
  listSignals(engine);
  visitBlock(engine);
  engine.closeBlock();
  return true;
}
