// Appends received bars to the feeds of an engine, at the beginning of an instant. Bot and replay share this.

import { InvariantError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import { GrowingBars } from '../../../model/bars/growingBars.ts';
import { rowOfFact, type BarFact } from './barFact.ts';
import { checkStopsAtRow } from './localStops.ts';

/** Appends bars to the feeds of an engine whose columns grow. */
export function appendFacts(engine: Engine, facts: readonly BarFact[]): void {
  for (const fact of facts) growingBarsOf(engine, fact[0]).append(rowOfFact(fact));
}

/** Begins an instant: `append` adds its rows to the feeds, then local stops and collar orders check them. Bot and replay share this. */
export const beginInstant = (engine: Engine, atMs: number, append: () => void): void =>
  enterInstant(engine, atMs, append, { isMissed: false });
/** Begins an instant that passed while the bot was down. Its rows trigger no stop entries. */
export const beginMissedInstant = (engine: Engine, atMs: number, append: () => void): void =>
  enterInstant(engine, atMs, append, { isMissed: true });

/** Appends rows at the time of an instant, and checks local stops and collar orders at each new row. */
function enterInstant(engine: Engine, atMs: number, append: () => void, { isMissed }: { readonly isMissed: boolean }): void {
  const lengthsBefore = engine.execution.map((feed) => feed.bars.length);
  append();
  engine.instant.set(atMs);
  engine.execution.forEach((feed, index) => {
    for (let row = lengthsBefore[index]!; row < feed.bars.length; row++) checkStopsAtRow(engine, feed, row, isMissed);
  });
}

/** Returns the bars of a feed of a live engine. `feed`: its index. */
function growingBarsOf(engine: Engine, feed: number): GrowingBars {
  const { bars } = engine.feeds[feed]!;
  if (bars instanceof GrowingBars) return bars;
  throw new InvariantError(`feed ${feed} cannot grow`);
}
