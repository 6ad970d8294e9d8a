// Books the payments of a run, such as funding, in the episodes of their positions.

import { assert } from '../../base/assert.ts';
import { PAYMENTS, type PaymentColumns } from '../../model/run/run.ts';

/** A book that can take money without a fill. An amount below 0 is paid out. */
interface Payee {
  pay(units: number, isFunding: boolean, timeMs: number): void;
}

/**
 * Returns a function that takes the row of a fill and books all payments before that fill. Call it with ascending rows: each payment is
 * booked once. Throws InvariantError when a payment has no position.
 */
export function paymentsUntil(
  payments: PaymentColumns | undefined,
  bookOf: (strategyIndex: number, instrumentIndex: number, isLong: boolean) => Payee | undefined,
): (row: number) => void {
  let next = 0;
  return (row) => {
    if (payments === undefined) return;
    while (next < payments.length && payments.afterFills[next]! <= row) {
      const book = bookOf(payments.strategy[next]!, payments.instrument[next]!, payments.isLong[next] === 1);
      assert(book !== undefined, 'a payment belongs to a position, and a position begins with a fill');
      book.pay(payments.units[next]!, PAYMENTS[payments.kind[next]!] === 'funding', payments.timeMs[next]!);
      next++;
    }
  };
}
