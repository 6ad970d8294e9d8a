// Payments of a run handed to the episodes that they belong to.

import { assert } from '../../base/assert.ts';
import { PAYMENTS, type PaymentColumns } from '../../model/run/run.ts';

/** Money that came without a trade, below 0 went. */
interface Payee {
  pay(units: number, isFunding: boolean, timeMs: number): void;
}

/** Books payments into the episodes that they belong to, each once: those that came before the fill of a row. */
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
