// What of one side of the exchange is other than it was when it was last written down.

import type { PagedRow } from './pagedList.ts';

/** What says of itself whether it is noted: it costs less than to look. */
interface Noted {
  isChanged: boolean;
}

export class PendingWrites<O extends Noted, T> {
  readonly trades: { readonly account: number; readonly kept: PagedRow<T> }[] = [];
  /** Whose money, positions or settings may have changed, beside those of the orders. */
  readonly accounts = new Set<number>();
  #orders: O[] = [];

  /** Each once, in the order in which they changed first. */
  get orders(): readonly O[] {
    return this.#orders;
  }

  get count(): number {
    return this.#orders.length + this.trades.length + this.accounts.size;
  }

  note(order: O): void {
    if (order.isChanged) return;
    order.isChanged = true;
    this.#orders.push(order);
  }

  /** Some orders need not be written down. */
  forget(isOf: (order: O) => boolean): void {
    for (const order of this.#orders) order.isChanged = !isOf(order);
    this.#orders = this.#orders.filter(({ isChanged }) => isChanged);
  }

  clear(): void {
    for (const order of this.#orders) order.isChanged = false;
    this.#orders.length = 0;
    this.trades.length = 0;
    this.accounts.clear();
  }
}
