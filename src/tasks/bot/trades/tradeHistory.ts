// The trades of the catalog that precede the newest trades of the exchange. They are used only if both share a trade.

import { readInstrument } from '../../../adapters/catalog/bars/catalog.ts';
import type { BarKey } from '../../../adapters/catalog/files/paths.ts';
import { readTradeDay } from '../../../adapters/catalog/trades/tradeDays.ts';
import { dayOf, daysIn, dayStart, tradesFolder, type TradeColumns } from '../../../adapters/catalog/trades/trades.ts';
import type { RecentTrade } from '../../../adapters/exchange/trades/tradeWindow.ts';
import type { MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { readDay } from '../../../definition/load/tradeBarFeed.ts';
import type { TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { tradeBarRule } from '../../../model/tradeBars.ts';

/** Maximum number of bars from the catalog: those with which indicators warm up. */
const MAX_CATALOG_BARS = 5000;

/** The newest day of the catalog that has trades by a time. */
interface StoredDay {
  readonly day: string;
  readonly columns: TradeColumns;
  /** Number of its trades before that time. */
  readonly length: number;
}

/** The trades of the catalog, as a live bot continues them. */
export interface TradeHistory {
  /** Time at which the first bar of the newest day opens, ms UTC. */
  readonly openMs: number;
  /** The trades of the newest day, by time and id. */
  readonly trades: readonly RecentTrade[];
  /** The bars of earlier days, oldest first. */
  readonly bars: readonly MarketBar[];
}

/** Returns the newest day of the catalog with trades before `untilMs`. Null without one. A paper exchange may be in the catalog's past. */
export function newestStoredDay(catalog: string, key: BarKey, untilMs: number): StoredDay | null {
  const folder = tradesFolder(catalog, key);
  for (const day of daysIn(folder).toReversed()) {
    if (dayStart(day) >= untilMs) continue;
    const columns = readTradeDay(folder, day)!;
    let { length } = columns;
    while (length > 0 && columns.timeMs[length - 1]! >= untilMs) length--;
    if (length > 0) return { day, columns, length };
  }
  return null;
}

/** Returns the numbers of decimals in which trades of the exchange and of the catalog are whole numbers. */
export const commonDigits = (instrument: Instrument, stored: StoredDay | null): TradeDigits => ({
  priceDigits: Math.max(instrument.priceDigits, stored?.columns.priceDigits ?? 0),
  quantityDigits: Math.max(instrument.quantityDigits, stored?.columns.quantityDigits ?? 0),
});

/**
 * Returns the history before `recent`, the newest trades of the exchange. Returns a sentence instead if the catalog cannot be used: no trade
 * is in both, or a common trade differs.
 */
export function joinHistory(
  catalog: string,
  key: BarKey,
  stored: StoredDay,
  recent: readonly RecentTrade[],
  digits: TradeDigits,
): TradeHistory | string {
  const name = `${key.symbol} ${key.interval}`;
  const trades = tradesOfDay(stored, digits);
  const problem = overlapProblem(trades, recent, digits);
  if (problem !== null) return `${name}: ${problem}`;
  const folder = tradesFolder(catalog, key);
  const days = daysIn(folder);
  const index = days.indexOf(stored.day);
  const rule = tradeBarRule(key.interval)!;
  const instrument = readInstrument(catalog, key.market, key.symbol)!;
  const barsByDay: MarketBar[][] = [];
  let barCount = 0;
  for (let earlierIndex = index - 1; earlierIndex >= 0 && barCount < MAX_CATALOG_BARS; earlierIndex--) {
    const { rows } = readDay({ folder, days, rule, instrument, where: name }, days[earlierIndex]!);
    barsByDay.unshift(marketBars(rows));
    barCount += rows.openMs.length;
  }
  // The first day of the catalog may have begun before its first trade.
  const openMs = index === 0 ? trades[0]!.timeMs : dayStart(dayOf(trades[0]!.timeMs));
  return { openMs, trades, bars: barsByDay.flat().slice(-MAX_CATALOG_BARS) };
}

/** Returns why trades of the catalog cannot precede those of the exchange: none is in both, or a common one differs. Null if they can. */
function overlapProblem(trades: readonly RecentTrade[], recent: readonly RecentTrade[], { priceDigits }: TradeDigits): string | null {
  const recentById = new Map(recent.map((trade) => [trade.id, trade]));
  let commonTrades = 0;
  for (const trade of trades) {
    const other = recentById.get(trade.id);
    if (other === undefined) continue;
    commonTrades++;
    if (other.timeMs === trade.timeMs && other.priceTicks === trade.priceTicks && other.lots === trade.lots) continue;
    const prices = `price ${fromScaled(trade.priceTicks, priceDigits)} and ${fromScaled(other.priceTicks, priceDigits)}`;
    return `the trade ${trade.id} differs between catalog and exchange (${prices}): the trades of the catalog are left out`;
  }
  if (commonTrades > 0) return null;
  return 'the trades of the catalog end before those of the exchange begin, or have other ids: they are left out';
}

/** Returns the bars that were built from the trades of a day. */
const marketBars = (rows: ReturnType<typeof readDay>['rows']): MarketBar[] =>
  Array.from(rows.openMs, (openMs, row) => ({
    openMs,
    closeMs: rows.closeMs[row]!,
    open: rows.open[row]!,
    high: rows.high[row]!,
    low: rows.low[row]!,
    close: rows.close[row]!,
    volume: rows.volume[row]!,
    barsIn: 1,
  }));

/** Returns the trades of a stored day with the digits of the exchange. */
function tradesOfDay({ columns, length }: StoredDay, { priceDigits, quantityDigits }: TradeDigits): readonly RecentTrade[] {
  const priceFactor = pow10(priceDigits - columns.priceDigits);
  const quantityFactor = pow10(quantityDigits - columns.quantityDigits);
  return Array.from({ length }, (_, row) => ({
    id: String(columns.id[row]!),
    timeMs: columns.timeMs[row]!,
    priceTicks: columns.price[row]! * priceFactor,
    lots: columns.quantity[row]! * quantityFactor,
  }));
}
