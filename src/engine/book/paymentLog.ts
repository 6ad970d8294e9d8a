// Payments without a trade, such as funding, in columns: one row for each payment, in booking order. `MarginEvents` adds them; reports read them.

import { RowLog, rowInPage, type Scratch } from '../../base/memory/rowLog.ts';
import { PAYMENTS, type PaymentColumns, type PaymentKind } from '../../model/run/run.ts';

const FIELD = { timeMs: 0, units: 1, strategy: 2, instrument: 3, kind: 4, afterFills: 5, isLong: 6 } as const;
const WIDTH = 7;

/** The payments of a run as rows of numbers. `columns` turns them into columns once the run has ended. */
export class PaymentLog {
  /** Number of payments. */
  length = 0;
  private readonly rows: RowLog;

  constructor(scratch: Scratch) {
    this.rows = new RowLog(WIDTH, scratch);
  }

  /** Adds a payment. `units` in the settlement asset, negative if paid; `afterFills`: the number of fills booked before it. */
  push(
    kind: PaymentKind,
    strategyIndex: number,
    instrumentIndex: number,
    isLong: boolean,
    units: number,
    timeMs: number,
    afterFills: number,
  ): void {
    const row = this.length++;
    if (!this.rows.isAt(row)) this.rows.turnTo(row);
    const { page } = this.rows;
    const offset = rowInPage(row) * WIDTH;
    page[offset + FIELD.timeMs] = timeMs;
    page[offset + FIELD.units] = units;
    page[offset + FIELD.strategy] = strategyIndex;
    page[offset + FIELD.instrument] = instrumentIndex;
    page[offset + FIELD.kind] = PAYMENTS.indexOf(kind);
    page[offset + FIELD.afterFills] = afterFills;
    page[offset + FIELD.isLong] = isLong ? 1 : 0;
  }

  /** Returns the recorded payments as columns. */
  columns(): PaymentColumns {
    const columns = this.rows.columns(this.length);
    const columnOf = (field: number) => columns[field]!;
    return {
      length: this.length,
      timeMs: columnOf(FIELD.timeMs),
      units: columnOf(FIELD.units),
      strategy: Uint8Array.from(columnOf(FIELD.strategy)),
      instrument: Uint16Array.from(columnOf(FIELD.instrument)),
      kind: Uint8Array.from(columnOf(FIELD.kind)),
      afterFills: columnOf(FIELD.afterFills),
      isLong: Uint8Array.from(columnOf(FIELD.isLong)),
    };
  }
  /** Gives the memory back, once the columns have been read. */
  release(): void {
    this.rows.release();
  }
}
