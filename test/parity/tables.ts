// Compares two runs of one strategy by their orders, fills and final balances, and finds the first difference.

import { ENDINGS, ROLES, SIDES, type FillColumns, type OrderColumns } from '../../src/model/run/run.ts';

/** A row of plain values: text, or whole numbers of ticks, lots, units or ms. */
export type Row = Readonly<Record<string, string | number>>;

/** The tables by which two runs are compared. */
export interface Tables {
  /** In order of creation. */
  readonly orders: readonly Row[];
  /** In order of time, instrument and order. */
  readonly fills: readonly Row[];
  /** Balances at the end in the bot's books, by asset (units) and contract (lots). */
  readonly books: readonly Row[];
  /** The same balances at the exchange. */
  readonly balances: readonly Row[];
}

/**
 * Returns orders as they were decided and as they ended. `barOpenOf` returns the open time of the bar on whose close an order was decided. Only
 * this bar is compared, because a live order that waits for a cancel is sent some seconds later. The time of a bracket leg is not compared here,
 * because the fills that cause it are compared to the ms.
 */
export function orderRows(orders: OrderColumns, barOpenOf: (instrument: number, timeMs: number) => number): readonly Row[] {
  return Array.from({ length: orders.length }, (_, index) => ({
    id: orders.id[index]!,
    strategy: orders.strategy[index]!,
    instrument: orders.instrument[index]!,
    side: SIDES[orders.side[index]!]!,
    role: ROLES[orders.role[index]!]!,
    reduceOnly: orders.reduceOnly[index]!,
    parent: orders.parent[index]!,
    lots: orders.lots[index]!,
    quoteUnits: orders.quoteUnits[index]!,
    limit: orders.limit[index]!,
    decidedMs: orders.parent[index]! > 0 ? 0 : barOpenOf(orders.instrument[index]!, orders.createdMs[index]!),
    slot: orders.texts[orders.slot[index]!] ?? '',
    code: orders.texts[orders.code[index]!] ?? '',
    ending: ENDINGS[orders.ending[index]!]!,
    filledLots: orders.filledLots[index]!,
    filledUnits: orders.filledUnits[index]!,
  }));
}

/** Returns fills in order of time, instrument and order. */
export function fillRows(fills: FillColumns): readonly Row[] {
  const rows = Array.from({ length: fills.length }, (_, index) => ({
    timeMs: fills.timeMs[index]!,
    instrument: fills.instrument[index]!,
    order: fills.orderId[index]!,
    side: SIDES[fills.side[index]!]!,
    price: fills.price[index]!,
    lots: fills.lots[index]!,
    notional: fills.notional[index]!,
    fee: fills.fee[index]!,
    feeInBase: fills.feeInBase[index]!,
    isMaker: fills.isMaker[index]!,
  }));
  const sortFields = ['timeMs', 'instrument', 'order', 'price', 'lots'] as const;
  return rows.toSorted((first, second) => {
    const field = sortFields.find((name) => first[name] !== second[name]);
    return field === undefined ? 0 : first[field] - second[field];
  });
}

/** The first place at which two runs differ. */
export interface RunDifference {
  readonly table: keyof Tables;
  /** Position in the table, from 0. */
  readonly row: number;
  /** Null when one of the runs does not have this row. */
  readonly field: string | null;
  readonly backtest: string | number | Row | null;
  readonly live: string | number | Row | null;
}

/**
 * Returns the earliest difference of orders and fills, or null. Balances and books are compared only if orders and fills are equal, because a
 * different order or fill changes them too.
 */
export function firstDifference(backtest: Tables, live: Tables): RunDifference | null {
  const inOrders = differenceIn('orders', backtest, live);
  const inFills = differenceIn('fills', backtest, live);
  if (inOrders === null && inFills === null) return differenceIn('balances', backtest, live) ?? differenceIn('books', backtest, live);
  if (inOrders === null || inFills === null) return inOrders ?? inFills;
  return earliestTimeOf(inOrders, backtest, live) <= earliestTimeOf(inFills, backtest, live) ? inOrders : inFills;
}

/** Returns the first difference of one table, or null. */
function differenceIn(table: keyof Tables, backtest: Tables, live: Tables): RunDifference | null {
  const backtestRows = backtest[table];
  const liveRows = live[table];
  for (let row = 0; row < Math.max(backtestRows.length, liveRows.length); row++) {
    const backtestRow = backtestRows[row] ?? null;
    const liveRow = liveRows[row] ?? null;
    if (backtestRow === null || liveRow === null) return { table, row, field: null, backtest: backtestRow, live: liveRow };
    const field = Object.keys(backtestRow).find((key) => !Object.is(backtestRow[key], liveRow[key]));
    if (field !== undefined) return { table, row, field, backtest: backtestRow[field]!, live: liveRow[field] ?? null };
  }
  return null;
}

/** Returns the time of the row that differs, ms UTC: the earlier one if both runs have the row. */
function earliestTimeOf({ table, row }: RunDifference, ...runs: readonly Tables[]): number {
  const timeField = table === 'orders' ? 'decidedMs' : 'timeMs';
  const times = runs.map((run) => Number(run[table][row]?.[timeField] ?? Infinity));
  return Math.min(...times);
}
