// Closed trades as columns and open trades as objects, the input of the trade figures, the trade table and the report.

import type { InstrumentId } from '../../model/instrument.ts';

/** Closed trades in closing order. Money in units of the reporting asset, prices (averages over fills) in the quote asset. */
export interface ClosedTradeColumns {
  readonly length: number;
  /** Indexes into `RunRecord.strategies` and `RunRecord.instruments`. */
  readonly strategy: Uint8Array;
  readonly instrument: Uint16Array;
  /** 0 long, 1 short. */
  readonly side: Uint8Array;
  /** First and last fill (ms UTC). */
  readonly entryMs: Float64Array;
  readonly exitMs: Float64Array;
  readonly entryPrice: Float64Array;
  readonly exitPrice: Float64Array;
  /** Quantity entered, in lots. */
  readonly lots: Float64Array;
  readonly entryUnits: Float64Array;
  /** Notional of entries and exits. */
  readonly volumeUnits: Float64Array;
  /** Net result after all costs. */
  readonly pnlUnits: Float64Array;
  /** Fees paid, without those of a liquidation. A fee in the base asset is valued at the price of its fill. */
  readonly feeUnits: Float64Array;
  /** Parts of the net result other than fees, below 0 a cost: spread, slippage and latency; funding; fees and losses of a liquidation. */
  readonly slippageUnits: Float64Array;
  readonly fundingUnits: Float64Array;
  readonly liquidationUnits: Float64Array;
  /** Number of liquidations of the trade by the exchange. */
  readonly liquidations: Float64Array;
  /** Result as a fraction of the entry notional. NaN when that is 0. */
  readonly returnFraction: Float64Array;
  /** Lowest running profit (at most 0) and highest running profit (at least 0). NaN when no path was recorded. */
  readonly maeUnits: Float64Array;
  readonly mfeUnits: Float64Array;
  readonly maeFraction: Float64Array;
  readonly mfeFraction: Float64Array;
  readonly fills: Float64Array;
  /** Indexes into `RunTrades.tags`, for the orders of the first and of the last fill: the decision slot, or the role of a bracket leg. */
  readonly entryTag: Float64Array;
  readonly exitTag: Float64Array;
  /** Index into EXIT_REASONS (kernels/tradeGroups.ts). */
  readonly exitReason: Uint8Array;
}

/** A trade that was still open when the run ended. */
export interface OpenTrade {
  readonly strategy: number;
  readonly instrument: InstrumentId;
  readonly side: 'long' | 'short';
  readonly entryMs: number;
  readonly entryPrice: number;
  /** Quantity at the end, in units of the base asset (above 0). */
  readonly baseUnits: number;
  /** Profit at the last close, minus the fees paid up to then. */
  readonly unrealisedUnits: number;
}

/** All trades of a run. */
export interface RunTrades {
  readonly closed: ClosedTradeColumns;
  readonly open: readonly OpenTrade[];
  /** Unrealised profit of open trades and dust. Closed plus open profit equals the change of equity to the last unit. */
  readonly openUnits: number;
  readonly tags: readonly string[];
  /** Source of the running profits: `coarse` are whole bars. */
  readonly path: 'coarse' | 'not-recorded';
}

/** One closed trade, before it is added to the columns. */
export interface ClosedTrade {
  readonly strategy: number;
  readonly instrument: number;
  readonly side: 1 | -1;
  readonly firstFill: number;
  readonly lastFill: number;
  readonly entryMs: number;
  readonly exitMs: number;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly lots: number;
  readonly entryUnits: number;
  readonly exitUnits: number;
  readonly pnlUnits: number;
  readonly feeUnits: number;
  readonly slippageUnits: number;
  readonly fundingUnits: number;
  readonly liquidationUnits: number;
  readonly liquidations: number;
  readonly maeUnits: number;
  readonly mfeUnits: number;
  readonly fills: number;
}

type Column = Float64Array | Uint8Array | Uint16Array;

/** Collects closed trades in columns, without keeping an object for each. */
export class ClosedTradeCollector {
  #length = 0;
  #capacity: number;
  #columns: ClosedTradeColumns;
  /** By trade: the rows of its first and of its last fill. */
  #firstFills: Float64Array;
  #lastFills: Float64Array;
  /** True while trades are added in closing order. */
  #isOrdered = true;

  /** `capacity`: the expected number of trades. */
  constructor(capacity: number) {
    this.#capacity = Math.max(16, Math.ceil(capacity));
    this.#columns = emptyColumns(this.#capacity);
    this.#firstFills = new Float64Array(this.#capacity);
    this.#lastFills = new Float64Array(this.#capacity);
  }

  /** Adds a trade. */
  push(trade: ClosedTrade): void {
    const row = this.#length;
    if (row === this.#capacity) this.#grow();
    this.#length = row + 1;
    write(this.#columns, row, trade);
    this.#firstFills[row] = trade.firstFill;
    this.#lastFills[row] = trade.lastFill;
    if (row > 0 && trade.lastFill < this.#lastFills[row - 1]!) this.#isOrdered = false;
  }

  /**
   * Returns the columns in closing order. `tagOf` and `reasonOf` take the row of a fill. The tags of all entries are looked up first, then
   * those of the exits.
   */
  columns(tagOf: (fillIndex: number) => number, reasonOf: (fillIndex: number) => number): ClosedTradeColumns {
    const length = this.#length;
    const order = this.#isOrdered ? null : rowsByValue(this.#lastFills, length);
    const inOrder = <Of extends Column>(column: Of): Of => (order === null ? (column.subarray(0, length) as Of) : gather(column, order));
    const ordered = { ...mapColumns(this.#columns, inOrder), length };
    const lastFills = inOrder(this.#lastFills);
    writeByFill(inOrder(this.#firstFills), tagOf, ordered.entryTag);
    writeByFill(lastFills, tagOf, ordered.exitTag);
    writeByFill(lastFills, reasonOf, ordered.exitReason);
    return ordered;
  }

  /** Doubles the capacity of all columns. */
  #grow(): void {
    this.#capacity *= 2;
    const widen = <Of extends Column>(column: Of): Of => {
      const wider = columnLike(column, this.#capacity);
      wider.set(column);
      return wider;
    };
    this.#columns = mapColumns(this.#columns, widen);
    this.#firstFills = widen(this.#firstFills);
    this.#lastFills = widen(this.#lastFills);
  }
}

/**
 * Returns the first `length` rows in ascending order of their values, which are whole numbers from 0. Rows with equal values keep their
 * order.
 */
function rowsByValue(values: Float64Array, length: number): Uint32Array {
  let highest = 0;
  for (let row = 0; row < length; row++) highest = Math.max(highest, values[row]!);
  // Counting sort: by value, the place of its next row.
  const nextPlace = new Uint32Array(highest + 2);
  for (let row = 0; row < length; row++) nextPlace[values[row]! + 1]!++;
  for (let value = 0; value < highest; value++) nextPlace[value + 1]! += nextPlace[value]!;
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[nextPlace[values[row]!]!++] = row;
  return rows;
}

/** Returns columns for `length` trades. */
function emptyColumns(length: number): ClosedTradeColumns {
  const column = () => new Float64Array(length);
  return {
    length,
    strategy: new Uint8Array(length),
    instrument: new Uint16Array(length),
    side: new Uint8Array(length),
    entryMs: column(),
    exitMs: column(),
    entryPrice: column(),
    exitPrice: column(),
    lots: column(),
    entryUnits: column(),
    volumeUnits: column(),
    pnlUnits: column(),
    feeUnits: column(),
    slippageUnits: column(),
    fundingUnits: column(),
    liquidationUnits: column(),
    liquidations: column(),
    returnFraction: column(),
    maeUnits: column(),
    mfeUnits: column(),
    maeFraction: column(),
    mfeFraction: column(),
    fills: column(),
    entryTag: column(),
    exitTag: column(),
    exitReason: new Uint8Array(length),
  };
}

/** Returns the columns after applying `convert` to each of them. */
function mapColumns({ length, ...columns }: ClosedTradeColumns, convert: <Of extends Column>(column: Of) => Of): ClosedTradeColumns {
  const entries = Object.entries(columns).map(([name, column]) => [name, convert(column)] as const);
  return { length, ...(Object.fromEntries(entries) as Omit<ClosedTradeColumns, 'length'>) };
}

/** Returns an empty column of the same type as `column`. */
function columnLike<Of extends Column>(column: Of, length: number): Of {
  return new (column.constructor as new (length: number) => Of)(length);
}

/** Returns the values of `column` at `rows`. Hot: docs/performance.md#index-loops. */
function gather<Of extends Column>(column: Of, rows: Uint32Array): Of {
  const gathered = columnLike(column, rows.length);
  for (let row = 0; row < gathered.length; row++) gathered[row] = column[rows[row]!]!;
  return gathered;
}

/** Writes the code of each fill row in `fills` to `target`. */
function writeByFill(fills: Float64Array, codeOf: (fillIndex: number) => number, target: Float64Array | Uint8Array): void {
  for (let row = 0; row < target.length; row++) target[row] = codeOf(fills[row]!);
}

/** Writes a trade to a row of the columns. */
function write(columns: ClosedTradeColumns, row: number, trade: ClosedTrade): void {
  const { entryUnits, pnlUnits, maeUnits, mfeUnits } = trade;
  const isPriced = entryUnits > 0;
  columns.strategy[row] = trade.strategy;
  columns.instrument[row] = trade.instrument;
  columns.side[row] = trade.side === 1 ? 0 : 1;
  columns.entryMs[row] = trade.entryMs;
  columns.exitMs[row] = trade.exitMs;
  columns.entryPrice[row] = trade.entryPrice;
  columns.exitPrice[row] = trade.exitPrice;
  columns.lots[row] = trade.lots;
  columns.entryUnits[row] = entryUnits;
  columns.volumeUnits[row] = entryUnits + trade.exitUnits;
  columns.pnlUnits[row] = pnlUnits;
  columns.feeUnits[row] = trade.feeUnits;
  columns.slippageUnits[row] = trade.slippageUnits;
  columns.fundingUnits[row] = trade.fundingUnits;
  columns.liquidationUnits[row] = trade.liquidationUnits;
  columns.liquidations[row] = trade.liquidations;
  columns.returnFraction[row] = isPriced ? pnlUnits / entryUnits : NaN;
  columns.maeUnits[row] = maeUnits;
  columns.mfeUnits[row] = mfeUnits;
  columns.maeFraction[row] = isPriced ? maeUnits / entryUnits : NaN;
  columns.mfeFraction[row] = isPriced ? mfeUnits / entryUnits : NaN;
  columns.fills[row] = trade.fills;
}
