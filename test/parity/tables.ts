// What two runs of one strategy are compared by: their orders, fills and final money, as rows of plain values; and where they part.

import { ENDINGS, ROLES, SIDES, type FillColumns, type OrderColumns } from '../../src/model/run/run.ts';

/** A named value of a run: text, or a whole number of ticks, lots, units or ms. */
export type Row = Readonly<Record<string, string | number>>;

export interface Tables {
  /** In order of creation. */
  readonly orders: readonly Row[];
  /** In order of time, instrument and order. */
  readonly fills: readonly Row[];
  /** By asset: money and coins at the end, in units, and of contracts what is held. In the books of the bot, and at the exchange. */
  readonly books: readonly Row[];
  readonly balances: readonly Row[];
}

/**
 * Orders as they were decided and as they ended. Of times the bar on whose close it was decided is compared, `barOf`: what waits for the
 * confirmation of a cancel goes some seconds later over a wire. A leg comes of the fill that calls for it, or of the price that its stop
 * reaches; the time of that fill, and of its own, is the exchange's and is compared to the ms.
 */
export function orderRows(orders: OrderColumns, barOf: (instrument: number, timeMs: number) => number): readonly Row[] {
  return Array.from({ length: orders.length }, (_, at) => ({
    id: orders.id[at]!,
    strategy: orders.strategy[at]!,
    instrument: orders.instrument[at]!,
    side: SIDES[orders.side[at]!]!,
    role: ROLES[orders.role[at]!]!,
    reduceOnly: orders.reduceOnly[at]!,
    parent: orders.parent[at]!,
    lots: orders.lots[at]!,
    quoteUnits: orders.quoteUnits[at]!,
    limit: orders.limit[at]!,
    decidedMs: orders.parent[at]! > 0 ? 0 : barOf(orders.instrument[at]!, orders.createdMs[at]!),
    slot: orders.texts[orders.slot[at]!] ?? '',
    code: orders.texts[orders.code[at]!] ?? '',
    ending: ENDINGS[orders.ending[at]!]!,
    filledLots: orders.filledLots[at]!,
    filledUnits: orders.filledUnits[at]!,
  }));
}

export function fillRows(fills: FillColumns): readonly Row[] {
  const rows = Array.from({ length: fills.length }, (_, at) => ({
    timeMs: fills.timeMs[at]!,
    instrument: fills.instrument[at]!,
    order: fills.orderId[at]!,
    side: SIDES[fills.side[at]!]!,
    price: fills.price[at]!,
    lots: fills.lots[at]!,
    notional: fills.notional[at]!,
    fee: fills.fee[at]!,
    feeInBase: fills.feeInBase[at]!,
    isMaker: fills.isMaker[at]!,
  }));
  return rows.toSorted(
    (a, b) => a.timeMs - b.timeMs || a.instrument - b.instrument || a.order - b.order || a.price - b.price || a.lots - b.lots,
  );
}

export interface Difference {
  readonly table: keyof Tables;
  /** Position in the table, from 0. */
  readonly row: number;
  /** Null: one of the two has no such row. */
  readonly field: string | null;
  readonly backtest: string | number | Row | null;
  readonly live: string | number | Row | null;
}

/**
 * Returns the first difference in order of time: of the orders or of the fills, whichever comes first. Balances and books count only where
 * both are the same, because a difference in them follows from an order or a fill. Null without a difference.
 */
export function firstDifference(backtest: Tables, live: Tables): Difference | null {
  const orders = differenceIn('orders', backtest, live);
  const fills = differenceIn('fills', backtest, live);
  if (orders === null && fills === null) return differenceIn('balances', backtest, live) ?? differenceIn('books', backtest, live);
  if (orders === null || fills === null) return orders ?? fills;
  return timeOf(orders, backtest, live) <= timeOf(fills, backtest, live) ? orders : fills;
}

function differenceIn(table: keyof Tables, backtest: Tables, live: Tables): Difference | null {
  const [a, b] = [backtest[table], live[table]];
  for (let row = 0; row < Math.max(a.length, b.length); row++) {
    const [mine, theirs] = [a[row] ?? null, b[row] ?? null];
    if (mine === null || theirs === null) return { table, row, field: null, backtest: mine, live: theirs };
    const field = Object.keys(mine).find((key) => !Object.is(mine[key], theirs[key]));
    if (field !== undefined) return { table, row, field, backtest: mine[field]!, live: theirs[field] ?? null };
  }
  return null;
}

function timeOf({ table, row }: Difference, ...runs: readonly Tables[]): number {
  const times = runs.map((run) => Number(run[table][row]?.[table === 'orders' ? 'decidedMs' : 'timeMs'] ?? Infinity));
  return Math.min(...times);
}
