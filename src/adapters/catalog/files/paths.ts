// Paths and keys of the files in a catalog.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import { parseInterval, typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { MARK_INTERVALS, type MarkInterval } from './markInterval.ts';

/** The folder of the catalog, without an option. */
export const DEFAULT_CATALOG = 'data';
const STAGING_FOLDER = '.import';

/** Key of a file in the catalog. `symbol` is the wire name. */
export interface BarKey {
  readonly market: Market;
  readonly symbol: string;
  readonly interval: Interval;
}

/** Returns the file name of an interval, without its ending. Where case is ignored, 1m and 1M would be one file, so 1M is 1month. */
const fileStem = (interval: Interval): string => (interval === '1M' ? '1month' : interval);
const symbolFolder = (catalog: string, market: Market, symbol: string): string => join(catalog, market, symbol);
/** Returns the path of the bars of a series. */
export const barsPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.arrow`);
/** Returns the path of the gap manifest of a series. */
export const manifestPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.gaps.json`);
/** Returns the default path of the rows that an import rejected. */
export const rejectsPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.rejects.csv`);
/** Returns the path of the list of files from which the bars were imported. */
export const importsPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.imports.json`);
/** Returns the folder for files that an import has read but not stored yet. */
export const stagingPath = (catalog: string, key: BarKey): string =>
  join(catalog, STAGING_FOLDER, `${key.market}-${key.symbol}-${fileStem(key.interval)}`);
/** Returns the path of the lock that is held while bars of the symbol are stored. All intervals share one instrument record. */
export const lockPath = (catalog: string, key: Pick<BarKey, 'market' | 'symbol'>): string =>
  join(catalog, STAGING_FOLDER, `${key.market}-${key.symbol}.lock`);
/** Returns the path of the instrument record of a symbol. */
export const instrumentPath = (catalog: string, market: Market, symbol: string): string =>
  join(symbolFolder(catalog, market, symbol), 'instrument.json');

/** What a catalog has of a contract besides bars: mark price klines of an interval, and funding rates. */
export type SeriesKey =
  | { readonly kind: 'mark'; readonly symbol: string; readonly interval: MarkInterval }
  | { readonly kind: 'funding'; readonly symbol: string };
/** Returns the path of the mark prices or the funding rates of a contract. */
export const seriesPath = (catalog: string, key: SeriesKey): string =>
  join(symbolFolder(catalog, 'futures', key.symbol), key.kind === 'mark' ? `mark-${key.interval}.arrow` : 'funding.arrow');

/** Returns the series of all contracts, by symbol: marks by length of interval, then funding. */
export function listSeries(catalog: string): SeriesKey[] {
  return foldersIn(join(catalog, 'futures')).flatMap((symbol) => {
    const keys: SeriesKey[] = [
      ...MARK_INTERVALS.map((interval) => ({ kind: 'mark', symbol, interval }) as const),
      { kind: 'funding', symbol },
    ];
    return keys.filter((key) => existsSync(seriesPath(catalog, key)));
  });
}

/** Throws ConfigError for a symbol that is not a valid folder name on every platform. */
export function checkSymbol(symbol: string, remedy = 'give it by --symbol', place = ''): string {
  if (/^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(symbol)) return symbol;
  throw new ConfigError(`${place}symbol: expected capital letters, digits, - and _ (BTCUSDT), got ${JSON.stringify(symbol)}`, remedy);
}

/** Returns the keys of all files, by market, symbol and length of interval; empty if the folder is missing. */
export function listKeys(catalog: string): BarKey[] {
  const keys: BarKey[] = [];
  for (const market of ['spot', 'futures'] as const) {
    for (const symbol of foldersIn(join(catalog, market))) {
      for (const interval of listIntervals(catalog, market, symbol)) keys.push({ market, symbol, interval });
    }
  }
  return keys;
}

/** Returns the intervals of a symbol's bars, the shortest first; empty if the folder is missing. */
export function listIntervals(catalog: string, market: Market, symbol: string): readonly Interval[] {
  const folder = symbolFolder(catalog, market, symbol);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((file) => {
      const stem = file.endsWith('.arrow') ? file.slice(0, -'.arrow'.length) : '';
      const interval = parseInterval(stem);
      return interval !== null && fileStem(interval) === stem ? [interval] : [];
    })
    .toSorted((a, b) => typicalLengthMs(a) - typicalLengthMs(b));
}

/** Returns the names of the folders in `path`, sorted. Links to folders count, because bars may be on another disk. */
function foldersIn(path: string): string[] {
  const isFolder = (name: string) => existsSync(name) && statSync(name).isDirectory();
  return isFolder(path)
    ? readdirSync(path)
        .filter((name) => isFolder(join(path, name)))
        .toSorted()
    : [];
}
