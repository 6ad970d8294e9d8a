// The unfinished orders of a bot, oldest first, and the newest finished ones.

import { removeAt } from '../base/removeAt.ts';
import type { AbsenceBounds } from './prove/resolver.ts';
import type { BotOrder } from './botOrder.ts';

/** The list of unfinished orders, kept so that an order that ends at once costs no list operation. */
export class OpenOrders {
  /** The newest order, not in the list yet. Most orders end before the list is read, so they never enter it. */
  private newest: BotOrder | null = null;
  private readonly listed: BotOrder[] = [];

  /** True when no order is unfinished. */
  get isEmpty(): boolean {
    return this.newest === null && this.listed.length === 0;
  }
  /** Returns the list itself, oldest first. Orders that are added or removed later may change it. */
  all(): readonly BotOrder[] {
    if (this.newest !== null) this.listNewest();
    return this.listed;
  }
  /** Adds an order that is newer than all others. */
  add(order: BotOrder): void {
    if (this.newest !== null) this.listNewest();
    this.newest = order;
  }
  /** Removes an order; no effect if it is not in the list. */
  remove(order: BotOrder): void {
    if (order === this.newest) this.newest = null;
    else this.removeListed(order);
  }
  /** Returns the unfinished order with this number. */
  find(id: number): BotOrder | undefined {
    // Callers mostly look for the newest order.
    // hot: docs/performance.md#short-functions
    const newest = this.newest;
    return newest !== null && newest.id === id ? newest : this.findListed(id);
  }

  /** Moves the newest order to the end of the list. */
  private listNewest(): void {
    this.listed.push(this.newest!);
    this.newest = null;
  }
  private removeListed(order: BotOrder): void {
    const { listed } = this;
    let index = listed.length - 1;
    while (index >= 0 && listed[index] !== order) index--;
    removeAt(listed, index);
  }
  private findListed(id: number): BotOrder | undefined {
    const listedOrders = this.listed;
    for (let index = listedOrders.length - 1; index >= 0; index--) if (listedOrders[index]!.id === id) return listedOrders[index];
    return undefined;
  }
}

/** The newest orders that have ended. */
export class EndedOrders {
  private readonly orders = new Map<number, BotOrder>();
  /** Iterator positioned after the oldest order. A new iterator would have to pass every removed order again. */
  private afterOldest = this.orders.values();
  /** The oldest order, once `oldestOrder` has looked for it. */
  private oldest: BotOrder | null = null;
  private readonly bounds: AbsenceBounds;

  constructor(bounds: AbsenceBounds) {
    this.bounds = bounds;
  }

  /** Returns the ended order with this number, if it is still kept. */
  get(id: number): BotOrder | undefined {
    return this.orders.get(id);
  }
  /** Adds an ended order without a check of age and number, as after a restart. */
  add(order: BotOrder): void {
    this.orders.set(order.id, order);
    if (this.oldest?.id === order.id) this.oldest = order;
  }
  /** Adds an order that has just ended, and removes orders that are too old or too many. */
  retain(order: BotOrder): void {
    const orders = this.orders;
    this.add(order);
    const minChangedMs = order.changedMs - this.bounds.endedOrderTtlMs;
    for (let oldest = this.oldestOrder(); oldest !== null; oldest = this.oldestOrder()) {
      if (orders.size <= this.bounds.maxEndedOrders && oldest.changedMs >= minChangedMs) return;
      this.delete(oldest.id);
    }
  }
  /** Returns the oldest order that is kept; null without one. */
  private oldestOrder(): BotOrder | null {
    if (this.oldest !== null || this.orders.size === 0) return this.oldest;
    let next = this.afterOldest.next();
    // An iterator that has ended stays ended, so start a new one.
    if (next.done === true) next = (this.afterOldest = this.orders.values()).next();
    return (this.oldest = next.done === true ? null : next.value);
  }
  /** Removes an order before its time. */
  delete(id: number): void {
    if (this.oldest?.id === id) this.oldest = null;
    this.orders.delete(id);
  }
}
