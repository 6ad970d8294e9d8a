// The fills that the journal has booked to the account, of no order that was known, or beyond what the strategy of an own order held.

import type { RecordOf } from '../../../adapters/journal/records/records.ts';
import type { TradeRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { unattributedRow } from './fillRecords.ts';

/** A fill of the account. */
interface AccountFill {
  readonly instrument: string;
  readonly row: TradeRow;
  /** True if an own order has closed at least a lot more than its strategy held. */
  readonly isExcess: boolean;
  /** True once the operator has cleared the halt of such fills. They are then the account's. */
  isSettled: boolean;
}

/** The fills of the account in the order of the journal. */
export class AccountFills {
  readonly #fills: AccountFill[] = [];

  /** Number of all fills. */
  get count(): number {
    return this.#fills.length;
  }
  /** Adds a fill. `isOwn`: the journal knows its order as one of the bot. */
  add(record: RecordOf<'FILL'>, isOwn: boolean, instrument: Instrument | undefined): void {
    const lot = Decimal.pow(10, -(instrument?.quantityDigits ?? 0));
    const isExcess = isOwn && new Decimal(record.qty).greaterThanOrEqualTo(lot);
    this.#fills.push({ instrument: record.symbol, row: unattributedRow(record), isExcess, isSettled: false });
  }
  /** Returns the fills of an instrument. */
  rowsOf(instrument: string): readonly TradeRow[] {
    return this.#fills.flatMap((fill) => (fill.instrument === instrument ? [fill.row] : []));
  }
  /** Notes that the operator has cleared the halt of the fills beyond what strategies held. */
  settleExcess(): void {
    for (const fill of this.#fills) fill.isSettled ||= fill.isExcess;
  }
  /** Returns the fills of an instrument beyond what strategies held, except those that the operator has cleared. */
  unsettledExcessOf(instrument: string): readonly TradeRow[] {
    return this.#fills.flatMap((fill) => (fill.instrument === instrument && fill.isExcess && !fill.isSettled ? [fill.row] : []));
  }
  /** Returns all fills beyond what strategies held. */
  get excess(): readonly AccountFill[] {
    return this.#fills.filter(({ isExcess }) => isExcess);
  }
  /** True for a trade that may have closed what the strategy of its order held, or only what the account held. */
  isExcess(instrument: string, { tradeId, side }: Pick<TradeRow, 'tradeId' | 'side'>): boolean {
    return this.excess.some(({ instrument: id, row }) => id === instrument && row.tradeId === tradeId && row.side === side);
  }
}
