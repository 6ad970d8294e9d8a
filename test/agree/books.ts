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
export function compareBooks(ownBook: Book, other: Book): BookComparison {
  const first = firstTradeDifference(ownBook.trades, other.trades) ?? firstEquityDifference(ownBook.equity, other.equity) ?? '';
  const maxApart = ownBook.equity.reduce((max, value, row) => Math.max(max, Math.abs(value - (other.equity[row] ?? Infinity))), 0);
  return { equal: first === '', trades: ownBook.trades.length, bars: ownBook.equity.length, maxApart, first };
}

/** Returns the first trade that differs, in words; null if all are equal. */
function firstTradeDifference(ownTrades: readonly BookTrade[], other: readonly BookTrade[]): string | null {
  for (const [at, trade] of ownTrades.entries()) {
    const otherTrade = other[at];
    if (otherTrade === undefined) return `trade ${at + 1} is missing in the tool`;
    const column = trade.findIndex((value, index) => !(Math.abs(value - otherTrade[index]!) <= CLOSE));
    if (column >= 0) return `trade ${at + 1}, ${NAMES[column]}: isobar ${trade[column]}, tool ${otherTrade[column]}`;
  }
  return other.length > ownTrades.length ? `trade ${ownTrades.length + 1} is missing in isobar` : null;
}

/** Returns the first bar whose equity differs, in words; null if all are equal. */
function firstEquityDifference(ownEquity: readonly number[], other: readonly number[]): string | null {
  if (ownEquity.length !== other.length) return `isobar has ${ownEquity.length} bars of equity, the tool ${other.length}`;
  const row = ownEquity.findIndex((value, at) => !(Math.abs(value - other[at]!) <= CLOSE));
  return row < 0 ? null : `equity at bar ${row}: isobar ${ownEquity[row]}, tool ${other[row]}`;
}
