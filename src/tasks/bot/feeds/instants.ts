// Begins an instant of a live engine: appends the bars that close, then checks local stops and collar orders. Bot and replay share this.

import { InvariantError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import { GrowingBars } from '../../../model/bars/growingBars.ts';
import { rowOfFact, type BarFact } from './barFact.ts';
import { checkStopsAtRow } from './localStops.ts';

/** Appends bars to the feeds of an engine whose columns grow. */
export function appendFacts(engine: Engine, facts: readonly BarFact[]): void {
  for (const fact of facts) {
    const [feedIndex] = fact;
    growingBarsOf(engine, feedIndex).append(rowOfFact(fact));
  }
}

/** Begins an instant: `appendRows` adds its rows to the feeds, then the new rows are checked for local stops and collar orders. */
export const beginInstant = (engine: Engine, atMs: number, appendRows: () => void): void =>
  beginAt(engine, atMs, appendRows, { isMissed: false });
/** Begins an instant that passed while the bot was down. Its rows trigger local stops, but no stop entries. */
export const beginMissedInstant = (engine: Engine, atMs: number, appendRows: () => void): void =>
  beginAt(engine, atMs, appendRows, { isMissed: true });

/** Appends rows at the time of an instant, and checks each new row. `isMissed`: its stop entries do not trigger. */
function beginAt(engine: Engine, atMs: number, appendRows: () => void, { isMissed }: { readonly isMissed: boolean }): void {
  const lengthsBefore = engine.execution.map((feed) => feed.bars.length);
  appendRows();
  engine.instant.set(atMs);
  engine.execution.forEach((feed, executionIndex) => {
    for (let row = lengthsBefore[executionIndex]!; row < feed.bars.length; row++) checkStopsAtRow(engine, feed, row, isMissed);
  });
}

/** Returns the bars of a feed of a live engine. */
function growingBarsOf(engine: Engine, feedIndex: number): GrowingBars {
  const { bars } = engine.feeds[feedIndex]!;
  if (bars instanceof GrowingBars) return bars;
  throw new InvariantError(`feed ${feedIndex} cannot grow`);
}
