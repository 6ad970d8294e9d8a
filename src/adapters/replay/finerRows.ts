// Finer rows inside a row of a replay: they are matched in its place where the row alone leaves the order of events open.

import { trailLevelOf, type Bracket } from '../../orders/stops/brackets.ts';
import { ticksOf, type BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BarBook } from '../../venue/barBook.ts';

/** Gives finer rows, some at a time. */
export interface FinerSource {
  /** Returns the next rows from `fromMs` on and before `toMs`. Empty once there are no more. Null if the source has no rows of the instrument. */
  next(instrument: Instrument, fromMs: number, toMs: number): BarColumns | null;
}

/** Matches one finer row, in ticks. Returns false when no order is left. `index`: its number inside the coarse row. */
export type MatchFiner = (
  index: number,
  openMs: number,
  closeMs: number,
  open: number,
  high: number,
  low: number,
  close: number,
) => boolean;

/** Matches the finer rows of [openMs, closeMs) until no order is left. Returns false unless they begin with the price `open`. */
export function matchFinerRows(
  source: FinerSource,
  instrument: Instrument,
  openMs: number,
  closeMs: number,
  openTicks: number,
  match: MatchFiner,
): boolean {
  let matchedRows = 0;
  for (let fromMs = openMs; fromMs < closeMs;) {
    const rows = source.next(instrument, fromMs, closeMs);
    if (rows === null || rows.length === 0) return matchedRows > 0;
    const open = ticksOf(rows, 'open');
    const high = ticksOf(rows, 'high');
    const low = ticksOf(rows, 'low');
    const close = ticksOf(rows, 'close');
    if (matchedRows === 0 && open[0] !== openTicks) return false;
    for (let index = 0; index < rows.length; index++)
      if (!match(matchedRows++, rows.openMs[index]!, rows.closeMs[index]!, open[index]!, high[index]!, low[index]!, close[index]!))
        return true;
    fromMs = rows.closeMs[rows.length - 1]!;
  }
  return true;
}

/** True when a row reaches, after its open, more than one fixed stop, a limit, or a trail that follows it. */
export function isEventOrderOpen(
  book: BarBook,
  brackets: readonly Bracket[],
  openMs: number,
  open: number,
  high: number,
  low: number,
): boolean {
  let reachedStops = 0;
  for (const bracket of brackets) {
    const { isLong, stopTicks, trailingTicks, bestTicks } = bracket;
    // A stop that does not trail yet has the level NaN, which no price reaches.
    if (
      trailingTicks > 0 &&
      (isLong ? low <= trailLevelOf(bracket, Math.max(bestTicks, high)) : high >= trailLevelOf(bracket, Math.min(bestTicks, low)))
    )
      return true;
    if (stopTicks > 0 && (isLong ? low <= stopTicks : high >= stopTicks)) reachedStops++;
  }
  if (reachedStops > 1) return true;
  for (const { limit, sign } of book.ordersInRow(openMs)) {
    const isMarketable = sign > 0 ? limit >= open : limit <= open;
    if (limit > 0 && !isMarketable && (sign > 0 ? low <= limit : high >= limit)) return true;
  }
  return false;
}
