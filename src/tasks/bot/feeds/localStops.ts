// Checks the bot's local stops and stop entries when a bar has closed. The exchange does not know them.

import { pow10 } from '../../../base/number/exact.ts';
import { cancelCollarRemainders } from '../../../orders/collar.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';

/**
 * Checks a closed row of an execution feed, whose fills are booked. Stops and stop entries that the row has reached trigger as market orders,
 * in the order of a backtest. Stop entries do not if `isMissed`: the row passed while the bot was down. Then trailing stops move, and the
 * unfilled remainder of collar orders is cancelled.
 */
export function checkStopsAtRow(engine: Engine, feed: FeedRun, row: number, isMissed = false): void {
  const { brackets, bracketManager, drafts } = engine;
  const { instrumentIndex: index, instrument, bars } = feed;
  const openMs = bars.openMs[row]!;
  const closeMs = bars.closeMs[row]!;
  if (brackets.waiting(index) > 0) {
    const scale = pow10(instrument.priceDigits);
    const ticksOf = (column: Float64Array): number => Math.round(column[row]! * scale);
    const [open, high, low, close] = [ticksOf(bars.open), ticksOf(bars.high), ticksOf(bars.low), ticksOf(bars.close)];
    // A bracket whose entry has filled within the row must not react to the row's open.
    brackets.triggerAtOpen(index, open, (bracket, price) => {
      if (bracket.armedMs <= openMs) bracketManager.hit(bracket, price);
    });
    if (!isMissed) drafts.entries.fireAtOpen(index, openMs, open);
    // The bot books fills up to now before it reads the row. An entry that filled after the close has not seen this row.
    brackets.triggerInRow(index, high, low, -Infinity, (bracket, price) => {
      if (bracket.armedMs <= closeMs) bracketManager.hit(bracket, price);
    });
    if (!isMissed) drafts.entries.fireInRow(index, openMs, open, high, low);
    brackets.followAgain(index, { high, low, close }, openMs, closeMs);
  }
  cancelCollarRemainders(engine, index, { openMs, closeMs });
}
