// Defines the columns of trades in the catalog, and the paths of their files.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Market } from '../../../model/instrument.ts';
import { formatTime, parseTime } from '../../../model/time.ts';

/** Identifies the trades of one instrument in a catalog. */
export interface TradeKey {
  readonly market: Market;
  /** The wire name. */
  readonly symbol: string;
}

/** `trades`: one row for each trade. `aggregates`: one row for the trades of one taker at one price. Each kind has its own ids. */
export type TradeKind = 'trades' | 'aggregates';

/**
 * Columns of equal length, by time and then id. Prices and quantities are whole numbers: units of 10^-priceDigits and 10^-quantityDigits.
 */
export interface TradeColumns {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly id: Float64Array;
  readonly price: Float64Array;
  readonly quantity: Float64Array;
  /** The side of the taker: 1 a buyer, -1 a seller, 0 unknown. */
  readonly takerSide: Int32Array;
  readonly priceDigits: number;
  readonly quantityDigits: number;
}

const instrumentFolder = (catalog: string, { market, symbol }: TradeKey): string => join(catalog, market, symbol);
/** Returns the folder with one file for each UTC day. */
export const tradesFolder = (catalog: string, key: TradeKey): string => join(instrumentFolder(catalog, key), 'trades');
/** Returns the path of the manifest of the trades of an instrument. */
export const tradesManifestPath = (catalog: string, key: TradeKey): string => join(instrumentFolder(catalog, key), 'trades.gaps.json');
/** Returns the folder for days that an import of the process `pid` has read but not stored yet. */
export const tradesStaging = (catalog: string, key: TradeKey, pid: number): string =>
  join(catalog, '.import', `${key.market}-${key.symbol}-trades-${pid}`);

/** Returns the UTC day of a time, such as `2024-01-31`. */
export const dayOf = (timeMs: number): string => formatTime(timeMs).slice(0, 10);
/** Returns the start of a UTC day in ms. */
export const dayStart = (day: string): number => parseTime(day) ?? NaN;
/** Returns the path of the file of a day. */
export const dayPath = (folder: string, day: string): string => join(folder, `${day}.arrow`);

const DAY_FILE = /^(\d{4}-\d\d-\d\d)\.arrow$/;

/** Returns the days for which a folder has a file, oldest first. */
export function daysIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => DAY_FILE.exec(name)?.[1] ?? [])
    .toSorted();
}

/** Returns the keys of all trades in the catalog, by market and symbol. */
export function listTradeKeys(catalog: string): TradeKey[] {
  return (['spot', 'futures'] as const).flatMap((market) => {
    const folder = join(catalog, market);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .toSorted()
      .map((symbol) => ({ market, symbol }))
      .filter((key) => daysIn(tradesFolder(catalog, key)).length > 0);
  });
}
