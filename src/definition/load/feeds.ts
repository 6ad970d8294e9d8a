// Loads the feeds of a definition from the catalog as columns of bars.

import type { LoadedBars } from '../../adapters/catalog/bars/catalog.ts';
import { loadFeed } from '../../adapters/catalog/bars/loadFeed.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import { qualityOf } from '../../adapters/catalog/bars/barQuality.ts';
import type { BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { changedInstrument } from '../../adapters/catalog/records/instrumentRecord.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { firstAfter } from '../../base/number/search.ts';
import { rowsOf, type BarColumns } from '../../model/bars/bars.ts';
import { SharedTimes } from '../../model/bars/sharedTimes.ts';
import type { Contract } from '../../model/contract.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import { closeOf, openOf, parseFeedInterval, typicalLengthMs, type Interval } from '../../model/interval.ts';
import { formatMinute, parseTime } from '../../model/time.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import type { FeedPlan } from '../plan/plan.ts';
import { executionOnlyFeeds } from './executionInterval.ts';
import { loadTradeBars } from './tradeBarFeed.ts';
import { ppmOf } from '../text/values.ts';
import type { Definition } from '../text/schema.ts';
import { DEFINITION_DEFAULTS } from './withDefaults.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/** Number of warm-up rows before the run. It is enough for the longest usual indicator. */
const WARMUP_ROWS = 5000;

/** Times of a run or of a listing; null: no limit. */
interface FeedRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** One symbol of a feed, and the range of the run. */
interface RequestedFeed {
  readonly name: string;
  readonly feed: Definition['feeds'][string];
  readonly key: BarKey;
  readonly range: FeedRange;
}

/** Loads every feed of `definition` from `store`. Throws ConfigError naming the key whose bars are missing or unsuitable. */
export function loadFeeds(definition: Definition, source: DefinitionSource, store: BarStore, range: FeedRange): readonly FeedPlan[] {
  checkInstruments(definition, source);
  checkListings(definition, source);
  const feeds: FeedPlan[] = [];
  const knownSymbols = new KnownSymbols(store);
  const times = new SharedTimes();
  for (const [name, feed] of Object.entries(definition.feeds)) {
    const market: Market = feed.market ?? definition.market ?? DEFINITION_DEFAULTS.market;
    for (const symbol of feed.symbols ?? [feed.symbol ?? '']) {
      const interval = parseFeedInterval(feed.interval);
      if (interval === null) throw new ConfigError(`${whereIs(source, ['feeds', name, 'interval'])}: no interval '${feed.interval}'`);
      const requestedFeed: RequestedFeed = { name, feed, key: { market, symbol, interval }, range };
      if (isTradeBars(interval)) {
        feeds.push(tradeBarPlan(definition, source, store, requestedFeed));
        continue;
      }
      knownSymbols.check(market, symbol, () => whereIs(source, ['feeds', name, feed.symbols ? 'symbols' : 'symbol']));
      const plan = listedPlan(definition, source, store, requestedFeed);
      if (plan !== null) feeds.push({ ...plan, bars: times.of(plan.bars) });
    }
  }
  return [...feeds, ...executionOnlyFeeds(definition, source, store, feeds, (bars) => withOverrides(bars, definition, source))];
}

/** Returns the plan of a feed of bars for the time in which its symbol was listed; null if it was not listed during the run. */
function listedPlan(definition: Definition, source: DefinitionSource, store: BarStore, requested: RequestedFeed): FeedPlan | null {
  const { name, feed, key, range } = requested;
  const { market, symbol, interval } = key;
  const listed = listedSpan(feed.listed?.[symbol], interval);
  const listedRange = spanWithin(range, listed);
  if (listedRange === null) return null;
  const load = (fromMs: number | null): LoadedBars => {
    const rows = { fromMs: fromMs ?? undefined, toMs: listedRange.toMs ?? undefined, warmupRows: fromMs === null ? 0 : WARMUP_ROWS };
    return withoutUnlisted(loadFeed(store, key, rows, Number(feed.minCoverage ?? 0)), listed.fromMs);
  };
  const isRangeShort = isShorterThan(interval, range);
  const message = `${whereIs(source, ['feeds', name])}: no whole ${interval} bar of ${symbol} lies in the run`;
  if (isRangeShort && !hasFiner(definition, market, symbol, interval)) throw tooShortError(message, range);
  const loadedBars = isRangeShort ? loadWarmUpAlone(load, interval, range, message) : load(listedRange.fromMs);
  if (feed.minCoverage !== undefined) checkCoverage(loadedBars, feed.minCoverage, whereIs(source, ['feeds', name, 'minCoverage']));
  return {
    name,
    bars: withOverrides(loadedBars.bars, definition, source),
    firstRow: loadedBars.firstRow,
    quality: loadedBars.quality,
    files: loadedBars.files ?? [],
    ...(listed.fromMs === null ? {} : { listedFromMs: listed.fromMs }),
    ...(listed.toMs === null ? {} : { listedToMs: listed.toMs }),
    ...outdatedNote(store, key, loadedBars, range),
  };
}

/** Returns the plan of a feed of bars from trades. */
function tradeBarPlan(definition: Definition, source: DefinitionSource, store: BarStore, requested: RequestedFeed): FeedPlan {
  const { name, feed, key, range } = requested;
  const where = (setting: string): string => whereIs(source, ['feeds', name, setting]);
  if (feed.minCoverage !== undefined)
    throw new ConfigError(`${where('minCoverage')}: expected bars of a length of time, got ${key.interval}`, 'leave minCoverage out');
  const fromMs = range.fromMs ?? undefined;
  const rows = { fromMs, toMs: range.toMs ?? undefined, warmupRows: fromMs === undefined ? 0 : WARMUP_ROWS };
  const { bars, firstRow, quality, files = [], note } = loadTradeBars(store, key, rows, where('interval'));
  return { name, bars: withOverrides(bars, definition, source), firstRow, quality, files, note };
}

/** True when no complete bar of the interval fits into the run. */
function isShorterThan(interval: Interval, { fromMs, toMs }: FeedRange): boolean {
  if (fromMs === null || toMs === null) return false;
  const openMs = openOf(interval, fromMs);
  return closeOf(interval, openMs === fromMs ? openMs : closeOf(interval, openMs)) > toMs;
}

/**
 * True when the symbol has a finer feed, in which orders fill. Then the coarse feed may have only bars before the run, such as a daily
 * trend for a run of hours.
 */
function hasFiner({ feeds, market: byDefault }: Definition, market: Market, symbol: string, interval: Interval): boolean {
  return Object.values(feeds).some((feed) => {
    const otherInterval = parseFeedInterval(feed.interval);
    const isSame = (feed.market ?? byDefault ?? DEFINITION_DEFAULTS.market) === market && (feed.symbols ?? [feed.symbol]).includes(symbol);
    return isSame && otherInterval !== null && typicalLengthMs(otherInterval) < typicalLengthMs(interval);
  });
}

/** Loads the bars that open before the run, for a run without a whole bar. The last of them may close within the run. */
function loadWarmUpAlone(
  load: (fromMs: number) => LoadedBars,
  interval: Interval,
  { fromMs, toMs }: FeedRange,
  message: string,
): LoadedBars {
  const openMs = openOf(interval, fromMs!);
  const lastMs = openMs < fromMs! && closeOf(interval, openMs) <= toMs! ? openMs : openOf(interval, openMs - 1);
  const loadedBars = prefixErrors(() => load(lastMs), `${message}, and none before it`);
  const firstRow = loadedBars.bars.length;
  return { ...loadedBars, firstRow, quality: qualityOf(loadedBars.bars, firstRow, loadedBars.facts, loadedBars.quality.manifestHash) };
}

/** Runs `load`, and puts the message in front of a ConfigError. */
function prefixErrors<T>(load: () => T, message: string): T {
  try {
    return load();
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${message}: ${error.message}`, error.remedy) : error;
  }
}

/** Returns the error for a range in which a feed has too few bars. */
function tooShortError(message: string, { fromMs, toMs }: FeedRange): ConfigError {
  return new ConfigError(
    `${message}, from ${formatMinute(fromMs!)} to ${formatMinute(toMs!)}`,
    'move from and to apart, or add a feed of it of a shorter interval: that one then trades',
  );
}

/** Returns the times at which a symbol is listed. They end with its last whole bar. */
function listedSpan(
  listed: { readonly from?: string | undefined; readonly to?: string | undefined } | undefined,
  interval: Interval,
): FeedRange {
  const [fromMs, toMs] = [listed?.from, listed?.to].map((time) => (time === undefined ? null : parseTime(time)));
  return { fromMs: fromMs ?? null, toMs: toMs == null ? null : openOf(interval, toMs) };
}

/** Returns the part of the run in which a symbol is listed; null if it is not listed in the run. */
function spanWithin(range: FeedRange, listed: FeedRange): FeedRange | null {
  const fromMs = listed.fromMs === null ? range.fromMs : Math.max(listed.fromMs, range.fromMs ?? listed.fromMs);
  const toMs = listed.toMs === null ? range.toMs : Math.min(listed.toMs, range.toMs ?? listed.toMs);
  return fromMs !== null && toMs !== null && toMs <= fromMs ? null : { fromMs, toMs };
}

/** Returns the bars without those before the symbol was listed, which must not warm up indicators either. */
function withoutUnlisted(loaded: LoadedBars, fromMs: number | null): LoadedBars {
  const { bars, firstRow, facts } = loaded;
  const unlistedRows = fromMs === null ? 0 : firstAfter(bars.openMs, 0, bars.length, fromMs - 1);
  if (unlistedRows === 0) return loaded;
  const newFirstRow = Math.max(0, firstRow - unlistedRows);
  const keptRows = rowsOf(bars, unlistedRows, bars.length);
  const barFacts = facts.barsIn?.length === bars.length ? { ...facts, barsIn: facts.barsIn.slice(unlistedRows) } : facts;
  return {
    ...loaded,
    bars: keptRows,
    firstRow: newFirstRow,
    facts: barFacts,
    quality: qualityOf(keptRows, newFirstRow, barFacts, loaded.quality.manifestHash),
  };
}

/** Throws ConfigError for listings of symbols that the feed does not have, and for listings that end before they begin. */
function checkListings({ feeds }: Definition, source: DefinitionSource): void {
  for (const [name, { listed = {}, symbol, symbols = [symbol ?? ''] }] of Object.entries(feeds)) {
    for (const [listedSymbol, { from, to }] of Object.entries(listed)) {
      const where = whereIs(source, ['feeds', name, 'listed', listedSymbol]);
      const nearest = nearestName(listedSymbol, symbols);
      if (!symbols.includes(listedSymbol)) {
        throw new ConfigError(
          `${where}: the feed has no symbol ${listedSymbol}`,
          nearest === null ? 'correct or remove it' : `did you mean ${nearest}?`,
        );
      }
      if (from !== undefined && to !== undefined && parseTime(to)! <= parseTime(from)!) {
        throw new ConfigError(`${where}: ${listedSymbol} is listed from ${from} to ${to}, which is not later`, 'correct the times');
      }
    }
  }
}

/** Throws ConfigError for an override of a symbol that no feed has, because it would have no effect. */
function checkInstruments({ feeds, instruments = {} }: Definition, source: DefinitionSource): void {
  const tradedSymbols = Object.values(feeds).flatMap((feed) => feed.symbols ?? [feed.symbol ?? '']);
  const unusedSymbol = Object.keys(instruments).find((symbol) => !tradedSymbols.includes(symbol));
  if (unusedSymbol === undefined) return;
  const nearest = nearestName(unusedSymbol, tradedSymbols);
  const hint = nearest === null ? '' : `, the nearest is ${nearest}`;
  throw new ConfigError(
    `${whereIs(source, ['instruments', unusedSymbol])}: no feed of the run is of ${unusedSymbol}${hint}`,
    `the symbols are ${[...new Set(tradedSymbols)].join(', ')}`,
  );
}

/** The symbols of a store by market. The store is listed only once, because a run may have hundreds of symbols. */
class KnownSymbols {
  readonly #store: BarStore;
  readonly #symbols = new Map<Market, ReadonlySet<string>>();
  #keys: readonly BarKey[] | null = null;

  constructor(store: BarStore) {
    this.#store = store;
  }

  /** Throws ConfigError for a symbol that the store does not have, and names the nearest one. */
  check(market: Market, symbol: string, where: () => string): void {
    const symbols = this.#of(market);
    if (symbols.has(symbol)) return;
    const { kind, name, remedy } = this.#store;
    const nearest = nearestName(symbol, [...symbols]);
    const available = symbols.size === 0 ? `no ${market} bars at all` : [...symbols].slice(0, 12).join(', ');
    throw new ConfigError(
      `${where()}: unknown symbol ${symbol}${nearest === null ? '' : `, the nearest in ${kind} is ${nearest}`}`,
      `${name} has ${available}; ${remedy}`,
    );
  }

  /** Returns the symbols of a market that the store has. */
  #of(market: Market): ReadonlySet<string> {
    this.#keys ??= this.#store.keys();
    let symbols = this.#symbols.get(market);
    if (symbols === undefined) {
      symbols = new Set(this.#keys.filter((key) => key.market === market).map((key) => key.symbol));
      this.#symbols.set(market, symbols);
    }
    return symbols;
  }
}

/** Throws ConfigError if resampled bars have a lower coverage than the setting, or if the bars have no coverage at all. */
function checkCoverage({ facts, bars, quality }: LoadedBars, minCoverage: string, where: string): void {
  if (facts.barsIn === null) {
    throw new ConfigError(
      `${where}: expected bars made from finer ones, got ${bars.interval} bars as they were imported`,
      'leave minCoverage out',
    );
  }
  if (quality.thinBars === 0 || facts.from === null) return;
  const maxCount = facts.barsIn.reduce((highest, count) => Math.max(highest, count), 0);
  if (facts.barsIn.some((count) => count < maxCount * Number(minCoverage))) {
    throw new ConfigError(
      `${where}: the catalog holds ${bars.interval} bars that were made with a lower coverage than ${minCoverage}`,
      `make them again: isobar data resample --symbol ${bars.instrument.wireName} --interval ${bars.interval} --min-coverage ${minCoverage}`,
    );
  }
}

/** Returns a note if resampled bars are older than the finer ones in the catalog, so that the run ends early or begins late. */
function outdatedNote(store: BarStore, key: BarKey, { facts: { from } }: LoadedBars, range: FeedRange): { readonly note?: string } {
  const coarseFacts = store.factsOf(key);
  const fineFacts = from === null ? null : store.factsOf({ ...key, interval: from });
  if (from === null || coarseFacts === null || fineFacts === null) return {};
  const { interval, symbol } = key;
  const endMs = closeOf(interval, coarseFacts.lastMs);
  const hasLater = closeOf(interval, endMs) <= Math.min(closeOf(from, fineFacts.lastMs), range.toMs ?? Infinity);
  const hasEarlier =
    closeOf(interval, openOf(interval, fineFacts.firstMs)) <= coarseFacts.firstMs && (range.fromMs ?? -Infinity) < coarseFacts.firstMs;
  if (!hasLater && !hasEarlier) return {};
  const [verb, barsMs, fineMs] = hasLater
    ? ['end', endMs, closeOf(from, fineFacts.lastMs)]
    : ['begin', coarseFacts.firstMs, fineFacts.firstMs];
  const remedy = `isobar data resample --symbol ${symbol} --interval ${interval} makes them again`;
  const below = `the ${from} bars below them at ${formatMinute(fineMs)}`;
  return { note: `the ${interval} bars of ${symbol} ${verb} at ${formatMinute(barsMs)}, ${below}: ${remedy}` };
}

/** Returns the bars with the overrides that `instruments:` has for their instrument. */
function withOverrides(bars: BarColumns, definition: Definition, source: DefinitionSource): BarColumns {
  const { instrument } = bars;
  const { contract } = instrument;
  const changes = definition.instruments?.[instrument.wireName];
  if (contract !== undefined && definition.fees !== undefined) {
    return { ...bars, instrument: { ...overrideRecord(bars, changes, source), contract: withFees(contract, definition.fees) } };
  }
  return changes === undefined ? bars : { ...bars, instrument: overrideRecord(bars, changes, source) };
}

/** Returns the contract with the fees of the definition, for opening and for closing. */
export function withFees(contract: Contract, { maker, taker }: NonNullable<Definition['fees']>): Contract {
  const makerFees = maker === undefined ? {} : { openMakerFeePpm: ppmOf(maker), closeMakerFeePpm: ppmOf(maker) };
  const takerFees = taker === undefined ? {} : { openTakerFeePpm: ppmOf(taker), closeTakerFeePpm: ppmOf(taker) };
  return { ...contract, ...makerFees, ...takerFees };
}

type InstrumentChanges = NonNullable<Definition['instruments']>[string] | undefined;

/** Returns the instrument with the changes that the definition makes. Throws ConfigError for one that contradicts the bars. */
function overrideRecord({ instrument }: BarColumns, changes: InstrumentChanges, source: DefinitionSource): Instrument {
  if (changes === undefined) return instrument;
  const where = (key: string) => whereIs(source, ['instruments', instrument.wireName, key]);
  if (changes.pricePrecision !== undefined && changes.pricePrecision < instrument.priceDigits) {
    throw new ConfigError(
      `${where('pricePrecision')}: expected at least ${instrument.priceDigits}, the digits of the bars in the catalog, got ${changes.pricePrecision}`,
      'import the bars again with --instrument FILE --round-to-tick',
    );
  }
  return changedInstrument(instrument, changes, where);
}
