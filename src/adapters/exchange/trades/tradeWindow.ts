// Converts a venue's reply with recent trades to trades in time order, and lists why rows were rejected. The reader of trade bars uses it.

import { compareAscending } from '../../../base/text/compareAscending.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { PublicTrade } from '../../../protocol/shapes/market.ts';

/** Maximum number of trades in a reply. The API has no start time parameter (specification, part 4.1). */
export const MAX_TRADES = 1000;

/** A public trade of one instrument. */
export interface RecentTrade {
  readonly id: string;
  readonly timeMs: number;
  /** Price in units of 10^-priceDigits of `tradeWindow`'s digits. */
  readonly priceTicks: number;
  /** Quantity in units of 10^-quantityDigits of `tradeWindow`'s digits. */
  readonly lots: number;
}

/** The newest trades of one reply. */
export interface TradeWindow {
  /** Sorted by time and then by id. Each id occurs once. */
  readonly trades: readonly RecentTrade[];
  /** Why each invalid row was left out, as safe text. */
  readonly problems: readonly string[];
  /** True if the reply has as many rows as requested, so that older trades may exist. */
  readonly isFull: boolean;
}

/** True when every row names the id of its trade. Some services leave ids out (dialect `tradeFields: four`). */
export const haveIds = ({ rows }: Listing<PublicTrade>): boolean => rows.every(({ id }) => id !== null);

/**
 * Returns the trades of `listing`, the reply to a request for `requestedRows` rows. Rows may come in any order. A row without an id is left
 * out: callers check `haveIds` first.
 */
export function tradeWindow(listing: Listing<PublicTrade>, requestedRows: number, digits: TradeDigits): TradeWindow {
  const problems = listing.refused.map(({ problem }) => sanitizeText(problem));
  const byId = new Map<string, RecentTrade>();
  for (const { id, timeMs, price, quantity } of listing.rows) {
    if (id === null) continue;
    const priceTicks = toScaled(price, digits.priceDigits);
    const lots = toScaled(quantity, digits.quantityDigits);
    if (priceTicks === null || lots === null || lots <= 0)
      problems.push(`the trade ${id} has a price or quantity that is no whole number of ticks and lots: ${price}, ${quantity}`);
    else byId.set(id, { id, timeMs, priceTicks, lots });
  }
  const trades = [...byId.values()].toSorted(compareTrades);
  return { trades, problems, isFull: listing.rows.length + listing.refused.length >= requestedRows };
}

/** Compares two trades by time and then by id, as the catalog sorts them. */
export function compareTrades(a: Pick<RecentTrade, 'timeMs' | 'id'>, b: Pick<RecentTrade, 'timeMs' | 'id'>): number {
  if (a.timeMs !== b.timeMs) return a.timeMs - b.timeMs;
  // Ids are whole numbers as text, so a longer id is a higher one.
  if (a.id.length !== b.id.length) return a.id.length - b.id.length;
  return compareAscending(a.id, b.id);
}
