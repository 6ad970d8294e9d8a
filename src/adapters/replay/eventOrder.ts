// Rows of a replay in which events happen in the best, or in the worst, of the orders that a bar allows, for the envelope.

import { levelOf, trailLevelOf, type Bracket } from '../../orders/stops/brackets.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { ReplayHost } from './replayHost.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Which order of events the rows of a replay take; null: that of docs/matching.md. */
export type EventOrder = 'best' | 'worst' | null;

/** A row whose events are matched in a chosen order. */
export interface OrderedRow {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Matches a row of coins after its open: in the best order targets come before stops. */
export function matchInEventOrder(
  engine: ReplayHost,
  book: BarBook,
  instrumentIndex: number,
  eventOrder: 'best' | 'worst',
  row: OrderedRow,
): void {
  const { bracketManager, brackets, drafts } = engine;
  const { openMs, closeMs, open, high, low } = row;
  bracketManager.legTimeMs = openMs;
  brackets.triggerAtOpen(instrumentIndex, open, bracketManager.onHit);
  if (drafts.entries.fireAtOpen(instrumentIndex, openMs, open)) book.matchArrivals(openMs, open);
  if (brackets.isTrailing(instrumentIndex)) followRow(brackets.list(instrumentIndex), eventOrder, row);
  const nearBrackets = brackets.near(instrumentIndex, high, low);
  bracketManager.legTimeMs = closeMs;
  if (eventOrder === 'worst') hitHeld(engine, instrumentIndex, nearBrackets, row);
  bracketManager.legTimeMs = closeMs;
  drafts.entries.fireInRow(instrumentIndex, openMs, open, high, low);
  book.matchRange(openMs, closeMs, open, high, low);
  // Stops of what this row has bought come after all others.
  if (eventOrder === 'best') hitHeld(engine, instrumentIndex, nearBrackets, row);
  bracketManager.legTimeMs = closeMs;
  brackets.triggerInRow(instrumentIndex, high, low, closeMs, bracketManager.onHit);
  bracketManager.legTimeMs = NAN;
}

/** Stops of `nearBrackets` that the row reaches and that still stand: one stop may end others. */
function hitHeld(
  { bracketManager, brackets }: ReplayHost,
  instrumentIndex: number,
  nearBrackets: readonly Bracket[],
  row: OrderedRow,
): void {
  const { high, low, closeMs } = row;
  bracketManager.legTimeMs = closeMs;
  for (const bracket of nearBrackets) {
    const { isLong } = bracket;
    const level = levelOf(bracket);
    if (isLong ? low > level : high < level) continue;
    if (brackets.list(instrumentIndex).includes(bracket))
      bracketManager.onHit(bracket, isLong ? Math.min(level, high) : Math.max(level, low));
  }
}

/**
 * Moves each trailing stop to the best price of the row if the row can reach the stop afterwards. The moved stop must also give another
 * equity at the close than holding the position: more in the best order of events, less in the worst.
 */
export function followRow(brackets: readonly Bracket[], eventOrder: 'best' | 'worst', { openMs, high, low, close }: OrderedRow): void {
  for (const bracket of brackets) {
    const { isLong, trailingTicks, armedMs } = bracket;
    if (trailingTicks === 0 || armedMs > openMs) continue;
    const bestOfRow = isLong ? Math.max(bracket.bestTicks, high) : Math.min(bracket.bestTicks, low);
    const level = trailLevelOf(bracket, bestOfRow);
    const isReached = isLong ? low <= level : high >= level;
    const isBetter = isLong ? level >= close : level <= close;
    if (isReached && isBetter === (eventOrder === 'best')) bracket.bestTicks = bestOfRow;
  }
}
