// Assigns the payments of a run to the episodes of the positions to which they belong.

import { assert } from '../../base/assert.ts';
import { PAYMENTS, type PaymentColumns } from '../../model/run/run.ts';

/** A book that takes money without a fill. An amount below 0 is paid out. */
interface Payee {
  pay(units: number, isFunding: boolean, timeMs: number): void;
}

/** Returns a function that books, each once, the payments that came before the fill of a row. */
export function paymentsUntil(
  payments: PaymentColumns | undefined,
  bookOf: (strategy: number, instrument: number, isLong: boolean) => Payee | undefined,
): (row: number) => void {
  let at = 0;
  return (row) => {
    if (payments === undefined) return;
    while (at < payments.length && payments.afterFills[at]! <= row) {
      const book = bookOf(payments.strategy[at]!, payments.instrument[at]!, payments.isLong[at] === 1);
      assert(book !== undefined, 'a payment is of a position, and a position begins with a fill');
      book.pay(payments.units[at]!, PAYMENTS[payments.kind[at]!] === 'funding', payments.timeMs[at]!);
      at++;
    }
  };
}
