// One instrument of the replay: what its book matches, and the conversion of its rows to integers.

import { pow10 } from '../../base/number/exact.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import { lotsPerCoin } from '../../model/instrument.ts';
import { fixedLengthMs } from '../../model/interval.ts';
import type { Order, OrderId } from '../../model/order.ts';
import { cancelRestingCollars } from '../../orders/collar.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { BarBook } from '../../venue/barBook.ts';
import { TradeMatcher, type TradeTerms } from '../../venue/trades/tradeMatcher.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { TradedRow } from '../../venue/futures/rowOrder.ts';
import type { MatchedFeed, ReplayHost } from './replayHost.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** One instrument of the replay: its book, the feed that it matches, and the scales that convert rows to integers. */
export interface ReplayBook {
  readonly book: BarBook;
  readonly feed: MatchedFeed;
  /** For rows of trades: matches their trades; null for bars. */
  readonly trades: TradeMatcher | null;
  /** The feed column that every matched row reads. */
  readonly openTicks: TickColumn;
  readonly priceScale: number;
  readonly lotScale: number;
  /** True when slippage depends on the bar of a fill. */
  readonly readsBar: boolean;
  /** True when every row must be matched, even if it reaches no stop. */
  readonly seesEachRow: boolean;
  /**
   * Length of a row; 0 for months, whose length varies. Then a row's open time is read instead of computed, at the cost of a cache miss.
   */
  readonly lengthMs: number;
  /** Cancels that arrived inside a row act after it, because the order of events inside a row is unknown. */
  readonly lateCancels: number[];
  readonly lateTriggers: OrderId[];
  /** Number of late cancels and late triggers. */
  lateCount: number;
  /** Market orders with a collar whose row has not come yet. */
  collaredCount: number;
}

/** Returns the open time of a row, ms UTC. */
export const rowOpenMs = ({ lengthMs, feed: { bars, cursor } }: ReplayBook, row: number, closeMs: number): number =>
  lengthMs > 0 ? closeMs - lengthMs : bars.openMs[row - cursor.base]!;

/** Returns a row in ticks. Whole ticks: the import has rejected or rounded finer prices, so rounding only removes floating-point noise. */
export function tradedRow(
  { feed: { bars, cursor }, priceScale }: ReplayBook,
  row: number,
  openMs: number,
  closeMs: number,
  open: number,
): TradedRow {
  const index = row - cursor.base;
  const [high, low] = [Math.round(bars.high[index]! * priceScale), Math.round(bars.low[index]! * priceScale)];
  return { openMs, closeMs, open, high, low };
}

/** Hands the bar of a row to the book, for slippage that depends on it. */
export function setSlippageBar(
  { book, feed: { bars, closeTicks, cursor }, priceScale, lotScale }: ReplayBook,
  row: number,
  open: number,
): void {
  const index = row - cursor.base;
  const [high, low] = [Math.round(bars.high[index]! * priceScale), Math.round(bars.low[index]! * priceScale)];
  book.bar = { open, high, low, close: closeTicks[index]!, volumeLots: bars.volume[index]! * lotScale };
}

/** Returns the first row of [from, to) that must be matched, or `to`. Stops trail row `from`, which is visited next, if it triggers none. */
export function passQuietRows(replayBook: ReplayBook, brackets: Brackets, instrumentIndex: number, from: number, to: number): number {
  const { seesEachRow, book, lateCount, collaredCount, priceScale, feed } = replayBook;
  // A row of the next block is not seen yet.
  if (from >= to) return from;
  if (seesEachRow === true || book.working > 0 || lateCount + collaredCount > 0 || brackets.entries.waiting(instrumentIndex) > 0)
    return from;
  const { high, low } = feed.bars;
  // Columns of bars that are read block by block begin at the row `base`, which stays the same inside a block.
  const { base } = feed.cursor;
  const [firstIndex, endIndex] = [from - base, to - base];
  const index = brackets.quietRange(instrumentIndex).firstChangingRow(high, low, priceScale, firstIndex, endIndex);
  if (index > firstIndex || !followQuietRow(replayBook, brackets, instrumentIndex, from)) return base + index;
  return base + brackets.quietRange(instrumentIndex).firstChangingRow(high, low, priceScale, firstIndex + 1, endIndex);
}

/** Makes stops trail a row that triggers none; false if it may trigger one. */
function followQuietRow(replayBook: ReplayBook, brackets: Brackets, instrumentIndex: number, row: number): boolean {
  const { feed, priceScale } = replayBook;
  const { bars } = feed;
  const { stopsBelow, stopsAbove } = brackets.quietRange(instrumentIndex);
  const index = row - feed.cursor.base;
  const [high, low] = [bars.high[index]! * priceScale, bars.low[index]! * priceScale];
  if (!(low >= stopsBelow && high < stopsAbove)) return false;
  const openMs = rowOpenMs(replayBook, row, feed.closeOf(row));
  if (brackets.follow(instrumentIndex, Math.round(high), Math.round(low), openMs))
    brackets.followClose(instrumentIndex, Math.round(bars.close[index]! * priceScale), openMs);
  return true;
}

/** Returns the book of a feed in a venue. */
export function replayBookOf(feed: MatchedFeed, venue: BookVenue<BarBook>, terms: TradeTerms, seesEachRow: boolean): ReplayBook {
  const book = venue.book(feed.instrument);
  const { tape } = feed.bars;
  return {
    book,
    readsBar: book.readsBar,
    seesEachRow: seesEachRow || book.readsBar || tape !== undefined,
    feed,
    trades: tape === undefined ? null : new TradeMatcher(book, tape, terms),
    openTicks: feed.openTicks,
    priceScale: pow10(feed.instrument.priceDigits),
    lotScale: lotsPerCoin(feed.instrument),
    lengthMs: fixedLengthMs(feed.bars.interval) ?? 0,
    lateCancels: [],
    lateTriggers: [],
    lateCount: 0,
    collaredCount: 0,
  };
}

/**
 * Matches the trades of the row that opens at `timeMs`. Each trade meets the stops of brackets first, then orders, then stop entries.
 * `venueIdOf` returns the venue order id of an order, or 0.
 */
export function matchTrades(
  engine: ReplayHost,
  replayBook: ReplayBook,
  matcher: TradeMatcher,
  instrumentIndex: number,
  row: number,
  timeMs: number,
  venueIdOf: (order: Order) => number,
): void {
  const { first, price } = replayBook.feed.bars.tape!;
  const { brackets, bracketManager, drafts } = engine;
  for (let index = first[row]!; index < first[row + 1]!; index++) {
    const ticks = price[index]!;
    matcher.begin(index);
    bracketManager.legTimeMs = timeMs;
    brackets.triggerAtOpen(instrumentIndex, ticks, bracketManager.onHit);
    matcher.match(index, timeMs);
    // A stop entry that this trade reaches takes part from the next trade on.
    drafts.entries.fireAtOpen(instrumentIndex, timeMs, ticks);
    bracketManager.legTimeMs = NAN;
    brackets.follow(instrumentIndex, ticks, ticks, timeMs);
  }
  // A collar order that rests in the book is no longer a market order.
  if (replayBook.collaredCount > 0)
    replayBook.collaredCount = cancelRestingCollars(engine, instrumentIndex, (order) => matcher.isResting(venueIdOf(order)));
}
