// The orders of a bot that are not over, oldest first, and the newest that are.

import type { Fence } from './prove/resolver.ts';
import type { OrderRecord } from './record.ts';

export class OpenOrders {
  /** Added last, and not in the list yet: most orders have ended before anybody asks for the list, and never come into it. */
  #newest: OrderRecord | null = null;
  readonly #listed: OrderRecord[] = [];

  get isEmpty(): boolean {
    return this.#newest === null && this.#listed.length === 0;
  }
  /** The list itself, oldest first: orders that are added or removed later may change it. */
  all(): readonly OrderRecord[] {
    if (this.#newest !== null) this.#listNewest();
    return this.#listed;
  }
  add(order: OrderRecord): void {
    if (this.#newest !== null) this.#listNewest();
    this.#newest = order;
  }
  /** Nothing to do for one that is not there. */
  remove(order: OrderRecord): void {
    if (order === this.#newest) this.#newest = null;
    else this.#takeOut(order);
  }
  find(id: number): OrderRecord | undefined {
    const newest = this.#newest; // mostly that one is meant; the search is apart so that V8 inlines the rest
    return newest !== null && newest.id === id ? newest : this.#search(id);
  }

  #listNewest(): void {
    this.#listed.push(this.#newest!);
    this.#newest = null;
  }
  #takeOut(order: OrderRecord): void {
    const listed = this.#listed;
    const at = listed.lastIndexOf(order);
    if (at >= 0) listed.splice(at, 1);
  }
  #search(id: number): OrderRecord | undefined {
    const listed = this.#listed;
    for (let at = listed.length - 1; at >= 0; at--) if (listed[at]!.id === id) return listed[at];
    return undefined;
  }
}

/** The newest orders that have ended. */
export class EndedOrders {
  readonly #orders = new Map<number, OrderRecord>();
  /** Goes through the orders behind the oldest one. A new one from the first would pass all that were removed, one by one. */
  #following = this.#orders.values();
  #oldest: OrderRecord | null = null;
  readonly #fence: Fence;

  constructor(fence: Fence) {
    this.#fence = fence;
  }

  get(id: number): OrderRecord | undefined {
    return this.#orders.get(id);
  }
  add(order: OrderRecord): void {
    this.#orders.set(order.id, order);
    if (this.#oldest?.id === order.id) this.#oldest = order;
  }
  /** Adds an order that has just ended; removes those that are too old, or too many. */
  keep(order: OrderRecord): void {
    const orders = this.#orders;
    this.add(order);
    const youngMs = order.changedMs - this.#fence.keepEndedMs;
    for (let oldest = this.#first(); oldest !== null; oldest = this.#first()) {
      if (orders.size <= this.#fence.keepEnded && oldest.changedMs >= youngMs) return;
      this.delete(oldest.id);
    }
  }
  #first(): OrderRecord | null {
    if (this.#oldest !== null || this.#orders.size === 0) return this.#oldest;
    let next = this.#following.next();
    // At its end it stays there.
    if (next.done === true) next = (this.#following = this.#orders.values()).next();
    return (this.#oldest = next.done === true ? null : next.value);
  }
  delete(id: number): void {
    if (this.#oldest?.id === id) this.#oldest = null;
    this.#orders.delete(id);
  }
}
