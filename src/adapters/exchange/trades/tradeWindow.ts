// Converts a reply with recent trades to trades in time order, and lists why rows were rejected.

import { compareAscending } from '../../../base/text/compareAscending.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { PublicTrade } from '../../../protocol/shapes/market.ts';

/** Maximum number of trades in a reply. The API has no start time parameter (specification, part 4.1). */
export const MAX_TRADES = 1000;

/** A public trade. Price and quantity are whole numbers in units of 10^-digits. */
export interface RecentTrade {
  readonly id: string;
  readonly timeMs: number;
  readonly price: number;
  readonly quantity: number;
}

/** The newest trades of one reply. */
export interface TradeWindow {
  /** By time and then id, each id once. */
  readonly trades: readonly RecentTrade[];
  /** Problems of invalid rows. */
  readonly refused: readonly string[];
  /** True if the reply has as many rows as requested, so that older trades may exist. */
  readonly isFull: boolean;
}

/** True when every row names the id of its trade. Some services leave ids out (dialect `tradeFields: four`). */
export const haveIds = ({ rows }: Listing<PublicTrade>): boolean => rows.every(({ id }) => id !== null);

/** Returns the trades of `listing`, the reply to a request for `requested` rows. Rows may come in any order. */
export function tradeWindow(listing: Listing<PublicTrade>, requested: number, digits: TradeDigits): TradeWindow {
  const refused = listing.refused.map(({ problem }) => sanitizeText(problem));
  const byId = new Map<string, RecentTrade>();
  for (const { id, timeMs, price, quantity } of listing.rows) {
    if (id === null) continue;
    const units = toScaled(price, digits.priceDigits);
    const lots = toScaled(quantity, digits.quantityDigits);
    if (units === null || lots === null || lots <= 0)
      refused.push(`the trade ${id} has a price or quantity that is no whole number of ticks and lots: ${price}, ${quantity}`);
    else byId.set(id, { id, timeMs, price: units, quantity: lots });
  }
  const trades = [...byId.values()].toSorted(compareTrades);
  return { trades, refused, isFull: listing.rows.length + listing.refused.length >= requested };
}

/** Compares two trades by time and then by id, as the catalog sorts them. */
export function compareTrades(a: Pick<RecentTrade, 'timeMs' | 'id'>, b: Pick<RecentTrade, 'timeMs' | 'id'>): number {
  if (a.timeMs !== b.timeMs) return a.timeMs - b.timeMs;
  if (a.id.length !== b.id.length) return a.id.length - b.id.length;
  return compareAscending(a.id, b.id);
}
