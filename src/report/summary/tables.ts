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

const YES_NO = ['0', '1'];
const WHOLE = [0];

/** Returns a column of numbers. `digitsAt` selects the digits of each row from `digits`; null: all rows have the first. */
const number = (
  name: string,
  values: Float64Array | Uint8Array,
  digits: readonly number[] = WHOLE,
  digitsAt: ArrayLike<number> | null = null,
): NumberColumn => ({
  kind: 'number',
  name,
  values,
  digits,
  digitsAt,
  emptyAt: NaN,
});
const emptyAtZero = (column: NumberColumn): NumberColumn => ({ ...column, emptyAt: 0 });
const code = (name: string, values: ArrayLike<number>, labels: readonly string[]): LabelColumn => ({ kind: 'code', name, values, labels });
const text = (name: string, values: ArrayLike<number>, labels: readonly string[]): LabelColumn => ({ kind: 'text', name, values, labels });
const reading = (name: string, values: Float64Array): ReadingColumn => ({ kind: 'reading', name, values });

/** Returns the table of orders.csv. */
export function ordersTable({ orders, instruments }: RunRecord): Table {
  const instrumentAt = orders.instrument;
  return {
    length: orders.length,
    columns: [
      number('order_id', orders.id),
      number('strategy', orders.strategy),
      code(
        'instrument',
        instrumentAt,
        instruments.map(({ id }) => id),
      ),
      code('side', orders.side, SIDES),
      code('role', orders.role, ROLES),
      code('ending', orders.ending, ENDINGS),
      code('reduce_only', orders.reduceOnly, YES_NO),
      emptyAtZero(number('parent_id', orders.parent)),
      emptyAtZero(number('quantity', orders.lots, quantityDigits(instruments), instrumentAt)),
      emptyAtZero(number('quote_amount', orders.quoteUnits, quoteDigits(instruments), instrumentAt)),
      emptyAtZero(number('price', orders.limit, priceDigits(instruments), instrumentAt)),
      number('filled_quantity', orders.filledLots, quantityDigits(instruments), instrumentAt),
      number('filled_notional', orders.filledUnits, quoteDigits(instruments), instrumentAt),
      number('created_ms', orders.createdMs),
      number('arrived_ms', orders.arrivedMs),
      number('done_ms', orders.doneMs),
      code('was_unknown', orders.wasUnknown, YES_NO),
      text('slot', orders.slot, orders.texts),
      text('code', orders.code, orders.texts),
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
      number('trade_id', fills.tradeId),
      number('order_id', fills.orderId),
      number('strategy', fills.strategy),
      code(
        'instrument',
        instrumentAt,
        instruments.map(({ id }) => id),
      ),
      code('side', fills.side, SIDES),
      code('is_maker', fills.isMaker, YES_NO),
      number('price', fills.price, priceDigits(instruments), instrumentAt),
      number('quantity', fills.lots, quantityDigits(instruments), instrumentAt),
      number('notional', fills.notional, quoteDigits(instruments), instrumentAt),
      number(
        'fee',
        fills.fee,
        instruments.flatMap((instrument) => [instrument.quoteDigits, instrument.baseDigits]),
        feeAt,
      ),
      code('fee_in', fills.feeInBase, FEE_IN),
      text(
        'fee_asset',
        feeAt,
        instruments.flatMap((instrument) => [instrument.quote, instrument.base]),
      ),
      number('time_ms', fills.timeMs),
    ],
  };
}

/** Returns the table of trades.csv. */
export function tradesTable({ instruments, reportingDigits }: RunRecord, { closed, tags }: RunTrades): Table {
  const money = [reportingDigits];
  return {
    length: closed.length,
    columns: [
      number(
        'trade',
        closed.entryMs.map((_, row) => row + 1),
      ),
      number('strategy', closed.strategy),
      code(
        'instrument',
        closed.instrument,
        instruments.map(({ id }) => id),
      ),
      code('side', closed.side, ['long', 'short']),
      number('entry_ms', closed.entryMs),
      number('exit_ms', closed.exitMs),
      reading('entry_price', closed.entryPrice),
      reading('exit_price', closed.exitPrice),
      number('quantity', closed.lots, quantityDigits(instruments), closed.instrument),
      number('entry_notional', closed.entryUnits, money),
      number('volume', closed.volumeUnits, money),
      number('fees', closed.feeUnits, money),
      number('slippage', closed.slippageUnits, money),
      number('funding', closed.fundingUnits, money),
      number('liquidation', closed.liquidationUnits, money),
      number('pnl', closed.pnlUnits, money),
      reading('return_fraction', closed.returnFraction),
      number('mae', closed.maeUnits, money),
      number('mfe', closed.mfeUnits, money),
      number('fills', closed.fills),
      text('entry_tag', closed.entryTag, tags),
      text('exit_tag', closed.exitTag, tags),
    ],
  };
}
