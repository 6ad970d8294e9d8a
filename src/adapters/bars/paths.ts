// Where things lie in a catalog, and what names them.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Market } from '../../model/instrument.ts';
import { INTERVALS, type Interval } from '../../model/interval.ts';

export const DEFAULT_CATALOG = 'data';

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
export const instrumentPath = (catalog: string, market: Market, symbol: string): string =>
  join(symbolFolder(catalog, market, symbol), 'instrument.json');

/** Throws ConfigError for a symbol that cannot name a folder on every platform. */
export function checkSymbol(symbol: string): string {
  if (/^[A-Z0-9][A-Z0-9_-]{0,39}$/.test(symbol)) return symbol;
  throw new ConfigError(
    `symbol: expected capital letters, digits, - and _ (BTCUSDT), got ${JSON.stringify(symbol)}`,
    'give it by --symbol',
  );
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

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  const found = readdirSync(path, { withFileTypes: true }).filter((item) => item.isDirectory());
  return found.map((item) => item.name).toSorted();
}
