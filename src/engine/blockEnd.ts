// Where the next block ends: after as many rows as blocks have, or after one row where indicators must not run ahead of the strategy.

import type { Engine } from './engine.ts';
import { endOfBlock } from './feed.ts';

/**
 * Returns the end of the next block, ms UTC, inclusive; Infinity when no rows are left. An indicator of an author that is not declared pure
 * may write what a strategy reads: blocks have one row then, and what is due before that row gets a block without rows. `beside`: the
 * engines that walk through the same blocks.
 */
export function nextBlockEnd(engine: Engine, beside: readonly Engine[]): number {
  if (!engine.stepsRows) return endOfBlock(engine.feeds, engine.blockRows);
  const rowMs = endOfBlock(engine.feeds, 1);
  if (rowMs === Infinity || engine.blockEndMs >= rowMs - 1) return rowMs;
  const isDue = ({ queue, timers }: Engine) => queue.nextMs < rowMs || timers.nextMs < rowMs;
  return isDue(engine) || beside.some(isDue) ? rowMs - 1 : rowMs;
}
