// Records the orders that were sent, as far as a rule that is on needs them: times, terms, and the legs of brackets.

import type { Order } from '../../model/order.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Length of the window of the order rate: one minute. */
export const WINDOW_MS = 60_000;

/** Length of the window in which orders are counted for each fill: one hour. */
export const HOUR_MS = 3_600_000;

/** Number of bracket entries that are remembered. Entries whose legs are still to come are among the newest. */
export const MAX_ENTRIES = 4096;

/** The terms by which orders count as equal, and when the order was sent. */
export type RecentOrder = Pick<Order, 'strategy' | 'instrumentIndex' | 'side' | 'limit'> & {
  readonly isByAmount: boolean;
  readonly size: number;
  readonly sentMs: number;
};

/** Returns the requested lots or units. They include the lot that was taken off to make the fingerprint unique. */
export const requestedSizeOf = ({ lots, quoteUnits, fingerprintOffset = 0 }: Order): number =>
  (quoteUnits > 0 ? quoteUnits : lots) + fingerprintOffset;

/** The limits that decide what must be recorded. */
export interface SentLimits {
  /** Limit on orders in any 60 s; Infinity without a limit. */
  readonly ordersPerMinute: number;
  /** How long an equal order counts as a duplicate, ms; 0 if never. */
  readonly duplicateMs: number;
  /** Limit on a strategy's orders for each of its fills, in any hour; Infinity without a limit. */
  readonly ordersPerFill: number;
  /** True when the legs of a bracket are counted against their entry. */
  readonly countsLegs: boolean;
}

/** Inserts a time into a sorted list. Mostly it is the last. */
export function insertTime(times: number[], timeMs: number): void {
  let index = times.length;
  for (; index > 0 && times[index - 1]! > timeMs; index--) times[index] = times[index - 1]!;
  times[index] = timeMs;
}

/** Returns the place before `index` in a ring whose last place is `last`. */
function placeBefore(index: number, last: number): number {
  return index === 0 ? last : index - 1;
}

/**
 * The recorded orders. As many times are kept as orders are allowed in a minute, so the oldest of them decides whether one more may be
 * sent.
 */
export class SentOrders {
  /** Times of the newest sent orders, in a ring whose oldest element is at `oldestIndex`. */
  private readonly sentTimes: Float64Array;
  private readonly duplicateMs: number;
  private readonly countsLegs: boolean;
  private readonly ordersPerFill: number;
  /** By strategy: the times of its orders in the last hour. */
  private orderTimes: number[][] = [];
  /** By strategy: the times of its fills in the last hour. */
  private fillTimes: number[][] = [];
  /** True when anything is recorded. A backtest without these limits records nothing. */
  readonly isRecording: boolean;
  private oldestIndex = 0;
  private recentOrders: RecentOrder[] = [];
  /** By order id of an entry: its lots, and those that its legs have filled. */
  private readonly entries = new Map<number, { readonly lots: number; filledLegs: number }>();

  constructor({ ordersPerMinute, ordersPerFill, duplicateMs, countsLegs }: SentLimits) {
    this.sentTimes = new Float64Array(ordersPerMinute < INFINITY ? ordersPerMinute : 0).fill(-INFINITY);
    this.duplicateMs = duplicateMs;
    this.countsLegs = countsLegs;
    this.ordersPerFill = ordersPerFill;
    this.isRecording = this.sentTimes.length > 0 || duplicateMs > 0 || ordersPerFill < INFINITY || countsLegs;
  }

  /** True while fewer orders than the limit were sent after `nowMs` - 60 s. False for NaN. */
  mayPass(nowMs: number): boolean {
    return this.sentTimes.length === 0 || this.sentTimes[this.oldestIndex]! <= nowMs - WINDOW_MS;
  }
  /** Returns the orders and fills of a strategy after `nowMs` - 1 h. */
  lastHour(strategyIndex: number, nowMs: number): { readonly sent: number; readonly fills: number } {
    const countRecent = (times: number[] | undefined): number => {
      if (times === undefined) return 0;
      // All at once: after a long replay there are many, and removing them one by one takes time with the square of their number.
      let expired = 0;
      while (expired < times.length && times[expired]! <= nowMs - HOUR_MS) expired++;
      if (expired > 0) times.splice(0, expired);
      return times.length;
    };
    return { sent: countRecent(this.orderTimes[strategyIndex]), fills: countRecent(this.fillTimes[strategyIndex]) };
  }
  /** True when one more order is within the limit for the strategy's fills. */
  isWithinFillRate(strategyIndex: number, nowMs: number): boolean {
    if (this.ordersPerFill === INFINITY) return true;
    const { sent, fills } = this.lastHour(strategyIndex, nowMs);
    return sent < this.ordersPerFill * Math.max(1, fills);
  }
  /** True if the strategy sent an equal order within `duplicateMs`. */
  hasRecentDuplicate(order: Order, nowMs: number): boolean {
    const { strategy, instrumentIndex, side, quoteUnits, limit } = order;
    const size = requestedSizeOf(order);
    return this.recentOrders.some(
      (duplicate) =>
        duplicate.sentMs > nowMs - this.duplicateMs &&
        duplicate.strategy === strategy &&
        duplicate.instrumentIndex === instrumentIndex &&
        duplicate.side === side &&
        duplicate.isByAmount === quoteUnits > 0 &&
        duplicate.size === size &&
        duplicate.limit === limit,
    );
  }
  /** Returns the largest lots that an entry may have filled; Infinity for an unknown entry. */
  lotsOf(entry: number): number {
    return this.entries.get(entry)?.lots ?? INFINITY;
  }
  /** Returns how many lots the legs of a bracket entry have filled; 0 for an unknown entry. */
  filledLegs(entry: number): number {
    return this.entries.get(entry)?.filledLegs ?? 0;
  }

  /** Records an order that is about to be sent. */
  record(order: Order & { readonly worstLots: number }, nowMs: number): void {
    if (this.sentTimes.length > 0) this.addTime(nowMs);
    if (this.ordersPerFill < INFINITY) insertTime((this.orderTimes[order.strategy] ??= []), nowMs);
    if (this.duplicateMs > 0) {
      const { strategy, instrumentIndex, side, quoteUnits, limit } = order;
      this.recentOrders = this.recentOrders.filter(({ sentMs }) => sentMs > nowMs - this.duplicateMs);
      this.recentOrders.push({
        strategy,
        instrumentIndex,
        side,
        limit,
        isByAmount: quoteUnits > 0,
        size: requestedSizeOf(order),
        sentMs: nowMs,
      });
    }
    if (!this.countsLegs || order.parent > 0) return;
    this.entries.set(order.id, { lots: order.worstLots, filledLegs: 0 });
    if (this.entries.size > MAX_ENTRIES) {
      const [oldest] = this.entries.keys();
      this.entries.delete(oldest!);
    }
  }
  /** Replaces the oldest time. A bracket leg has the time of the fill that caused it, so orders of other bars may be newer. */
  private addTime(timeMs: number): void {
    const times = this.sentTimes;
    const oldest = this.oldestIndex;
    const last = times.length - 1;
    // Newer times move one place up, so that the ring stays sorted.
    let index = oldest;
    let previous = placeBefore(index, last);
    while (previous !== oldest && times[previous]! > timeMs) {
      times[index] = times[previous]!;
      index = previous;
      previous = placeBefore(index, last);
    }
    times[index] = timeMs;
    this.oldestIndex = oldest === last ? 0 : oldest + 1;
  }
  /** Records a fill of a bracket leg. */
  noteLegFill(entry: number, lots: number): void {
    const knownEntry = this.entries.get(entry);
    if (knownEntry) knownEntry.filledLegs += lots;
  }
  /** Records a fill of an order. */
  noteFill(strategyIndex: number, timeMs: number): void {
    if (this.ordersPerFill < INFINITY) insertTime((this.fillTimes[strategyIndex] ??= []), timeMs);
  }
  /** Takes over the records of `earlier`, whose limits were equal or wider. */
  takeOver(earlier: SentOrders): void {
    const maxTimes = this.sentTimes.length;
    if (maxTimes > 0) {
      const newestTimes = [...earlier.sentTimes].toSorted((timeMs, otherMs) => timeMs - otherMs).slice(-maxTimes);
      this.sentTimes.set(newestTimes, maxTimes - newestTimes.length);
      this.oldestIndex = 0;
    }
    this.recentOrders = earlier.recentOrders;
    this.orderTimes = earlier.orderTimes;
    this.fillTimes = earlier.fillTimes;
    for (const [id, entry] of earlier.entries) this.entries.set(id, entry);
  }
}
