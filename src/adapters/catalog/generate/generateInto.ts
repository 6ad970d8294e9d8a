// Generates synthetic bars into the catalog; for futures also marks and funding.

import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Interval } from '../../../model/interval.ts';
import { readEntry, readInstrument, storeBars } from '../bars/catalog.ts';
import { generateFunding, generateMarks } from './generateSeries.ts';
import { MARK_INTERVALS, parseMarkInterval, type MarkInterval } from '../files/markInterval.ts';
import { loadSeries, storeSeries, type SeriesEntry } from '../series/seriesStore.ts';
import { barsPath, checkSymbol, lockPath, type BarKey, type SeriesKey } from '../files/paths.ts';
import { synthesizeBars, type GeneratorOptions } from './generate.ts';
import { SYNTHETIC, type GapManifest } from '../bars/barQuality.ts';
import { whileStoreLocked } from '../files/storeLock.ts';

const REMEDY = 'choose another symbol, or another catalog (--catalog DIR)';

/**
 * Generates bars and stores them. Replaces synthetic bars of the same key. An existing record stays, with more price digits if needed.
 * Throws ConfigError if the catalog has real bars of that key.
 */
export function generateInto(catalog: string, options: GeneratorOptions): GeneratedSet {
  const { market = 'spot', interval, seed } = options;
  const symbol = checkSymbol(options.symbol);
  checkBarsSynthetic(catalog, { market, symbol, interval });
  const bars = synthesizeBars(options);
  return whileStoreLocked(lockPath(catalog, { market, symbol }), () => storeGenerated(catalog, bars, seed));
}

/** Stores generated bars, and for a contract mark prices and funding rates. Throws ConfigError if bars of another source are there. */
function storeGenerated(catalog: string, bars: BarColumns, seed: number): GeneratedSet {
  const { market, wireName: symbol } = bars.instrument;
  const { interval } = bars;
  // Check again, because another process may have stored bars meanwhile.
  checkBarsSynthetic(catalog, { market, symbol, interval });
  const storedRecord = readInstrument(catalog, market, symbol);
  const priceDigits = Math.max(storedRecord?.priceDigits ?? 0, bars.instrument.priceDigits);
  const instrument = { ...(storedRecord ?? bars.instrument), priceDigits };
  const keys: readonly SeriesKey[] =
    market === 'futures'
      ? [
          { kind: 'mark', symbol, interval: markIntervalOf(interval) },
          { kind: 'funding', symbol },
        ]
      : [];
  for (const key of keys) checkSeriesSynthetic(catalog, key);
  const manifest = storeBars(catalog, { ...bars, instrument }, SYNTHETIC);
  const columnsOf = { mark: generateMarks, funding: generateFunding };
  return { manifest, series: keys.map((key) => storeSeries(catalog, key, columnsOf[key.kind](bars, seed), true)) };
}

/** The stored result of one generation. */
export interface GeneratedSet {
  readonly manifest: GapManifest;
  /** Marks and funding of a contract; empty for spot. */
  readonly series: readonly SeriesEntry[];
}

/** Returns the interval of the mark prices that go with bars. Throws ConfigError for intervals above a day. */
function markIntervalOf(interval: Interval): MarkInterval {
  const markInterval = parseMarkInterval(interval);
  if (markInterval !== null) return markInterval;
  throw new ConfigError(
    `--interval: expected an interval up to a day, for bars of futures come with marks, got ${interval}`,
    `one of ${MARK_INTERVALS.join(' ')}`,
  );
}

/** Throws ConfigError if the catalog has real bars under this key. */
function checkBarsSynthetic(catalog: string, key: BarKey): void {
  const path = barsPath(catalog, key);
  if (existsSync(path) && !readEntry(catalog, key).synthetic) throw new ConfigError(`${path}: there are real bars`, REMEDY);
}

/** Throws ConfigError if the catalog has real rows of this series. */
function checkSeriesSynthetic(catalog: string, key: SeriesKey): void {
  const stored = loadSeries(catalog, key);
  if (stored !== null && !stored.entry.synthetic) {
    throw new ConfigError(`${stored.entry.path}: there are real ${key.kind === 'mark' ? 'mark prices' : 'funding rates'}`, REMEDY);
  }
}
