// Where things lie in a catalog, and what names them.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import type { Market } from '../../../model/instrument.ts';
import { INTERVALS, type Interval } from '../../../model/interval.ts';
import { MARK_INTERVALS, type MarkInterval } from './markInterval.ts';

export const DEFAULT_CATALOG = 'data';
const STAGING = '.import';

/** What names a file of the catalog. `symbol` is the name on the wire. */
export interface BarKey {
  readonly market: Market;
  readonly symbol: string;
  readonly interval: Interval;
}

/** 1m and 1M would be one file where file names ignore case, so a month is spelt out. */
const fileStem = (interval: Interval): string => (interval === '1M' ? '1month' : interval);
const symbolFolder = (catalog: string, market: Market, symbol: string): string => join(catalog, market, symbol);
export const barsPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.arrow`);
export const manifestPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.gaps.json`);
/** Rows of files that an import set aside, unless it was told another place for them. */
export const rejectsPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.rejects.csv`);
/** Which files the bars came from. */
export const importsPath = (catalog: string, key: BarKey): string =>
  join(symbolFolder(catalog, key.market, key.symbol), `${fileStem(key.interval)}.imports.json`);
/** Folder of what an import has read and not yet stored. */
export const stagingPath = (catalog: string, key: BarKey): string =>
  join(catalog, STAGING, `${key.market}-${key.symbol}-${fileStem(key.interval)}`);
/** Held while bars of the symbol are stored: the record is that of all its intervals. */
export const lockPath = (catalog: string, key: Pick<BarKey, 'market' | 'symbol'>): string =>
  join(catalog, STAGING, `${key.market}-${key.symbol}.lock`);
export const instrumentPath = (catalog: string, market: Market, symbol: string): string =>
  join(symbolFolder(catalog, market, symbol), 'instrument.json');

/** What a catalog has of a contract beside its bars: klines of its mark price, of an interval, and its funding rates. */
export type SeriesKey =
  | { readonly kind: 'mark'; readonly symbol: string; readonly interval: MarkInterval }
  | { readonly kind: 'funding'; readonly symbol: string };
export const seriesPath = (catalog: string, key: SeriesKey): string =>
  join(symbolFolder(catalog, 'futures', key.symbol), key.kind === 'mark' ? `mark-${key.interval}.arrow` : 'funding.arrow');

/** The series of all contracts, by symbol; of each its marks by length of interval, then its funding. */
export function listSeries(catalog: string): SeriesKey[] {
  return foldersIn(join(catalog, 'futures')).flatMap((symbol) => {
    const keys: SeriesKey[] = [
      ...MARK_INTERVALS.map((interval) => ({ kind: 'mark', symbol, interval }) as const),
      { kind: 'funding', symbol },
    ];
    return keys.filter((key) => existsSync(seriesPath(catalog, key)));
  });
}

/** Throws ConfigError for a symbol that cannot name a folder on every platform. */
export function checkSymbol(symbol: string, remedy = 'give it by --symbol', place = ''): string {
  if (/^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(symbol)) return symbol;
  throw new ConfigError(`${place}symbol: expected capital letters, digits, - and _ (BTCUSDT), got ${JSON.stringify(symbol)}`, remedy);
}

/** The keys of all files, by market, symbol and length of interval; an absent folder has none. */
export function listKeys(catalog: string): BarKey[] {
  const keys: BarKey[] = [];
  for (const market of ['spot', 'futures'] as const) {
    for (const symbol of foldersIn(join(catalog, market))) {
      const files = new Set(readdirSync(symbolFolder(catalog, market, symbol)));
      for (const interval of INTERVALS) if (files.has(`${fileStem(interval)}.arrow`)) keys.push({ market, symbol, interval });
    }
  }
  return keys;
}

/** Links to folders among them: bars are kept where there is room. */
function foldersIn(path: string): string[] {
  const isFolder = (name: string) => existsSync(name) && statSync(name).isDirectory();
  return isFolder(path)
    ? readdirSync(path)
        .filter((name) => isFolder(join(path, name)))
        .toSorted()
    : [];
}
