// Loads the bars of a run: from the catalog if it has the interval, otherwise resampled from the longest shorter interval.

import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { nestedIn } from '../../../model/bars/aggregateBars.ts';
import { closeOf, typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { loadBars, readEntry, storeBars, type BarRange, type LoadedBars } from './catalog.ts';
import { type BarKey, barsPath, lockPath } from '../files/paths.ts';
import { catalogStore, type BarStore } from './barStore.ts';
import { barsOf, firstRowAtOrAfter, sliceColumns } from '../files/columns.ts';
import { qualityOf, type BarFacts, type GapManifest } from './barQuality.ts';
import { resample, type Resampled } from './resample.ts';
import { whileStoreLocked } from '../files/storeLock.ts';

/**
 * Returns the longest shorter interval of the symbol from which `key`'s bars can be built, or null. Resampled bars are excluded, because
 * they do not show which shorter bars are missing.
 */
function finerInterval(store: BarStore, key: BarKey): Interval | null {
  const isUsable = (finer: BarKey) => ['import', 'synthetic'].includes(store.factsOf(finer)?.source ?? '');
  return nestedIn(key.interval, store.intervalsOf(key)).find((interval) => isUsable({ ...key, interval })) ?? null;
}

/** Each further read for the warm-up reaches back this many times as far, and at least this many bars more. */
const LOOK_BACK_FACTOR = 4;
const MIN_LOOK_BACK_BARS = 16;

/**
 * Loads bars of a store. If it lacks the interval, builds the bars from shorter ones, equal to what `isobar data resample` would store.
 * Their quality refers to the manifest of the shorter bars. Throws ConfigError if the store has neither, or none in range.
 */
export function loadFeed(store: BarStore, key: BarKey, range: BarRange = {}, minCoverage = 0): LoadedBars {
  const from = store.factsOf(key) === null ? finerInterval(store, key) : null;
  const fineKey = { ...key, interval: from ?? key.interval };
  const fineFacts = from === null ? null : store.factsOf(fineKey);
  if (from === null || fineFacts === null) return store.load(key, range);
  // No rows in the range. Load without warm-up, so that the error message names the range itself.
  if (range.fromMs !== undefined && range.fromMs > fineFacts.lastMs) return store.load(fineKey, { fromMs: range.fromMs, toMs: range.toMs });
  const toMs = range.toMs ?? Infinity;
  const endMs = Math.min(closeOf(from, fineFacts.lastMs), toMs);
  const warmupRows = range.warmupRows ?? 0;
  // The warm-up may have gaps. Read further back until it is complete or the file begins.
  for (let barsBack = warmupRows; ; barsBack = barsBack * LOOK_BACK_FACTOR + MIN_LOOK_BACK_BARS) {
    const startMs = range.fromMs === undefined ? fineFacts.firstMs : range.fromMs - (barsBack + 1) * typicalLengthMs(key.interval);
    const fine = store.load(fineKey, { fromMs: startMs, toMs: range.toMs });
    const resampled = resample(fine.bars, key.interval, minCoverage, endMs);
    // The first resampled bar may begin before the rows that were read.
    const isFirstIncomplete = startMs > fineFacts.firstMs && resampled.bars.length > 0 && resampled.bars.openMs[0]! < startMs;
    const firstCompleteRow = isFirstIncomplete ? 1 : 0;
    const first = firstRowAtOrAfter(resampled.bars.openMs, range.fromMs ?? -Infinity);
    const start = Math.max(firstCompleteRow, first - warmupRows);
    if (first - start < warmupRows && startMs > fineFacts.firstMs) continue;
    if (first >= resampled.bars.length) throw noBars(store.nameOf(fineKey), key, range);
    return rowsFrom(resampled, start, first, fine);
  }
}

/** Returns the resampled bars from row `start` on. The run begins at row `first`. */
function rowsFrom(resampled: Resampled, start: number, first: number, fine: LoadedBars): LoadedBars {
  const { instrument, interval, length } = resampled.bars;
  const bars = barsOf(sliceColumns(resampled.bars, start, length), instrument, interval);
  const facts = { ...factsOf(resampled, fine), barsIn: resampled.barsIn.slice(start) };
  const quality = qualityOf(bars, first - start, facts, fine.quality.manifestHash);
  return { bars, firstRow: first - start, facts, quality, files: fine.files ?? [] };
}

/** Returns the facts about resampled bars. Their last bar is open if it contains the open bar of the source. */
function factsOf({ bars, barsIn }: Resampled, fine: LoadedBars): BarFacts {
  const restsOnOpenBar = fine.facts.openLastBar && bars.closeMs.at(-1) === fine.bars.closeMs.at(-1);
  return { ...fine.facts, source: 'resampled', from: fine.bars.interval, barsIn, openLastBar: restsOnOpenBar };
}

/** Returns the error for a range in which no bar of the interval both opens and closes. */
function noBars(path: string, key: BarKey, { fromMs, toMs }: BarRange): ConfigError {
  const fromText = fromMs === undefined ? 'the start' : formatMinute(fromMs);
  const toText = toMs === undefined ? 'the end' : formatMinute(toMs);
  return new ConfigError(
    `${path}: no ${key.interval} bar opens and ends between ${fromText} and ${toText}`,
    'change from and to, or import more',
  );
}

/** Resampled bars as stored. */
export interface StoredResample extends Resampled {
  readonly manifest: GapManifest;
  readonly from: Interval;
}

interface ResampleOptions {
  readonly from?: Interval | undefined;
  readonly minCoverage?: number | undefined;
}

/**
 * Builds the bars of `key` from those of `from` (default: the longest shorter interval) and stores them. Replaces earlier resampled bars,
 * never imported ones. Throws ConfigError.
 */
export function resampleInto(catalog: string, key: BarKey, options: ResampleOptions = {}): StoredResample {
  return whileStoreLocked(lockPath(catalog, key), () => resampleAll(catalog, key, options));
}

/** Resamples all finer bars of a symbol to the interval of `key`, and stores them. Throws ConfigError if imported bars are in the way. */
function resampleAll(catalog: string, key: BarKey, options: ResampleOptions): StoredResample {
  const path = barsPath(catalog, key);
  if (existsSync(path) && readEntry(catalog, key).source !== 'resampled') {
    throw new ConfigError(
      `${path}: there are bars that were not made by resampling`,
      'remove the file, or resample in another catalog (--catalog DIR)',
    );
  }
  const from = options.from ?? finerInterval(catalogStore(catalog), key);
  if (from === null) {
    throw new ConfigError(
      `${path}: the catalog has no finer bars of ${key.market} ${key.symbol} to make them from`,
      'import some: isobar data import FILE',
    );
  }
  const fine = loadBars(catalog, { ...key, interval: from });
  if (fine.facts.source === 'resampled') {
    throw new ConfigError(
      `${barsPath(catalog, { ...key, interval: from })}: resampled bars do not show what is missing below them`,
      'name the original interval by --from',
    );
  }
  const resampled = resample(fine.bars, key.interval, options.minCoverage ?? 0);
  if (resampled.bars.length === 0) throw noBars(barsPath(catalog, { ...key, interval: from }), key, {});
  return { ...resampled, from, manifest: storeBars(catalog, resampled.bars, factsOf(resampled, fine)) };
}
