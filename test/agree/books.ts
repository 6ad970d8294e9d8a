// Compares the trades and the equity of two simulators.

/** [entryMs, exitMs, entryPrice, exitPrice, size, pnl] */
type BookTrade = readonly number[];

/** The trades and the equity of one simulator. */
export interface Book {
  /** Closed trades in closing order. */
  readonly trades: readonly BookTrade[];
  /** Equity at the close of each bar. */
  readonly equity: readonly number[];
}

/** Whether two books agree, and where they differ first. */
export interface BookComparison {
  readonly equal: boolean;
  /** Number of trades of the first book. */
  readonly trades: number;
  readonly bars: number;
  /** Largest difference of an equity. */
  readonly maxApart: number;
  /** The first difference; empty without one. */
  readonly first: string;
}

const NAMES = ['entry time', 'exit time', 'entry price', 'exit price', 'size', 'pnl'];
/** A difference of floating-point sums of money. The smallest unit of isobar's money is 1e-8. */
const CLOSE = 1e-7;

/** Compares two books trade by trade and bar by bar. */
export function compareBooks(own: Book, other: Book): BookComparison {
  const first = firstTradeDifference(own.trades, other.trades) ?? firstEquityDifference(own.equity, other.equity) ?? '';
  const maxApart = own.equity.reduce((max, value, row) => Math.max(max, Math.abs(value - (other.equity[row] ?? Infinity))), 0);
  return { equal: first === '', trades: own.trades.length, bars: own.equity.length, maxApart, first };
}

/** Returns the first trade that differs, in words; null if all are equal. */
function firstTradeDifference(own: readonly BookTrade[], other: readonly BookTrade[]): string | null {
  for (const [at, trade] of own.entries()) {
    const beside = other[at];
    if (beside === undefined) return `trade ${at + 1} is missing in the tool`;
    const column = trade.findIndex((value, index) => !(Math.abs(value - beside[index]!) <= CLOSE));
    if (column >= 0) return `trade ${at + 1}, ${NAMES[column]}: isobar ${trade[column]}, tool ${beside[column]}`;
  }
  return other.length > own.length ? `trade ${own.length + 1} is missing in isobar` : null;
}

/** Returns the first bar whose equity differs, in words; null if all are equal. */
function firstEquityDifference(own: readonly number[], other: readonly number[]): string | null {
  if (own.length !== other.length) return `isobar has ${own.length} bars of equity, the tool ${other.length}`;
  const row = own.findIndex((value, at) => !(Math.abs(value - other[at]!) <= CLOSE));
  return row < 0 ? null : `equity at bar ${row}: isobar ${own[row]}, tool ${other[row]}`;
}
