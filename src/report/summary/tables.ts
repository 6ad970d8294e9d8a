// Defines the tables of a run folder as columns. Both the files and the result hash use these definitions.

import type { Instrument } from '../../model/instrument.ts';
import { ENDINGS, ROLES, SIDES, type RunRecord } from '../../model/run/run.ts';
import type { RunTrades } from '../trades/columns.ts';

/** Whole numbers in units of 10^-digits, written as decimals. */
export interface NumberColumn {
  readonly kind: 'number';
  readonly name: string;
  readonly values: Float64Array | Uint8Array;
  readonly digits: readonly number[];
  /** Selects the entry of `digits` for each row. Null: the first entry for all rows. */
  readonly digitsAt: ArrayLike<number> | null;
  /** The value that means an empty cell. NaN always means one. */
  readonly emptyAt: number;
}

/** Doubles that are not multiples of a unit, written as the shortest text that reads back as the same double. */
export interface ReadingColumn {
  readonly kind: 'reading';
  readonly name: string;
  readonly values: Float64Array;
}

/** Labels by index. Columns of the kind `code` are part of the result hash, columns of the kind `text` are not. */
export interface LabelColumn {
  readonly kind: 'code' | 'text';
  readonly name: string;
  readonly values: ArrayLike<number>;
  readonly labels: readonly string[];
}

/** A column of a result file: numbers, readings or labels. */
export type TableColumn = NumberColumn | ReadingColumn | LabelColumn;

/** A table with `length` rows. */
export interface Table {
  readonly length: number;
  readonly columns: readonly TableColumn[];
}

/** The labels of a flag, and the digits of whole numbers. */
const YES_NO = ['0', '1'];
const WHOLE_NUMBERS = [0];

/** Returns a column of numbers. `digitsAt` selects the digits of each row from `digits`; null: all rows have the first. */
const numberColumn = (
  name: string,
  values: Float64Array | Uint8Array,
  digits: readonly number[] = WHOLE_NUMBERS,
  digitsAt: ArrayLike<number> | null = null,
): NumberColumn => ({
  kind: 'number',
  name,
  values,
  digits,
  digitsAt,
  emptyAt: NaN,
});

/** Returns a column in which 0 is an empty cell. */
const emptyAtZero = (column: NumberColumn): NumberColumn => ({ ...column, emptyAt: 0 });
/** Return columns of labels, with and without a place in the result hash, and a column of readings. */
const codeColumn = (name: string, values: ArrayLike<number>, labels: readonly string[]): LabelColumn => ({
  kind: 'code',
  name,
  values,
  labels,
});
const textColumn = (name: string, values: ArrayLike<number>, labels: readonly string[]): LabelColumn => ({
  kind: 'text',
  name,
  values,
  labels,
});
const readingColumn = (name: string, values: Float64Array): ReadingColumn => ({ kind: 'reading', name, values });

/** Returns the table of orders.csv. */
export function ordersTable({ orders, instruments }: RunRecord): Table {
  const instrumentAt = orders.instrument;
  return {
    length: orders.length,
    columns: [
      numberColumn('order_id', orders.id),
      numberColumn('strategy', orders.strategy),
      codeColumn(
        'instrument',
        instrumentAt,
        instruments.map(({ id }) => id),
      ),
      codeColumn('side', orders.side, SIDES),
      codeColumn('role', orders.role, ROLES),
      codeColumn('ending', orders.ending, ENDINGS),
      codeColumn('reduce_only', orders.reduceOnly, YES_NO),
      emptyAtZero(numberColumn('parent_id', orders.parent)),
      emptyAtZero(numberColumn('quantity', orders.lots, quantityDigits(instruments), instrumentAt)),
      emptyAtZero(numberColumn('quote_amount', orders.quoteUnits, quoteDigits(instruments), instrumentAt)),
      emptyAtZero(numberColumn('price', orders.limit, priceDigits(instruments), instrumentAt)),
      numberColumn('filled_quantity', orders.filledLots, quantityDigits(instruments), instrumentAt),
      numberColumn('filled_notional', orders.filledUnits, quoteDigits(instruments), instrumentAt),
      numberColumn('created_ms', orders.createdMs),
      numberColumn('arrived_ms', orders.arrivedMs),
      numberColumn('done_ms', orders.doneMs),
      codeColumn('was_unknown', orders.wasUnknown, YES_NO),
      textColumn('slot', orders.slot, orders.texts),
      textColumn('code', orders.code, orders.texts),
    ],
  };
}

const priceDigits = (instruments: readonly Instrument[]) => instruments.map((instrument) => instrument.priceDigits);
const quantityDigits = (instruments: readonly Instrument[]) => instruments.map((instrument) => instrument.quantityDigits);
const quoteDigits = (instruments: readonly Instrument[]) => instruments.map((instrument) => instrument.quoteDigits);

/** The asset in which a fee was taken, by the code in the column `fee_in`. */
export const FEE_IN: readonly string[] = ['quote', 'base'];

/** Returns the table of fills.csv. */
export function fillsTable({ fills, instruments }: RunRecord): Table {
  const instrumentAt = fills.instrument;
  // Two entries for each instrument, in the order of FEE_IN.
  const feeAt = new Uint16Array(fills.length);
  for (let row = 0; row < feeAt.length; row++) feeAt[row] = instrumentAt[row]! * 2 + fills.feeInBase[row]!;
  return {
    length: fills.length,
    columns: [
      numberColumn('trade_id', fills.tradeId),
      numberColumn('order_id', fills.orderId),
      numberColumn('strategy', fills.strategy),
      codeColumn(
        'instrument',
        instrumentAt,
        instruments.map(({ id }) => id),
      ),
      codeColumn('side', fills.side, SIDES),
      codeColumn('is_maker', fills.isMaker, YES_NO),
      numberColumn('price', fills.price, priceDigits(instruments), instrumentAt),
      numberColumn('quantity', fills.lots, quantityDigits(instruments), instrumentAt),
      numberColumn('notional', fills.notional, quoteDigits(instruments), instrumentAt),
      numberColumn(
        'fee',
        fills.fee,
        instruments.flatMap((instrument) => [instrument.quoteDigits, instrument.baseDigits]),
        feeAt,
      ),
      codeColumn('fee_in', fills.feeInBase, FEE_IN),
      textColumn(
        'fee_asset',
        feeAt,
        instruments.flatMap((instrument) => [instrument.quote, instrument.base]),
      ),
      numberColumn('time_ms', fills.timeMs),
    ],
  };
}

/** Returns the table of trades.csv. */
export function tradesTable({ instruments, reportingDigits }: RunRecord, { closed, tags }: RunTrades): Table {
  const money = [reportingDigits];
  return {
    length: closed.length,
    columns: [
      numberColumn(
        'trade',
        closed.entryMs.map((_, row) => row + 1),
      ),
      numberColumn('strategy', closed.strategy),
      codeColumn(
        'instrument',
        closed.instrument,
        instruments.map(({ id }) => id),
      ),
      codeColumn('side', closed.side, ['long', 'short']),
      numberColumn('entry_ms', closed.entryMs),
      numberColumn('exit_ms', closed.exitMs),
      readingColumn('entry_price', closed.entryPrice),
      readingColumn('exit_price', closed.exitPrice),
      numberColumn('quantity', closed.lots, quantityDigits(instruments), closed.instrument),
      numberColumn('entry_notional', closed.entryUnits, money),
      numberColumn('volume', closed.volumeUnits, money),
      numberColumn('fees', closed.feeUnits, money),
      numberColumn('slippage', closed.slippageUnits, money),
      numberColumn('funding', closed.fundingUnits, money),
      numberColumn('liquidation', closed.liquidationUnits, money),
      numberColumn('pnl', closed.pnlUnits, money),
      readingColumn('return_fraction', closed.returnFraction),
      numberColumn('mae', closed.maeUnits, money),
      numberColumn('mfe', closed.mfeUnits, money),
      numberColumn('fills', closed.fills),
      textColumn('entry_tag', closed.entryTag, tags),
      textColumn('exit_tag', closed.exitTag, tags),
    ],
  };
}
