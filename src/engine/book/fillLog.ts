// The fills of a run in columns: one row for each fill, in booking order.

import type { Arena } from '../../base/memory/arena.ts';
import * as rows from '../../base/memory/rowLog.ts';
import { bitsOf, RowLog, wideBitsOf, type Scratch } from '../../base/memory/rowLog.ts';
import type { Fill } from '../../model/fill.ts';
import type { FillColumns } from '../../model/run/run.ts';

// hot: docs/performance.md#imported-constants
const { rowInPage } = rows;

const FIELD = { tradeId: 0, orderId: 1, price: 2, lots: 3, notional: 4, fee: 5, timeMs: 6, codes: 7 } as const;
const WIDTH = 8;

/** The fills of a run as rows of numbers. `columns` turns them into columns once the run has ended. */
export class FillLog {
  /** Number of fills. */
  length = 0;
  private readonly rows: RowLog;

  constructor(scratch: Scratch) {
    this.rows = new RowLog(WIDTH, scratch);
  }

  /** Adds a fill. `fill` is copied, because its record is reused. */
  push(strategy: number, instrument: number, isBuy: boolean, orderId: number, fill: Fill): void {
    const rowLog = this.rows;
    const row = this.length;
    if (!rowLog.isAt(row)) {
      // hot: docs/performance.md#early-return
      rowLog.turnTo(row);
      this.push(strategy, instrument, isBuy, orderId, fill);
      return;
    }
    this.length = row + 1;
    const { page } = rowLog;
    const offset = rowInPage(row) * WIDTH;
    page[offset + FIELD.tradeId] = fill.tradeId;
    page[offset + FIELD.orderId] = orderId;
    page[offset + FIELD.price] = fill.price;
    page[offset + FIELD.lots] = fill.lots;
    page[offset + FIELD.notional] = fill.notional;
    page[offset + FIELD.fee] = fill.fee;
    page[offset + FIELD.timeMs] = fill.timeMs;
    page[offset + FIELD.codes] =
      (isBuy ? 0 : 1) | (fill.isMaker === true ? 2 : 0) | (fill.feeInBase === true ? 4 : 0) | (strategy << 3) | (instrument << 11);
  }

  /** Returns the time of a fill. */
  timeMsAt(row: number): number {
    return this.rows.at(row, FIELD.timeMs);
  }

  /** Returns by how much a fill changed the base asset, fee included, in units. `unitsPerLot`: units of one lot. */
  baseUnitsAt(row: number, unitsPerLot: number): number {
    const codes = this.rows.at(row, FIELD.codes);
    const units = this.rows.at(row, FIELD.lots) * unitsPerLot;
    const fee = (codes & 4) === 0 ? 0 : this.rows.at(row, FIELD.fee);
    return ((codes & 1) === 0 ? units : -units) - fee;
  }

  /** Returns the columns. Their memory comes from `arena` if given; otherwise the caller owns it. */
  columns(arena: Arena | null = null): FillColumns {
    const columns = this.rows.columns(this.length, arena);
    const columnOf = (field: number) => columns[field]!;
    const codes = columnOf(FIELD.codes);
    const bits = (from: number, width: number) => bitsOf(codes, from, width, arena);
    return {
      length: this.length,
      tradeId: columnOf(FIELD.tradeId),
      orderId: columnOf(FIELD.orderId),
      price: columnOf(FIELD.price),
      lots: columnOf(FIELD.lots),
      notional: columnOf(FIELD.notional),
      fee: columnOf(FIELD.fee),
      timeMs: columnOf(FIELD.timeMs),
      side: bits(0, 1),
      isMaker: bits(1, 1),
      feeInBase: bits(2, 1),
      strategy: bits(3, 8),
      instrument: wideBitsOf(codes, 11, 16, arena),
    };
  }
  /** Gives the memory back, once the columns have been read. */
  release(): void {
    this.rows.release();
  }
}
