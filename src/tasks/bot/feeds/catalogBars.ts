// Loads the bars of the catalog with which a live bot starts.

import { existsSync } from 'node:fs';
import { loadBars } from '../../../adapters/catalog/bars/catalog.ts';
import { loadFeed } from '../../../adapters/catalog/bars/loadFeed.ts';
import { catalogStore } from '../../../adapters/catalog/bars/barStore.ts';
import { barsPath, type BarKey } from '../../../adapters/catalog/files/paths.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { typicalLengthMs } from '../../../model/interval.ts';

/** Maximum number of bars that are taken from the catalog. They come before the newest 300 of the exchange and suffice for the longest indicator. */
const MAX_CATALOG_ROWS = 5000;

/**
 * Returns the newest bars of the catalog that have closed by `atMs`, exchange time; null if it has none. A paper exchange that replays bars
 * has a clock of its own, and the catalog may have bars that are later than that clock. An interval that the catalog lacks is built from shorter ones.
 */
export function catalogBars(catalog: string, key: BarKey, instrument: Instrument, atMs: number): BarColumns | null {
  const bars = existsSync(barsPath(catalog, key)) ? loadBars(catalog, key).bars : builtBars(catalog, key, atMs);
  return bars === null ? null : { ...closedBars(bars, atMs), instrument };
}

/** Returns bars that are built from shorter ones of the catalog. Null if it has none. */
function builtBars(catalog: string, key: BarKey, atMs: number): BarColumns | null {
  try {
    return loadFeed(catalogStore(catalog), key, { fromMs: atMs - MAX_CATALOG_ROWS * typicalLengthMs(key.interval), toMs: atMs }).bars;
  } catch (error) {
    // The catalog has no shorter bars either, or none of this time. The newest bars come from the exchange.
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** Returns the bars that have closed by `atMs`, at most MAX_CATALOG_ROWS of them. */
function closedBars(bars: BarColumns, atMs: number): BarColumns {
  let endRow = bars.length;
  while (endRow > 0 && bars.closeMs[endRow - 1]! > atMs) endRow--;
  const fromRow = Math.max(0, endRow - MAX_CATALOG_ROWS);
  const column = (values: Float64Array) => values.subarray(fromRow, endRow);
  return {
    instrument: bars.instrument,
    interval: bars.interval,
    length: endRow - fromRow,
    openMs: column(bars.openMs),
    closeMs: column(bars.closeMs),
    open: column(bars.open),
    high: column(bars.high),
    low: column(bars.low),
    close: column(bars.close),
    volume: column(bars.volume),
  };
}
