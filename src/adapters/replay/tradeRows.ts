// Matches the trades of one row of a replay, one after the other (docs/matching.md#trades).

import { cancelRestingCollars } from '../../orders/collar.ts';
import type { Order } from '../../model/order.ts';
import type { TradeMatcher } from '../../venue/tradeMatcher.ts';
import type { ReplayHost } from './host.ts';
import type { ReplayBook } from './replayBook.ts';

/** Matches the trades of the row that opens at `timeMs`: of each trade stops of brackets, then orders. `venueId`: that of an order, or 0. */
export function matchTrades(
  engine: ReplayHost,
  replayBook: ReplayBook,
  matcher: TradeMatcher,
  instrument: number,
  row: number,
  timeMs: number,
  venueId: (order: Order) => number,
): void {
  const { first, price } = replayBook.feed.bars.tape!;
  const { brackets, bracketManager } = engine;
  for (let at = first[row]!; at < first[row + 1]!; at++) {
    const ticks = price[at]!;
    matcher.begin(at);
    bracketManager.legTimeMs = timeMs;
    brackets.triggerAtOpen(instrument, ticks, bracketManager.onHit);
    matcher.match(at, timeMs);
    bracketManager.legTimeMs = NaN;
    brackets.follow(instrument, ticks, ticks, timeMs);
  }
  // What has come to rest is no market order any more.
  if (replayBook.collared > 0) replayBook.collared = cancelRestingCollars(engine, instrument, (order) => matcher.isResting(venueId(order)));
}
