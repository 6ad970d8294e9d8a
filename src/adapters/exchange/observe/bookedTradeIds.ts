// Remembers which trades of an instrument were booked: recent ones by id and side, older ones by an upper bound of their ids.
// The trade reader asks it whether a listed trade is new, and how far back the next list must reach.

import { compareAscending } from '../../../base/text/compareAscending.ts';
import type { TradeRow } from '../calls/venueRows.ts';

/** One side of a trade. A self-trade has two legs with one id. */
type TradeLeg = Pick<TradeRow, 'tradeId' | 'side' | 'timeMs'>;
const keyOf = ({ tradeId, side }: Pick<TradeLeg, 'tradeId' | 'side'>): string => `${tradeId} ${side}`;

/** Trades of the last `RETENTION_MS` of venue time are kept, but at least `MIN_KEPT_TRADES` and at most `MAX_KEPT_TRADES`. */
const MIN_KEPT_TRADES = 256;
const MAX_KEPT_TRADES = 8000;
const RETENTION_MS = 7_200_000;

/** The trades of one instrument that were booked, by trade id. */
export class BookedTradeIds {
  /** Trades before this time are not ours. */
  readonly sinceMs: number;
  /** Booked trades by key. */
  readonly #booked = new Map<string, { readonly id: bigint; readonly timeMs: number }>();
  /** Trades included in the expected holdings since the totals were noted. */
  readonly #counted = new Set<string>();
  /** The newest trade that was counted in this run. It may not be booked yet, because its order is queried first. */
  #newestCounted: bigint | null = null;
  /** False after a list with a gap: newer trades are counted than some that are missing. */
  #isCountComplete = true;
  /** All trades up to this id are booked and no longer kept one by one. */
  #allBookedUpToId = -1n;
  #newestBooked: bigint | null = null;
  /** The newest trade before `sinceMs` that a list has shown. */
  #newestBeforeStart: bigint | null = null;
  /** The first and the newest trade time of this run. Restored trades count as old as the first. */
  #firstMs = Infinity;
  #newestMs = -Infinity;
  /** The size at which old trades are removed. */
  #pruneAtSize = 2 * MIN_KEPT_TRADES;
  /** The known total includes all trades up to this id; null: all booked trades. */
  #totalsUpToId: bigint | null = null;
  /**
   * The next complete read reaches back to this id, because a foreign order of the previous process may have later trades. 0: it reaches back
   * to the first trade. Null: there is no such order.
   */
  #foreignAfterId: bigint | null = null;

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs;
  }

  /** Restores a trade of an earlier run. Its time is unknown. */
  restore(tradeId: string, side: 'buy' | 'sell'): void {
    this.add({ tradeId, side, timeMs: -Infinity });
  }
  /** Notes that the noted totals of the account include all trades up to `tradeId`. */
  noteTotalsUpTo(tradeId: string): void {
    this.#totalsUpToId = BigInt(tradeId);
  }

  /** Notes that a foreign order of the previous process has no trade up to `tradeId`. Null: it may have any trade. */
  noteForeignAfter(tradeId: string | null): void {
    const id = BigInt(tradeId ?? 0);
    if (this.#foreignAfterId === null || id < this.#foreignAfterId) this.#foreignAfterId = id;
  }

  /** Number of trade legs kept one by one. */
  get size(): number {
    return this.#booked.size;
  }
  /** True before the first booked trade. */
  get isEmpty(): boolean {
    return this.#newestBooked === null;
  }
  /** True if the known totals include no trade, so that every trade of the bot must be read once. */
  get needsAll(): boolean {
    return this.#totalsUpToId === 0n || this.#foreignAfterId === 0n;
  }
  /** True if the trade is ours and has not been booked. */
  isNew(row: TradeLeg): boolean {
    return row.timeMs >= this.sinceMs && BigInt(row.tradeId) > this.#allBookedUpToId && !this.#booked.has(keyOf(row));
  }
  /** Notes that the trade has been booked. */
  add(row: TradeLeg): void {
    const id = BigInt(row.tradeId);
    this.#booked.set(keyOf(row), { id, timeMs: row.timeMs });
    if (this.#newestBooked === null || id > this.#newestBooked) this.#newestBooked = id;
    if (row.timeMs > this.#newestMs) this.#newestMs = row.timeMs;
    if (this.#firstMs === Infinity && row.timeMs > -Infinity) this.#firstMs = row.timeMs;
    if (this.#booked.size >= this.#pruneAtSize) this.#prune();
  }
  /** Notes a listed trade. If it is from before `sinceMs`, no list needs to reach back further. */
  noteListed({ tradeId, timeMs }: TradeLeg): void {
    if (timeMs >= this.sinceMs) return;
    const id = BigInt(tradeId);
    if (this.#newestBeforeStart === null || id > this.#newestBeforeStart) this.#newestBeforeStart = id;
  }
  /** Returns true once for each trade leg that the known totals do not include. */
  countsInTotals(row: TradeLeg): boolean {
    const key = keyOf(row);
    const id = BigInt(row.tradeId);
    if (row.timeMs < this.sinceMs || this.#counted.has(key) || id <= this.#allBookedUpToId) return false;
    // A foreign trade is in the noted totals, and in no journal until the operator has decided on its order.
    if (this.#totalsUpToId === null ? this.#booked.has(key) : id <= this.#totalsUpToId) return false;
    this.#counted.add(key);
    if (this.#newestCounted === null || id > this.#newestCounted) this.#newestCounted = id;
    return true;
  }
  /**
   * Returns the newest trade that the expected holdings include, booked or not; '0' before the first. Null while they may lack an older trade,
   * because then no trade id describes what they include.
   */
  get countedUpToId(): string | null {
    if (!this.#isCountComplete) return null;
    if (this.#totalsUpToId !== null) return this.#newestCounted === null ? String(this.#totalsUpToId) : null;
    const newestBooked = this.#newestBooked ?? 0n;
    const newestCounted = this.#newestCounted ?? 0n;
    return String(newestBooked > newestCounted ? newestBooked : newestCounted);
  }
  /** Returns the newest known trade before `timeMs`, or null. A page that includes it reaches back far enough. */
  cursorBefore(timeMs: number): string | null {
    let newest: bigint | null = null;
    for (const trade of this.#booked.values()) if (trade.timeMs < timeMs && (newest === null || trade.id > newest)) newest = trade.id;
    if (newest !== null && this.#totalsUpToId !== null && this.#totalsUpToId < newest) newest = this.needsAll ? null : this.#totalsUpToId;
    if (newest !== null && this.#foreignAfterId !== null && this.#foreignAfterId < newest)
      newest = this.needsAll ? null : this.#foreignAfterId;
    newest ??= this.#newestBeforeStart;
    return newest === null ? null : String(newest);
  }
  /** Returns the newest known trade with an id below all of `ids`; null without one. */
  newestBelow(ids: readonly string[]): string | null {
    const bounds = ids.map(BigInt);
    let newest: bigint | null = null;
    for (const { id } of this.#booked.values()) if ((newest === null || id > newest) && bounds.every((bound) => id < bound)) newest = id;
    return newest === null ? null : String(newest);
  }
  /** Returns the number of booked trades at `timeMs` or later. */
  countSince(timeMs: number): number {
    let count = 0;
    for (const trade of this.#booked.values()) if (trade.timeMs >= timeMs) count++;
    return count;
  }
  /** Notes that a list was counted that has a gap. */
  noteGap(): void {
    this.#isCountComplete = false;
  }
  /** Notes that all trades up to now were listed. If each has been counted, the totals are current, and every later trade counts. */
  noteAllCounted(): void {
    this.#isCountComplete = true;
    this.#foreignAfterId = null;
    if (this.#totalsUpToId === null) return;
    for (const [key, { id }] of this.#booked) if (id > this.#totalsUpToId && !this.#counted.has(key)) return;
    this.#totalsUpToId = null;
  }

  /** Drops the trades with the lowest ids. The bound that replaces them must not cover a recent trade. */
  #prune(): void {
    const sorted = Array.from(this.#booked.values()).toSorted((a, b) => compareAscending(a.id, b.id));
    const keptSinceMs = this.#newestMs - RETENTION_MS;
    const firstKept = sorted.findIndex(({ timeMs }) => Math.max(timeMs, this.#firstMs) >= keptSinceMs);
    const expiredCount = Math.min(firstKept < 0 ? sorted.length : firstKept, sorted.length - MIN_KEPT_TRADES);
    const halfCount = sorted.length >> 1;
    const forgottenCount = sorted.length > MAX_KEPT_TRADES ? Math.max(expiredCount, halfCount) : expiredCount;
    if (forgottenCount > 0) this.#forget(sorted[forgottenCount - 1]!.id);
    this.#pruneAtSize = Math.min(MAX_KEPT_TRADES + 1, 2 * Math.max(MIN_KEPT_TRADES, this.#booked.size));
  }
  #forget(upToId: bigint): void {
    this.#allBookedUpToId = upToId;
    for (const [key, { id }] of this.#booked) if (id <= upToId) this.#booked.delete(key);
    for (const key of this.#counted) if (BigInt(key.slice(0, key.indexOf(' '))) <= upToId) this.#counted.delete(key);
  }
}
