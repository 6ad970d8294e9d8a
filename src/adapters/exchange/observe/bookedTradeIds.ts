// Which trades of an instrument were booked: by id and side, the newest of them one by one, the older ones by a bound.

import type { TradeRow } from '../calls/rows.ts';

type Leg = Pick<TradeRow, 'tradeId' | 'side' | 'timeMs'>;
const keyOf = ({ tradeId, side }: Pick<Leg, 'tradeId' | 'side'>): string => `${tradeId} ${side}`;

/** So many are kept whatever their age, and of a busy time no more than `MOST`; else those of the last `KEPT_MS` of the exchange. */
const MIN_KEPT = 256;
const MAX_KEPT = 8000;
const RETENTION_MS = 7_200_000;

export class BookedTradeIds {
  /** What happened before is nobody's. */
  readonly sinceMs: number;
  /** Booked: id and time by key. */
  readonly #booked = new Map<string, { readonly id: bigint; readonly timeMs: number }>();
  /** Counted in what the account must hold: those that were not part of its total as it was noted. */
  readonly #counted = new Set<string>();
  /** Everything up to here is booked and forgotten. */
  #doneId = -1n;
  #newest: bigint | null = null;
  /** The newest trade from before `sinceMs` that a list has shown. */
  #before: bigint | null = null;
  /** The first and the newest time of this life of the process: what is restored counts as old as the first. */
  #firstMs = Infinity;
  #newestMs = -Infinity;
  /** With so many it is worth to look for old ones. */
  #pruneAt = 2 * MIN_KEPT;
  /** The total that is known includes everything up to here; null: everything that was booked. */
  #totalsId: bigint | null = null;

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs;
  }

  /** Of an earlier life of the process, so that nothing is known of its time. */
  restore(tradeId: string, side: 'buy' | 'sell'): void {
    this.add({ tradeId, side, timeMs: -Infinity });
  }
  /** The totals of the account, as they were noted, include every trade up to this one. */
  totalsUpTo(tradeId: string): void {
    this.#totalsId = BigInt(tradeId);
  }

  /** Legs that are known one by one. */
  get size(): number {
    return this.#booked.size;
  }
  get isEmpty(): boolean {
    return this.#newest === null;
  }
  get newestId(): string | null {
    return this.#newest === null ? null : String(this.#newest);
  }
  isNew(row: Leg): boolean {
    return row.timeMs >= this.sinceMs && BigInt(row.tradeId) > this.#doneId && !this.#booked.has(keyOf(row));
  }
  add(row: Leg): void {
    const id = BigInt(row.tradeId);
    this.#booked.set(keyOf(row), { id, timeMs: row.timeMs });
    if (this.#newest === null || id > this.#newest) this.#newest = id;
    if (row.timeMs > this.#newestMs) this.#newestMs = row.timeMs;
    if (this.#firstMs === Infinity && row.timeMs > -Infinity) this.#firstMs = row.timeMs;
    if (this.#booked.size >= this.#pruneAt) this.#prune();
  }
  /** A list has shown it: where it is nobody's, no list need reach back further. */
  noteListed({ tradeId, timeMs }: Leg): void {
    if (timeMs >= this.sinceMs) return;
    const id = BigInt(tradeId);
    if (this.#before === null || id > this.#before) this.#before = id;
  }
  /** True once for each leg that has changed the account since its totals were known. */
  countsInTotals(row: Leg): boolean {
    const key = keyOf(row);
    const id = BigInt(row.tradeId);
    if (row.timeMs < this.sinceMs || this.#counted.has(key) || id <= this.#doneId) return false;
    const isBooked = this.#booked.has(key);
    if (isBooked && (this.#totalsId === null || id <= this.#totalsId)) return false;
    this.#counted.add(key);
    return true;
  }
  /** The newest trade from before `timeMs` that is known; null: none. A page that holds it reaches back far enough. */
  cursorBefore(timeMs: number): string | null {
    let newest: bigint | null = null;
    for (const each of this.#booked.values()) if (each.timeMs < timeMs && (newest === null || each.id > newest)) newest = each.id;
    if (newest !== null && this.#totalsId !== null && this.#totalsId < newest) newest = this.#totalsId;
    newest ??= this.#before;
    return newest === null ? null : String(newest);
  }
  /** Booked of what happened at `timeMs` or later. */
  countSince(timeMs: number): number {
    let count = 0;
    for (const each of this.#booked.values()) if (each.timeMs >= timeMs) count++;
    return count;
  }
  /** Everything since the totals was read: where all of it is counted, they are current, and every trade that is new counts. */
  countedSinceTotals(): void {
    if (this.#totalsId === null) return;
    for (const [key, { id }] of this.#booked) if (id > this.#totalsId && !this.#counted.has(key)) return;
    this.#totalsId = null;
  }

  /** Forgets the oldest by id: the bound that takes their place may pass over none that is young. */
  #prune(): void {
    const sorted = Array.from(this.#booked.values()).toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    const youngMs = this.#newestMs - RETENTION_MS;
    const oldest = sorted.findIndex(({ timeMs }) => Math.max(timeMs, this.#firstMs) >= youngMs);
    const few = Math.min(oldest < 0 ? sorted.length : oldest, sorted.length - MIN_KEPT);
    const count = sorted.length > MAX_KEPT ? Math.max(few, sorted.length >> 1) : few;
    if (count > 0) this.#forget(sorted[count - 1]!.id);
    this.#pruneAt = Math.min(MAX_KEPT + 1, 2 * Math.max(MIN_KEPT, this.#booked.size));
  }
  #forget(upToId: bigint): void {
    this.#doneId = upToId;
    for (const [key, { id }] of this.#booked) if (id <= upToId) this.#booked.delete(key);
    for (const key of this.#counted) if (BigInt(key.slice(0, key.indexOf(' '))) <= upToId) this.#counted.delete(key);
  }
}
