// Rows of a replay in which events happen in the best, or in the worst, of the orders that a bar allows: the lanes of the envelope.

import { levelOf, type Bracket } from '../../orders/stops/brackets.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { ReplayHost } from './host.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Which order of events the rows of a replay take; null: that of docs/matching.md. */
export type RowLane = 'best' | 'worst' | null;

export interface LaneRow {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Matches a row of coins after its open: in the best lane targets come before stops. */
export function matchLane(engine: ReplayHost, book: BarBook, instrument: number, lane: 'best' | 'worst', row: LaneRow): void {
  const { bracketManager, brackets } = engine;
  const { openMs, closeMs, open, high, low } = row;
  bracketManager.legTimeMs = openMs;
  brackets.triggerAtOpen(instrument, open, bracketManager.onHit);
  followInside(brackets.list(instrument), lane, row);
  bracketManager.legTimeMs = closeMs;
  const held = brackets.list(instrument).slice();
  const stop = (): void => {
    bracketManager.legTimeMs = closeMs;
    for (const bracket of held) if (brackets.list(instrument).includes(bracket)) hitInside(bracket, high, low, bracketManager.onHit);
  };
  if (lane === 'worst') stop();
  book.matchRange(openMs, closeMs, open, high, low);
  if (lane === 'best') stop();
  bracketManager.legTimeMs = closeMs;
  brackets.triggerInRow(instrument, high, low, closeMs, bracketManager.onHit);
  bracketManager.legTimeMs = NAN;
}

function hitInside(bracket: Bracket, high: number, low: number, hit: (bracket: Bracket, price: number) => void): void {
  const level = levelOf(bracket);
  if (bracket.isLong ? low <= level : high >= level) hit(bracket, bracket.isLong ? Math.min(level, high) : Math.max(level, low));
}

/**
 * A trail follows the best price of the row before it triggers, where that order is possible, and better (or worse) for equity at the close
 * than to go on.
 */
export function followInside(list: readonly Bracket[], lane: 'best' | 'worst', { openMs, high, low, close }: LaneRow): void {
  for (const bracket of list) {
    const { isLong, trailing, armedMs } = bracket;
    if (trailing === 0 || armedMs > openMs) continue;
    const best = isLong ? Math.max(bracket.best, high) : Math.min(bracket.best, low);
    const level = isLong ? best - trailing : best + trailing;
    const isReached = isLong ? low <= level : high >= level;
    const isBetter = isLong ? level >= close : level <= close;
    if (isReached && isBetter === (lane === 'best')) bracket.best = best;
  }
}
