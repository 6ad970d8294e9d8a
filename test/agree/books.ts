// Compares the trades and the equity of isobar with those of another simulator, for `npm run agree`.

/** The values of a closed trade in the order of COLUMN_NAMES, as the tools print them. */
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
  /** Number of trades of isobar. */
  readonly trades: number;
  readonly bars: number;
  /** Largest difference of an equity. */
  readonly maxApart: number;
  /** The first difference; empty without one. */
  readonly first: string;
}

/** The values of a trade: times in ms, and the size below 0 for a short trade. */
const COLUMN_NAMES = ['entry time', 'exit time', 'entry price', 'exit price', 'size', 'pnl'];
/** Largest difference that counts as rounding: the tools add up floating-point numbers. The smallest unit of isobar's money is 1e-8. */
const TOLERANCE = 1e-7;

/** Compares two books trade by trade and bar by bar. */
export function compareBooks(ownBook: Book, otherBook: Book): BookComparison {
  const first = firstTradeDifference(ownBook.trades, otherBook.trades) ?? firstEquityDifference(ownBook.equity, otherBook.equity) ?? '';
  const maxApart = ownBook.equity.reduce((max, value, row) => Math.max(max, Math.abs(value - (otherBook.equity[row] ?? Infinity))), 0);
  return { equal: first === '', trades: ownBook.trades.length, bars: ownBook.equity.length, maxApart, first };
}

/** Returns the first trade that differs, in words; null if all are equal. */
function firstTradeDifference(ownTrades: readonly BookTrade[], otherTrades: readonly BookTrade[]): string | null {
  for (const [tradeIndex, trade] of ownTrades.entries()) {
    const otherTrade = otherTrades[tradeIndex];
    if (otherTrade === undefined) return `trade ${tradeIndex + 1} is missing in the tool`;
    const column = trade.findIndex((value, index) => !(Math.abs(value - otherTrade[index]!) <= TOLERANCE));
    if (column >= 0) return `trade ${tradeIndex + 1}, ${COLUMN_NAMES[column]}: isobar ${trade[column]}, tool ${otherTrade[column]}`;
  }
  return otherTrades.length > ownTrades.length ? `trade ${ownTrades.length + 1} is missing in isobar` : null;
}

/** Returns the first bar whose equity differs, in words; null if all are equal. */
function firstEquityDifference(ownEquity: readonly number[], otherEquity: readonly number[]): string | null {
  if (ownEquity.length !== otherEquity.length) return `isobar has ${ownEquity.length} bars of equity, the tool ${otherEquity.length}`;
  const row = ownEquity.findIndex((value, bar) => !(Math.abs(value - otherEquity[bar]!) <= TOLERANCE));
  return row < 0 ? null : `equity at bar ${row}: isobar ${ownEquity[row]}, tool ${otherEquity[row]}`;
}
