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

/** True when two numbers are equal up to rounding. NaN equals nothing. */
const isEqual = (own: number, other: number): boolean => Math.abs(own - other) <= TOLERANCE;

/** Compares two books trade by trade and bar by bar. */
export function compareBooks(ownBook: Book, otherBook: Book): BookComparison {
  const tradeDifference = firstTradeDifference(ownBook.trades, otherBook.trades);
  const difference = tradeDifference ?? firstEquityDifference(ownBook.equity, otherBook.equity) ?? '';
  const equityDifferences = ownBook.equity.map((equity, row) => Math.abs(equity - (otherBook.equity[row] ?? Infinity)));
  return {
    equal: difference === '',
    trades: ownBook.trades.length,
    bars: ownBook.equity.length,
    maxApart: equityDifferences.reduce((max, apart) => Math.max(max, apart), 0),
    first: difference,
  };
}

/** Returns the first trade that differs, in words; null if all are equal. */
function firstTradeDifference(ownTrades: readonly BookTrade[], otherTrades: readonly BookTrade[]): string | null {
  for (const [tradeIndex, trade] of ownTrades.entries()) {
    const otherTrade = otherTrades[tradeIndex];
    if (otherTrade === undefined) return `trade ${tradeIndex + 1} is missing in the tool`;
    const column = trade.findIndex((figure, index) => !isEqual(figure, otherTrade[index]!));
    if (column >= 0) return `trade ${tradeIndex + 1}, ${COLUMN_NAMES[column]}: isobar ${trade[column]}, tool ${otherTrade[column]}`;
  }
  return otherTrades.length > ownTrades.length ? `trade ${ownTrades.length + 1} is missing in isobar` : null;
}

/** Returns the first bar whose equity differs, in words; null if all are equal. */
function firstEquityDifference(ownEquity: readonly number[], otherEquity: readonly number[]): string | null {
  if (ownEquity.length !== otherEquity.length) return `isobar has ${ownEquity.length} bars of equity, the tool ${otherEquity.length}`;
  const row = ownEquity.findIndex((equity, bar) => !isEqual(equity, otherEquity[bar]!));
  return row < 0 ? null : `equity at bar ${row}: isobar ${ownEquity[row]}, tool ${otherEquity[row]}`;
}
