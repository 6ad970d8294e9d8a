// Downloads the newest bars of an exchange into the catalog: checks them, joins them to the stored bars and reports what is missing.

import { existsSync } from 'node:fs';
import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { appendBars, newestRows, type AppendedBars, type RevisedRule } from '../../adapters/catalog/bars/appendBars.ts';
import { readEntry, readInstrument } from '../../adapters/catalog/bars/catalog.ts';
import { resampleInto } from '../../adapters/catalog/bars/loadFeed.ts';
import { barsPath, checkSymbol, type BarKey } from '../../adapters/catalog/files/paths.ts';
import type { GapManifest } from '../../adapters/catalog/bars/barQuality.ts';
import { barWindow, columnsOfBars, MAX_KLINES, type KlineWindow, type MarketBar } from '../../adapters/exchange/klines/klineWindow.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import { barsBetween, closeOf, openOf, type CommonInterval, type Interval } from '../../model/interval.ts';
import { formatMinute } from '../../model/time.ts';
import { wireSources } from '../../protocol/dialect.ts';
import { changedFields, proposedFor, instrumentRecordOf, storeContract, type ListedInstrument } from './listedInstruments.ts';
import { answerTo, askTime, listedIn, listMarket, NoAnswer, type MarketService } from './marketService.ts';

/** What a caller may choose about a download. */
export interface DownloadOptions {
  readonly catalog: string;
  /** Leaves out bars that open before this time, ms UTC; null: takes all. */
  readonly fromMs: number | null;
  readonly revised: RevisedRule;
  /** Called with the current set and the number of finished ones. */
  readonly onProgress?: (key: BarKey, done: number) => void;
}

/** Consecutive bars that the exchange does not have. */
export interface Hole {
  /** Open time of the first missing bar, ms UTC. */
  readonly fromMs: number;
  readonly bars: number;
}

/** The result for one set. */
export interface DownloadedSet extends BarKey, AppendedBars {
  readonly kind: 'stored';
  /** Path of the downloaded bars. */
  readonly path: string;
  /** Interval of the klines. It differs from the requested one if the exchange does not have that. */
  readonly from: Interval;
  /** Number of closed bars from the exchange. */
  readonly rows: number;
  /** Rows that are invalid or contradict each other. */
  readonly refused: readonly string[];
  /** Gap between the newest stored bar and the oldest available one. */
  readonly hole: Hole | null;
  /** The bars of `interval`, resampled from those of `from`. Null: both are the same, nothing changed, or no bar is complete yet. */
  readonly created: { readonly path: string; readonly manifest: GapManifest } | null;
  readonly instrumentChanges: readonly string[];
  /** The rule for revised bars. */
  readonly rule: RevisedRule;
}
/** A series that could not be downloaded. */
export interface FailedSet extends BarKey {
  readonly kind: 'failed';
  readonly problem: string;
  readonly remedy: string;
}

interface MarketFacts {
  readonly listed: ReadonlyMap<string, ListedInstrument>;
  readonly serverMs: number;
}

/**
 * Downloads the newest bars of each set, one after the other. If the exchange does not reply for a set, only that set fails. Throws
 * ConfigError for an invalid request, before anything is stored, and for a catalog that does not match the bars.
 */
export async function downloadBars(
  service: MarketService,
  sets: readonly BarKey[],
  options: DownloadOptions,
): Promise<readonly (DownloadedSet | FailedSet)[]> {
  const factsByMarket = new Map<Market, Promise<MarketFacts | NoAnswer>>();
  const readFacts = (market: Market) => {
    const facts = factsByMarket.get(market) ?? orNoAnswer(marketFacts(service, market));
    factsByMarket.set(market, facts);
    return facts;
  };
  for (const key of sets) {
    const facts = await readFacts(key.market);
    if (facts instanceof NoAnswer) continue;
    listedIn(facts.listed, key.market, checkSymbol(key.symbol));
    checkReach(service, key, facts.serverMs, options);
  }
  const results: (DownloadedSet | FailedSet)[] = [];
  for (const key of sets) {
    options.onProgress?.(key, results.length);
    const facts = await readFacts(key.market);
    const set = facts instanceof NoAnswer ? facts : await orNoAnswer(downloadSet(service, key, facts.listed, options));
    results.push(set instanceof NoAnswer ? { ...key, kind: 'failed', problem: set.message, remedy: set.remedy } : set);
  }
  return results;
}

/** Returns the result of `work`, or the NoAnswer that it throws. */
async function orNoAnswer<T>(work: Promise<T>): Promise<T | NoAnswer> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NoAnswer) return error;
    throw error;
  }
}

async function marketFacts(service: MarketService, market: Market): Promise<MarketFacts> {
  return { listed: await listMarket(service, market), serverMs: await askTime(service, market) };
}

/**
 * Returns the kline intervals from which the bars of a set can be made, the best first. The set's own interval comes first. Longer ones
 * come before shorter ones, because they reach back further.
 */
function klineIntervals({ dialect }: MarketService, { market, interval }: BarKey): readonly CommonInterval[] {
  const intervals = wireSources(market, interval, dialect);
  if (intervals.length > 0) return intervals;
  throw new ConfigError(
    `--interval: the ${market} market has no ${interval} bars, and none to make them of`,
    'choose a longer interval, or import files: isobar data import',
  );
}

/** Throws ConfigError for a start that neither the catalog nor the exchange can cover. */
function checkReach(service: MarketService, key: BarKey, serverMs: number, { catalog, fromMs }: DownloadOptions): void {
  const [from] = klineIntervals(service, key);
  if (fromMs === null || from === undefined) return;
  const reachMs = oldestOpen(from, serverMs);
  if (openOf(from, fromMs) >= reachMs) return;
  const stored = { ...key, interval: from };
  const entry = existsSync(barsPath(catalog, stored)) ? readEntry(catalog, stored) : null;
  if (entry && entry.firstMs <= fromMs && closeOf(from, entry.lastMs) >= reachMs) return;
  throw new ConfigError(
    `--from: expected ${formatMinute(reachMs)} or later for ${key.symbol} ${key.interval}, got ${formatMinute(fromMs)}: ` +
      `the API gives the newest ${MAX_KLINES} klines and takes no time`,
    'leave --from out, and import older bars from public archives: isobar data import FILE',
  );
}

/** Returns the open time of the oldest bar in a reply whose newest bar is the current one. */
function oldestOpen(interval: Interval, serverMs: number): number {
  let openMs = openOf(interval, serverMs);
  for (let row = 1; row < MAX_KLINES; row++) openMs = openOf(interval, openMs - 1);
  return openMs;
}

/** Downloads the bars of one series that the catalog lacks. */
async function downloadSet(
  service: MarketService,
  key: BarKey,
  listed: ReadonlyMap<string, ListedInstrument>,
  { catalog, fromMs, revised }: DownloadOptions,
): Promise<DownloadedSet> {
  const { market, symbol, interval } = key;
  const window = await readNewest(service, key);
  const { interval: from, closed, refused } = window;
  const listing = listedIn(listed, market, symbol);
  const previous = readInstrument(catalog, market, symbol);
  const requested = closed.filter(({ openMs }) => fromMs === null || openMs >= fromMs);
  const fineKey = { ...key, interval: from };
  if (requested.length === 0 && !existsSync(barsPath(catalog, fineKey))) {
    throw new NoAnswer(
      `${market}.klines: no ${from} bar of ${symbol} has closed yet`,
      fromMs === null ? 'wait for the first' : 'wait, or leave --from out',
    );
  }
  const hole = holeBefore(catalog, fineKey, window);
  const instrument = refreshRecord(listing, previous, requested);
  const appended = appendBars(catalog, { listedInstrument: instrument, interval: from }, columnsOfBars(requested), revised);
  if (listing.contract) storeContract(catalog, listing.contract);
  return {
    kind: 'stored',
    ...key,
    ...appended,
    path: barsPath(catalog, fineKey),
    from,
    rows: closed.length,
    refused,
    hole,
    created: from === interval ? null : remake(catalog, key, from, appended.isWritten),
    instrumentChanges: previous ? changedFields(previous, appended.instrument) : [],
    rule: revised,
  };
}

/**
 * Returns the newest bars of the first interval for which the exchange has any. An exchange may return nothing for an interval that it
 * lists.
 */
async function readNewest(service: MarketService, key: BarKey): Promise<KlineWindow> {
  const { market, symbol } = key;
  for (const interval of klineIntervals(service, key)) {
    // Read the time before the klines, so that bars closed by then are closed in the reply.
    const serverMs = await askTime(service, market);
    const limit = MAX_KLINES;
    const listing =
      market === 'spot'
        ? await answerTo(service, 'spot.klines', { symbol, interval, limit })
        : await answerTo(service, 'futures.klines', { contractName: symbol, interval, limit });
    if (listing.rows.length + listing.refused.length > 0) return barWindow(listing, interval, limit, serverMs);
  }
  throw new NoAnswer(
    `${market}.klines: the exchange has no bars of ${symbol}`,
    `it may not be traded yet: isobar api ${market}.ticker shows`,
  );
}

/** Returns the gap between the newest stored bar and the oldest downloaded one; null without a gap. */
function holeBefore(catalog: string, key: BarKey, { interval, closed, isFull }: KlineWindow): Hole | null {
  const lastMs = newestRows(catalog, key, 1).openMs[0];
  const [first] = closed;
  if (lastMs === undefined || first === undefined || !isFull) return null;
  const bars = barsBetween(interval, lastMs, first.openMs) - 1;
  return bars > 0 ? { fromMs: closeOf(interval, lastMs), bars } : null;
}

/** Returns the stored record, or a proposed one, with the terms of the listing. */
function refreshRecord(listing: ListedInstrument, previous: Instrument | null, bars: readonly MarketBar[]): Instrument {
  const lowest = smallestOf(bars.map(({ low }) => low));
  const highest = largestOf(bars.map(({ high }) => high));
  return instrumentRecordOf(listing, previous ?? proposedFor(listing, lowest, highest));
}

/** Resamples the longer bars. Returns null if the shorter ones have not changed or no longer bar is complete. */
export function remake(catalog: string, key: BarKey, from: Interval, hasChanged: boolean): DownloadedSet['created'] {
  const fineKey = { ...key, interval: from };
  const { firstMs, lastMs } = readEntry(catalog, fineKey);
  const isWhole = closeOf(key.interval, openOf(key.interval, firstMs)) <= closeOf(from, lastMs);
  if (!isWhole || (!hasChanged && existsSync(barsPath(catalog, key)))) return null;
  return { path: barsPath(catalog, key), manifest: resampleInto(catalog, key, { from }).manifest };
}
