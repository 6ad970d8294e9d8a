// What of one side of the exchange is other than it was when it was last written down.

import type { Kept } from './longList.ts';

export class Changes<O, T> {
  readonly orders = new Set<O>();
  readonly trades: { readonly account: number; readonly kept: Kept<T> }[] = [];
  /** Whose money, positions or settings may have changed, beside those of the orders. */
  readonly accounts = new Set<number>();

  get count(): number {
    return this.orders.size + this.trades.length + this.accounts.size;
  }

  clear(): void {
    this.orders.clear();
    this.trades.length = 0;
    this.accounts.clear();
  }
}
