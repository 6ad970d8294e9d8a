// Which trades of an instrument were booked: by id and side, the newest of them one by one, the older ones by a bound.

import type { TradeRow } from './rows.ts';

type Leg = Pick<TradeRow, 'tradeId' | 'side' | 'timeMs'>;
const keyOf = ({ tradeId, side }: Pick<Leg, 'tradeId' | 'side'>): string => `${tradeId} ${side}`;

const MOST = 8000;

export class SeenTrades {
  /** What happened before is nobody's. */
  readonly sinceMs: number;
  /** Booked: id and time by key. */
  readonly #seen = new Map<string, { readonly id: bigint; readonly timeMs: number }>();
  /** Counted in what the account must hold: those that were not part of its total as it was noted. */
  readonly #counted = new Set<string>();
  /** Everything up to here is booked and forgotten. */
  #doneId = -1n;
  #newest: bigint | null = null;
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

  get isEmpty(): boolean {
    return this.#newest === null;
  }
  get newestId(): string | null {
    return this.#newest === null ? null : String(this.#newest);
  }
  isNew(row: Leg): boolean {
    return row.timeMs >= this.sinceMs && BigInt(row.tradeId) > this.#doneId && !this.#seen.has(keyOf(row));
  }
  add(row: Leg): void {
    const id = BigInt(row.tradeId);
    this.#seen.set(keyOf(row), { id, timeMs: row.timeMs });
    if (this.#newest === null || id > this.#newest) this.#newest = id;
    if (this.#seen.size > MOST) this.#prune();
  }
  /** True once for each leg that has changed the account since its totals were known. */
  countsInTotals(row: Leg): boolean {
    const key = keyOf(row);
    const id = BigInt(row.tradeId);
    if (row.timeMs < this.sinceMs || this.#counted.has(key) || id <= this.#doneId) return false;
    const isBooked = this.#seen.has(key);
    if (isBooked && (this.#totalsId === null || id <= this.#totalsId)) return false;
    this.#counted.add(key);
    return true;
  }
  /** The newest trade from before `timeMs` that is known; null: none. A page that holds it reaches back far enough. */
  cursorBefore(timeMs: number): string | null {
    let newest: bigint | null = null;
    for (const each of this.#seen.values()) if (each.timeMs < timeMs && (newest === null || each.id > newest)) newest = each.id;
    if (newest !== null && this.#totalsId !== null && this.#totalsId < newest) newest = this.#totalsId;
    return newest === null ? null : String(newest);
  }
  /** What was read by now is counted: from here on every trade that is new counts. */
  totalsAreCurrent(): void {
    this.#totalsId = null;
  }

  #prune(): void {
    const ids = Array.from(this.#seen.values(), ({ id }) => id).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    this.#doneId = ids[ids.length >> 1]!;
    for (const [key, { id }] of this.#seen) if (id <= this.#doneId) this.#seen.delete(key);
    for (const key of this.#counted) if (BigInt(key.split(' ')[0]!) <= this.#doneId) this.#counted.delete(key);
  }
}
