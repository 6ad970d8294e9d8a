// Changes on one side of the exchange since the last write to the store.

import type { PagedRow } from './pagedList.ts';

/** An object that knows whether it is listed, which is cheaper than a search. */
interface ChangeFlag {
  isChanged: boolean;
}

/** The changes of one side. */
export class PendingWrites<O extends ChangeFlag, T> {
  /** New own trades, oldest first. */
  readonly trades: { readonly account: number; readonly pagedRow: PagedRow<T> }[] = [];
  /** Accounts whose money, positions or settings may have changed, beside those with changed orders. */
  readonly accounts = new Set<number>();
  #orders: O[] = [];

  /** Changed orders, each once, in the order of their first change. */
  get orders(): readonly O[] {
    return this.#orders;
  }

  /** Number of changes of any kind. */
  get count(): number {
    return this.#orders.length + this.trades.length + this.accounts.size;
  }

  /** Lists an order as changed. */
  note(order: O): void {
    if (order.isChanged) return;
    order.isChanged = true;
    this.#orders.push(order);
  }

  /** Removes some orders from the pending writes. */
  forget(isSelected: (order: O) => boolean): void {
    for (const order of this.#orders) order.isChanged = !isSelected(order);
    this.#orders = this.#orders.filter(({ isChanged }) => isChanged);
  }

  /** Forgets all changes, because they are written. */
  clear(): void {
    for (const order of this.#orders) order.isChanged = false;
    this.#orders.length = 0;
    this.trades.length = 0;
    this.accounts.clear();
  }
}
