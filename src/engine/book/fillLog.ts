// Stores the fills of a run, one row of numbers for each fill in booking order. The report reads them as columns once the run has ended.

import type { Arena } from '../../base/memory/arena.ts';
import * as rows from '../../base/memory/rowLog.ts';
import { bitsOf, RowLog, wideBitsOf, type Scratch } from '../../base/memory/rowLog.ts';
import type { Fill } from '../../model/fill.ts';
import type { FillColumns } from '../../model/run/run.ts';

// hot: docs/performance.md#imported-constants
const { rowInPage } = rows;

/** Place of each field in a row. `codes` packs five small fields; see the bits below. */
const FIELD = { tradeId: 0, orderId: 1, price: 2, lots: 3, notional: 4, fee: 5, timeMs: 6, codes: 7 } as const;
/** Numbers in a row. */
const ROW_WIDTH = 8;

/** Bits of `codes`: the side (0 buy, 1 sell). */
const SELL_BIT = 1;
/** Bit of `codes`: the fill was a maker. */
const MAKER_BIT = 2;
/** Bit of `codes`: the fee was paid in the base asset. */
const BASE_FEE_BIT = 4;
/** First bit of `codes` for the strategy, and the number of its bits. */
const STRATEGY_SHIFT = 3;
const STRATEGY_BITS = 8;
/** First bit of `codes` for the instrument, and the number of its bits. */
const INSTRUMENT_SHIFT = 11;
const INSTRUMENT_BITS = 16;

/** The fills of a run as rows of numbers. `columns` turns them into columns once the run has ended. */
export class FillLog {
  /** Number of fills. */
  length = 0;
  private readonly rows: RowLog;

  constructor(scratch: Scratch) {
    this.rows = new RowLog(ROW_WIDTH, scratch);
  }

  /** Adds a fill. Copies `fill`, because the caller reuses the object. */
  push(strategyIndex: number, instrumentIndex: number, isBuy: boolean, orderId: number, fill: Fill): void {
    const rowLog = this.rows;
    const row = this.length;
    if (!rowLog.isAt(row)) {
      // hot: docs/performance.md#early-return
      rowLog.turnTo(row);
      this.push(strategyIndex, instrumentIndex, isBuy, orderId, fill);
      return;
    }
    this.length = row + 1;
    const { page } = rowLog;
    const offset = rowInPage(row) * ROW_WIDTH;
    page[offset + FIELD.tradeId] = fill.tradeId;
    page[offset + FIELD.orderId] = orderId;
    page[offset + FIELD.price] = fill.price;
    page[offset + FIELD.lots] = fill.lots;
    page[offset + FIELD.notional] = fill.notional;
    page[offset + FIELD.fee] = fill.fee;
    page[offset + FIELD.timeMs] = fill.timeMs;
    page[offset + FIELD.codes] =
      (isBuy ? 0 : SELL_BIT) |
      (fill.isMaker === true ? MAKER_BIT : 0) |
      (fill.feeInBase === true ? BASE_FEE_BIT : 0) |
      (strategyIndex << STRATEGY_SHIFT) |
      (instrumentIndex << INSTRUMENT_SHIFT);
  }

  /** Returns the time of the fill in a row, ms UTC. */
  timeMsAt(row: number): number {
    return this.rows.at(row, FIELD.timeMs);
  }

  /** Returns by how much the fill in a row changed the holding of the base asset, fee included, in units. `unitsPerLot`: base units of one lot. */
  baseUnitsAt(row: number, unitsPerLot: number): number {
    const codes = this.rows.at(row, FIELD.codes);
    const tradedUnits = this.rows.at(row, FIELD.lots) * unitsPerLot;
    const baseFeeUnits = (codes & BASE_FEE_BIT) === 0 ? 0 : this.rows.at(row, FIELD.fee);
    return ((codes & SELL_BIT) === 0 ? tradedUnits : -tradedUnits) - baseFeeUnits;
  }

  /** Returns the columns. Their memory comes from `arena` if given; otherwise the caller owns it. */
  columns(arena: Arena | null = null): FillColumns {
    const columns = this.rows.columns(this.length, arena);
    const columnOf = (field: number) => columns[field]!;
    const codes = columnOf(FIELD.codes);
    const codeBits = (firstBit: number, bitCount: number) => bitsOf(codes, firstBit, bitCount, arena);
    return {
      length: this.length,
      tradeId: columnOf(FIELD.tradeId),
      orderId: columnOf(FIELD.orderId),
      price: columnOf(FIELD.price),
      lots: columnOf(FIELD.lots),
      notional: columnOf(FIELD.notional),
      fee: columnOf(FIELD.fee),
      timeMs: columnOf(FIELD.timeMs),
      side: codeBits(0, 1),
      isMaker: codeBits(1, 1),
      feeInBase: codeBits(2, 1),
      strategy: codeBits(STRATEGY_SHIFT, STRATEGY_BITS),
      instrument: wideBitsOf(codes, INSTRUMENT_SHIFT, INSTRUMENT_BITS, arena),
    };
  }

  /** Returns the memory of the rows to the scratch. Call it once the columns have been read. */
  release(): void {
    this.rows.release();
  }
}
