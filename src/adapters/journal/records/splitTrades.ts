// Trades whose parts have two FILL records: the one of the account first, then the one of the order. A process may end between both.

import type { RecordOf } from './records.ts';

type FillRecord = RecordOf<'FILL'>;
const keyOf = ({ symbol, tradeId }: FillRecord): string => `${symbol} ${tradeId}`;

/** Holds back the account's part of a trade until the part of the order follows. Without that, the trade is not booked: a start reads it again. */
export class SplitTrades {
  readonly #parts = new Map<string, FillRecord>();

  /** Forgets parts that a process left alone: the next one reads these trades again, and may divide them otherwise. */
  beginProcess(): void {
    this.#parts.clear();
  }

  /** Takes the part of the account. */
  addPart(fill: FillRecord): void {
    this.#parts.set(keyOf(fill), fill);
  }

  /** Takes the fill of an order. Returns the part of the account that belongs to it; undefined: the order has the whole trade. */
  partOf(fill: FillRecord): FillRecord | undefined {
    if (this.#parts.size === 0) return undefined;
    const part = this.#parts.get(keyOf(fill));
    if (part === undefined || (fill.orderId !== '' && fill.orderId !== part.orderId)) return undefined;
    this.#parts.delete(keyOf(fill));
    return part;
  }
}
