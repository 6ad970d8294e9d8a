// Builds execution-only feeds from the trades of the catalog. A row holds all trades of one ms; the tape of the feed holds each trade.

import { daysWithout, loadTrades, type LoadedTrades } from '../../adapters/catalog/trades/tradeStore.ts';
import type { BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { tradesFolder, tradesManifestPath } from '../../adapters/catalog/trades/trades.ts';
import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { TRADE_ROWS } from '../../model/interval.ts';
import { CLEAN_QUALITY } from '../../model/run/run.ts';
import { formatTime } from '../../model/time.ts';
import type { FeedPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/**
 * Returns a feed of trades for each feed in which orders would fill. Throws ConfigError where the catalog has no trades. Also throws it
 * where the trades do not reach the high and the low of a bar, because a stop that the bar reaches would not trigger.
 */
export function tradeFeeds(
  definition: Definition,
  source: DefinitionSource,
  store: BarStore,
  feeds: readonly FeedPlan[],
  where: string,
): readonly FeedPlan[] {
  if (Number(definition.fills?.impact?.coefficient ?? 0) > 0) {
    throw new ConfigError(
      `${whereIs(source, ['fills', 'impact'])}: expected fills in bars, because impact needs the range of a bar, got ${TRADE_ROWS}`,
      'leave impact out, or give slippage',
    );
  }
  return feeds.map((feed) => tradeFeedOf(feed, store, where));
}

/** Returns the execution-only feed of an instrument. Throws ConfigError for a contract. */
function tradeFeedOf(feed: FeedPlan, { folder }: BarStore, where: string): FeedPlan {
  const { bars, firstRow } = feed;
  const { instrument } = bars;
  if (instrument.contract !== undefined) {
    throw new ConfigError(
      `${where}: expected an instrument of spot, got ${instrument.id}: contracts do not fill against trades`,
      'for futures write an interval, or finest',
    );
  }
  if (folder === null) throw new ConfigError(`${where}: expected a catalog, got bars from memory, which have no trades`, 'name a catalog');
  const key = { market: instrument.market, symbol: instrument.wireName };
  const fromMs = bars.openMs[firstRow]!;
  const toMs = bars.closeMs[bars.length - 1]!;
  const loadedTrades = firstRow >= bars.length ? null : loadTrades(folder, key, fromMs, toMs);
  if (loadedTrades === null) {
    throw new ConfigError(
      `${where}: ${tradesFolder(folder, key)} has no trades from ${formatTime(fromMs)} to ${formatTime(toMs)}`,
      'isobar data import FILE --as trades adds some; isobar data list shows what is there',
    );
  }
  const rows = rowsOfTrades(loadedTrades, instrument, where);
  checkTradesReachBars(rows, feed, where, daysWithout(folder, key, fromMs, toMs));
  // This name is public: results contain it.
  const name = `inside ${feed.name}`;
  // If there is a trade before the run, its price is the first price of the run.
  const firstRowOfRun = rows.openMs[0]! < fromMs ? 1 : 0;
  return {
    name,
    bars: rows,
    firstRow: firstRowOfRun,
    quality: qualityOf(loadedTrades),
    files: [...loadedTrades.files, tradesManifestPath(folder, key)],
    isExecutionOnly: true,
    missingIds: loadedTrades.gaps.reduce((sum, { missing }) => sum + missing, 0),
  };
}

/** Returns what is known of the data: only the number of trades and of gaps; bars have the other faults. */
function qualityOf({ sha256, columns, gaps }: LoadedTrades): FeedPlan['quality'] {
  return { ...CLEAN_QUALITY, manifestHash: sha256, rows: columns.length, gaps: gaps.length };
}

/** Returns one row for each ms with trades. Throws ConfigError for a price between two ticks. */
export function rowsOfTrades({ columns }: Pick<LoadedTrades, 'columns'>, instrument: Instrument, where: string): BarColumns {
  const { length, timeMs, id, price, quantity, takerSide, priceDigits, quantityDigits } = columns;
  const rows = countTimes(timeMs, length);
  const column = () => new Float64Array(rows);
  const bars = { openMs: column(), closeMs: column(), open: column(), high: column(), low: column(), close: column(), volume: column() };
  const tape = { first: new Uint32Array(rows + 1), price: new Float64Array(length), lots: new Float64Array(length), takerSide };
  const ticksPerPrice = pow10(instrument.priceDigits);
  const lotsPerBase = pow10(instrument.quantityDigits);
  const toTicks = rescale(priceDigits, instrument.priceDigits);
  const toLots = rescale(quantityDigits, instrument.quantityDigits);
  let row = -1;
  for (let trade = 0; trade < length; trade++) {
    const ticks = toTicks(price[trade]!);
    if (!Number.isInteger(ticks)) {
      throw new ConfigError(
        `${where}: the price of the trade ${id[trade]!} of ${instrument.id} lies between two ticks of ${instrument.priceDigits} digits`,
        'raise pricePrecision in the instrument record',
      );
    }
    // Quantities finer than a lot count as the whole lots in them, which fills less.
    const lots = Math.floor(toLots(quantity[trade]!));
    tape.price[trade] = ticks;
    tape.lots[trade] = lots;
    const tradePrice = ticks / ticksPerPrice;
    if (trade === 0 || timeMs[trade] !== timeMs[trade - 1]) {
      row++;
      tape.first[row] = trade;
      bars.openMs[row] = timeMs[trade]!;
      bars.closeMs[row] = timeMs[trade]! + 1;
      bars.open[row] = bars.high[row] = bars.low[row] = tradePrice;
    }
    bars.high[row] = Math.max(bars.high[row]!, tradePrice);
    bars.low[row] = Math.min(bars.low[row]!, tradePrice);
    bars.close[row] = tradePrice;
    bars.volume[row]! += lots / lotsPerBase;
  }
  tape.first[rows] = length;
  return { instrument, interval: TRADE_ROWS, length: rows, ...bars, tape };
}

/** Returns the number of different times among the first `length` times. The times never fall. */
function countTimes(timeMs: Float64Array, length: number): number {
  let count = 0;
  for (let trade = 0; trade < length; trade++) if (trade === 0 || timeMs[trade] !== timeMs[trade - 1]) count++;
  return count;
}

/** Returns the function that changes the scale of a whole number from `fromDigits` to `toDigits` decimals. */
function rescale(fromDigits: number, toDigits: number): (value: number) => number {
  const factor = pow10(Math.abs(toDigits - fromDigits));
  return toDigits >= fromDigits ? (value) => value * factor : (value) => value / factor;
}

/** Throws ConfigError for the first bar with volume whose high or low its trades do not reach. `missingDays`: days without any trade. */
function checkTradesReachBars(
  { openMs, high, low, length }: BarColumns,
  { bars, firstRow }: FeedPlan,
  where: string,
  missingDays: readonly string[],
): void {
  let tradeRow = 0;
  for (let row = firstRow; row < bars.length; row++) {
    let highest = -Infinity;
    let lowest = Infinity;
    while (tradeRow < length && openMs[tradeRow]! < bars.openMs[row]!) tradeRow++;
    for (; tradeRow < length && openMs[tradeRow]! < bars.closeMs[row]!; tradeRow++) {
      highest = Math.max(highest, high[tradeRow]!);
      lowest = Math.min(lowest, low[tradeRow]!);
    }
    if (bars.volume[row] === 0 || (highest >= bars.high[row]! && lowest <= bars.low[row]!)) continue;
    throw new ConfigError(
      `${where}: expected trades that reach the high and the low of every ${bars.interval} bar of ${bars.instrument.wireName}, ` +
        `those of ${formatTime(bars.openMs[row]!)} do not${missingDaysText(missingDays)}`,
      `trades exist from ${formatTime(openMs[0]!)} to ${formatTime(openMs[length - 1]!)}: set from and to inside, or import the missing ones`,
    );
  }
}

/** Returns the first three missing days as the end of a message. Empty if no day is missing. */
function missingDaysText(days: readonly string[]): string {
  if (days.length === 0) return '';
  return `; there are none at all of ${days.slice(0, 3).join(', ')}${days.length > 3 ? ' and others' : ''}`;
}
