// Loads feeds of bars from trades. The bars are built from the trades of the catalog, one day at a time.

import { createHash } from 'node:crypto';
import { DAY_MS } from '../../base/calendar.ts';
import { readInstrument, type BarRange, type LoadedBars } from '../../adapters/catalog/bars/catalog.ts';
import { IMPORTED } from '../../adapters/catalog/bars/barQuality.ts';
import { noteHash } from '../../adapters/catalog/bars/readHashes.ts';
import type { BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { firstRowAtOrAfter } from '../../adapters/catalog/files/columns.ts';
import { instrumentPath, type BarKey } from '../../adapters/catalog/files/paths.ts';
import { barsOfDay, type TradeBarRows } from '../../adapters/catalog/trades/tradeBars.ts';
import { readTradeDay, tradeDayOf } from '../../adapters/catalog/trades/tradeDays.ts';
import { dayPath, daysIn, dayStart, tradesFolder, tradesManifestPath } from '../../adapters/catalog/trades/trades.ts';
import { ConfigError } from '../../base/errors.ts';
import { wholeText } from '../../base/text/format.ts';
import { CLEAN_QUALITY } from '../../model/run/run.ts';
import { formatTime } from '../../model/time.ts';
import { tradeBarRule, type TradeBarRule } from '../../model/tradeBars.ts';

/** Bars that were made from stored trades. */
export interface LoadedTradeBars extends LoadedBars {
  readonly note: string;
}

/**
 * Returns bars from trades that open at `fromMs` or later and end by `toMs`, with warm-up rows before them. Counting restarts with each
 * UTC day, so bars do not depend on where a run begins. Throws ConfigError without such trades.
 */
export function loadTradeBars(store: BarStore, key: BarKey, { fromMs, toMs, warmupRows = 0 }: BarRange, where: string): LoadedTradeBars {
  const { folder: catalog } = store;
  const rule = tradeBarRule(key.interval)!;
  if (catalog === null)
    throw new ConfigError(`${where}: expected a catalog with trades for bars of ${key.interval}, got bars from memory`, 'name a catalog');
  const folder = tradesFolder(catalog, key);
  const instrument = readInstrument(catalog, key.market, key.symbol);
  const days = daysIn(folder);
  const remedy = 'isobar data import FILE --as trades adds some; isobar data list shows what is there';
  if (instrument === null || days.length === 0)
    throw new ConfigError(`${where}: bars of ${key.interval} need trades, and ${folder} has none`, remedy);
  const dayBars = barsOfDays({ folder, days, rule, instrument, where }, { fromMs, toMs, warmupRows });
  const openMs = joinColumn(dayBars, 'openMs');
  const closeMs = joinColumn(dayBars, 'closeMs');
  const first = fromMs === undefined ? 0 : firstRowAtOrAfter(openMs, fromMs);
  const start = Math.max(0, first - warmupRows);
  const end = toMs === undefined ? closeMs.length : firstRowAtOrAfter(closeMs, toMs + 1);
  if (end <= first) throw noBarsError({ folder, days, where }, key, { fromMs, toMs });
  const column = (name: Exclude<keyof TradeBarRows, 'thin'>) => joinColumn(dayBars, name).slice(start, end);
  const bars = {
    instrument,
    interval: key.interval,
    length: end - start,
    openMs: openMs.slice(start, end),
    closeMs: closeMs.slice(start, end),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
  const thinBars = countThin(dayBars, first, end);
  return {
    bars,
    firstRow: first - start,
    facts: { ...IMPORTED, source: 'resampled' },
    quality: { ...CLEAN_QUALITY, manifestHash: hashOf(key, dayBars), rows: end - first, thinBars },
    files: [...dayBars.map(({ path }) => path), tradesManifestPath(catalog, key), instrumentPath(catalog, key.market, key.symbol)],
    note: noteOf(key, dayBars, thinBars),
  };
}

/** Returns the error for a range in which no bar opens and ends. */
function noBarsError(
  { folder, days, where }: Pick<DayReader, 'folder' | 'days' | 'where'>,
  { interval }: BarKey,
  { fromMs, toMs }: BarRange,
): ConfigError {
  const from = fromMs === undefined ? 'the start' : formatTime(fromMs);
  const to = toMs === undefined ? 'the end' : formatTime(toMs);
  return new ConfigError(
    `${where}: no bar of ${interval} opens and ends from ${from} to ${to}`,
    `${folder} has trades from ${days[0]} to ${days.at(-1)}: change from and to, or write a smaller amount`,
  );
}

/** Returns in how many of the rows [first, end) trades are missing. */
const countThin = (dayBars: readonly DayBars[], first: number, end: number): number =>
  dayBars
    .flatMap(({ rows }) => [...rows.thin])
    .slice(first, end)
    .filter((isThin) => isThin === 1).length;

/** Returns the hash of the interval and of the trades of all days. */
function hashOf({ interval }: BarKey, dayBars: readonly DayBars[]): string {
  const hash = createHash('sha256').update(interval);
  for (const day of dayBars) hash.update(day.dataSha256);
  return hash.digest('hex');
}

/** Returns the bars of the days of a range, and those of as many days before it as `warmupRows` need. */
function barsOfDays(reader: DayReader, { fromMs, toMs, warmupRows = 0 }: BarRange): DayBars[] {
  const { days } = reader;
  const runDays = days.filter((day) => dayStart(day) + DAY_MS > (fromMs ?? -Infinity) && dayStart(day) < (toMs ?? Infinity));
  const dayBars = runDays.map((day) => readDay(reader, day));
  let dayIndex = runDays.length === 0 ? 0 : days.indexOf(runDays[0]!);
  let rowsBefore = dayBars.length === 0 || fromMs === undefined ? 0 : firstRowAtOrAfter(dayBars[0]!.rows.openMs, fromMs);
  while (dayBars.length > 0 && rowsBefore < warmupRows && dayIndex > 0) {
    const earlier = readDay(reader, days[--dayIndex]!);
    dayBars.unshift(earlier);
    rowsBefore += earlier.rows.openMs.length;
  }
  return dayBars;
}

/** Returns the note about the bars of a feed: from how many trades they were made, and in how many of them trades are missing. */
function noteOf({ interval, symbol }: BarKey, dayBars: readonly DayBars[], thinBars: number): string {
  const trades = dayBars.reduce((sum, day) => sum + day.trades, 0);
  const dayCount = dayBars.length === 1 ? 'one day' : `${wholeText(dayBars.length)} days`;
  const thinText = thinBars === 0 ? '' : `; trades are missing in ${thinBars === 1 ? 'one' : wholeText(thinBars)} of the bars`;
  return `the ${interval} bars of ${symbol} were made from ${wholeText(trades)} trades of ${dayCount}${thinText}`;
}

/** The days of trades of one instrument, and the rule of their bars. */
export interface DayReader {
  readonly folder: string;
  /** All days of the catalog, also those outside the run. */
  readonly days: readonly string[];
  readonly rule: TradeBarRule;
  readonly instrument: NonNullable<ReturnType<typeof readInstrument>>;
  readonly where: string;
}

/** The bars of one day. */
export interface DayBars {
  readonly rows: TradeBarRows;
  readonly trades: number;
  readonly path: string;
  readonly dataSha256: string;
}

/** Builds the bars of one day. Only the trades of this day are in memory. */
export function readDay({ folder, days, rule, instrument, where }: DayReader, day: string): DayBars {
  const path = dayPath(folder, day);
  const fileHash = createHash('sha256');
  const trades = readTradeDay(folder, day, fileHash)!;
  noteHash(path, fileHash.digest('hex'));
  const dayIndex = days.indexOf(day);
  const startMs = dayStart(day);
  const dayContext = {
    // Trades before the first one of the catalog are unknown.
    openMs: dayIndex === 0 ? trades.timeMs[0]! : startMs,
    startMs,
    isOver: dayIndex + 1 < days.length,
    lastId: dayIndex === 0 ? null : tradeDayOf(folder, days[dayIndex - 1]!).lastId,
  };
  try {
    const rows = barsOfDay(trades, rule, instrument, dayContext);
    return { rows, trades: trades.length, path, dataSha256: tradeDayOf(folder, day).dataSha256 };
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${where}: ${error.message}`, error.remedy) : error;
  }
}

/** Returns one column of all days. */
function joinColumn(dayBars: readonly DayBars[], name: Exclude<keyof TradeBarRows, 'thin'>): Float64Array {
  const joinedColumn = new Float64Array(dayBars.reduce((sum, { rows }) => sum + rows.openMs.length, 0));
  let row = 0;
  for (const { rows } of dayBars) {
    joinedColumn.set(rows[name], row);
    row += rows[name].length;
  }
  return joinedColumn;
}
