// Records what was sent, how often and with which terms, as far as a rule that is on needs it.

import type { Order } from '../../model/order.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

export const WINDOW_MS = 60_000;

export const HOUR_MS = 3_600_000;

/** Number of entries that are remembered: those with legs still to come are among the newest. */
export const MAX_ENTRIES = 4096;

/** What distinguishes one order from another, and when it was sent. */
export type RecentOrder = Pick<Order, 'strategy' | 'instrumentIndex' | 'side' | 'limit'> & {
  readonly isByAmount: boolean;
  readonly size: number;
  readonly sentMs: number;
};

/** Returns the requested lots or units: the second of two equal orders is sent one lot smaller while the first is open. */
export const sizeOf = ({ lots, quoteUnits, fingerprintOffset = 0 }: Order): number =>
  (quoteUnits > 0 ? quoteUnits : lots) + fingerprintOffset;

export interface SentLimits {
  /** Limit on orders in any 60 s; Infinity keeps no times. */
  readonly ordersPerMinute: number;
  /** How long an equal order counts as a duplicate; 0 keeps none. */
  readonly duplicateMs: number;
  /** Limit on a strategy's orders for each of its fills, in any hour; Infinity keeps none. */
  readonly ordersPerFill: number;
  /** True when the legs of a bracket are counted against their entry. */
  readonly countsLegs: boolean;
}

/** Inserts a time in order; it is mostly the last. */
export function insert(times: number[], timeMs: number): void {
  let at = times.length;
  for (; at > 0 && times[at - 1]! > timeMs; at--) times[at] = times[at - 1]!;
  times[at] = timeMs;
}

/** The times of the newest orders, in order, as many as the limit: the oldest of them decides whether one more may be sent. */
export class SentOrders {
  private readonly times: Float64Array;
  private readonly duplicateMs: number;
  private readonly countsLegs: boolean;
  private readonly ordersPerFill: number;
  /** By strategy: times of the last hour. */
  private sent: number[][] = [];
  private fills: number[][] = [];
  /** True when anything is recorded. A backtest without these limits records nothing. */
  readonly keeps: boolean;
  private next = 0;
  private twins: RecentOrder[] = [];
  private readonly entries = new Map<number, { readonly lots: number; filledLegs: number }>();

  constructor({ ordersPerMinute, ordersPerFill, duplicateMs, countsLegs }: SentLimits) {
    this.times = new Float64Array(ordersPerMinute < INFINITY ? ordersPerMinute : 0).fill(-INFINITY);
    this.duplicateMs = duplicateMs;
    this.countsLegs = countsLegs;
    this.ordersPerFill = ordersPerFill;
    this.keeps = this.times.length > 0 || duplicateMs > 0 || ordersPerFill < INFINITY || countsLegs;
  }

  /** True while fewer orders than the limit were sent after `nowMs` - 60 s. False for NaN. */
  mayPass(nowMs: number): boolean {
    return this.times.length === 0 || this.times[this.next]! <= nowMs - WINDOW_MS;
  }
  /** Returns the orders and fills of a strategy after `nowMs` - 1 h. */
  lastHour(strategy: number, nowMs: number): { readonly sent: number; readonly fills: number } {
    const count = (times: number[] | undefined): number => {
      if (times === undefined) return 0;
      while (times.length > 0 && times[0]! <= nowMs - HOUR_MS) times.shift();
      return times.length;
    };
    return { sent: count(this.sent[strategy]), fills: count(this.fills[strategy]) };
  }
  /** True when one more order is within the limit for the strategy's fills. */
  maySpeak(strategy: number, nowMs: number): boolean {
    if (this.ordersPerFill === INFINITY) return true;
    const { sent, fills } = this.lastHour(strategy, nowMs);
    return sent < this.ordersPerFill * Math.max(1, fills);
  }
  hasRecentDuplicate(order: Order, nowMs: number): boolean {
    const { strategy, instrumentIndex, side, quoteUnits, limit } = order;
    const size = sizeOf(order);
    return this.twins.some(
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
  /** Returns what an entry may have filled at most; Infinity for an unknown entry. */
  lotsOf(entry: number): number {
    return this.entries.get(entry)?.lots ?? INFINITY;
  }
  filledLegs(entry: number): number {
    return this.entries.get(entry)?.filledLegs ?? 0;
  }

  record(order: Order & { readonly worstLots: number }, nowMs: number): void {
    if (this.times.length > 0) this.keep(nowMs);
    if (this.ordersPerFill < INFINITY) insert((this.sent[order.strategy] ??= []), nowMs);
    if (this.duplicateMs > 0) {
      const { strategy, instrumentIndex, side, quoteUnits, limit } = order;
      this.twins = this.twins.filter(({ sentMs }) => sentMs > nowMs - this.duplicateMs);
      this.twins.push({ strategy, instrumentIndex, side, limit, isByAmount: quoteUnits > 0, size: sizeOf(order), sentMs: nowMs });
    }
    if (!this.countsLegs || order.parent > 0) return;
    this.entries.set(order.id, { lots: order.worstLots, filledLegs: 0 });
    if (this.entries.size > MAX_ENTRIES) for (const [oldest] of this.entries) return void this.entries.delete(oldest);
  }
  /** Replaces the oldest time. A bracket leg has the time of the fill that caused it, so orders of other bars may be newer. */
  private keep(timeMs: number): void {
    const times = this.times;
    const oldest = this.next;
    const last = times.length - 1;
    let at = oldest;
    for (let before = at === 0 ? last : at - 1; before !== oldest && times[before]! > timeMs; before = at === 0 ? last : at - 1) {
      times[at] = times[before]!;
      at = before;
    }
    times[at] = timeMs;
    this.next = oldest === last ? 0 : oldest + 1;
  }
  /** Records a fill of a bracket leg. */
  noteLegFill(entry: number, lots: number): void {
    const known = this.entries.get(entry);
    if (known) known.filledLegs += lots;
  }
  /** Records a fill of an order. */
  noteFill(strategy: number, timeMs: number): void {
    if (this.ordersPerFill < INFINITY) insert((this.fills[strategy] ??= []), timeMs);
  }
  /** Continues with what `earlier` has recorded, under limits that are not wider. */
  follow(earlier: SentOrders): void {
    const max = this.times.length;
    if (max > 0) {
      const times = [...earlier.times].toSorted((a, b) => a - b).slice(-max);
      this.times.set(times, max - times.length);
      this.next = 0;
    }
    this.twins = earlier.twins;
    this.sent = earlier.sent;
    this.fills = earlier.fills;
    for (const [id, entry] of earlier.entries) this.entries.set(id, entry);
  }
}
