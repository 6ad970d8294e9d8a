// Loads the feeds of a live bot at its start: the current instruments of the exchange, and bars from the catalog and the exchange.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import { readInstrument } from '../../../adapters/catalog/bars/catalog.ts';
import type { BarKey } from '../../../adapters/catalog/files/paths.ts';
import { barWindow, coarserWindow, MAX_KLINES, type MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import type { TradeBarTracker } from '../../../adapters/exchange/trades/tradeBarTracker.ts';
import { MAX_TRADES } from '../../../adapters/exchange/trades/tradeWindow.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import type { CommonInterval } from '../../../model/interval.ts';
import { CLEAN_QUALITY, type FeedQuality } from '../../../model/run/run.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { wireSources } from '../../../protocol/dialect.ts';
import { withFees } from '../../../definition/load/feeds.ts';
import { ppmOf } from '../../../definition/text/values.ts';
import { DEFINITION_DEFAULTS } from '../../../definition/load/withDefaults.ts';
import { whereIs } from '../../../definition/text/source.ts';
import { proposedFor, instrumentRecordOf, type ListedInstrument } from '../../download/listedInstruments.ts';
import { answerTo, askTime, listedIn, listMarket, NoAnswer, type MarketService } from '../../download/marketService.ts';
import type { FeedPlan } from '../../../definition/plan/plan.ts';
import type { LiveBehaviour, LiveConfig } from '../config/liveConfig.ts';
import { barSetIdOf, wantedFeeds, type WantedFeed } from '../config/wantedFeeds.ts';
import { rowOfFact, type BarFact } from './barFact.ts';
import { catalogBars } from './catalogBars.ts';
import { firstTradeBars, requireTradeIds, tradeBarsSince, tradeStart, type TradeStart } from '../trades/tradeStart.ts';
import { barsAfter, joinWarmup } from './warmup.ts';
import { GrowingBars, DEFAULT_CAPACITY_ROWS } from '../../../model/bars/growingBars.ts';

/** The bars of one key, and the feeds that use them. */
interface SetOfBars {
  readonly key: BarKey;
  readonly instrument: Instrument;
  /** One copy for each feed. */
  readonly copies: readonly GrowingBars[];
  /** Closed bars that a continuing lifetime does not have yet, oldest first. */
  readonly missedBars: readonly MarketBar[];
}

/** Bars from klines. */
export interface KlineSet extends SetOfBars {
  /** Interval of the klines that are requested: the same, or a finer one if the exchange does not have it. */
  readonly from: CommonInterval;
  /** Closed bars that the exchange returned at the start, oldest first. */
  readonly known: readonly MarketBar[];
  readonly trades?: undefined;
}

/** Bars from trades. */
export interface BotTradeSet extends SetOfBars {
  readonly trades: { readonly tracker: TradeBarTracker; readonly digits: TradeDigits };
}

/** The bars of one symbol and interval, polled once. Several feeds of a bot may share them. */
export type LiveSet = KlineSet | BotTradeSet;

/** The feeds of a start, with their bars. */
export interface LiveFeeds {
  readonly plans: readonly FeedPlan[];
  readonly sets: readonly LiveSet[];
  /** A venue time by which all bars of the plans and sets had closed. */
  readonly atMs: number;
  /** Sentences for the log about bars that were left out or do not exist. */
  readonly notes: readonly string[];
}

/** The klines of one symbol and interval in the exchange, and the bars of the catalog. */
interface ListedKlines extends Pick<KlineSet, 'key' | 'from' | 'instrument' | 'known'> {
  readonly catalog: BarColumns | null;
  readonly start?: undefined;
}
/** The trades of one symbol in exchange and catalog. */
interface ListedTrades extends Pick<BotTradeSet, 'key' | 'instrument'> {
  readonly start: TradeStart;
}
type ListedSet = ListedKlines | ListedTrades;

/** Instruments and bars as exchange and catalog have them. */
export interface LiveMarket {
  readonly wanted: readonly WantedFeed[];
  readonly sets: ReadonlyMap<string, ListedSet>;
  /** A venue time by which all bars of the sets had closed. */
  readonly atMs: number;
  /** Time that the venue needs after a close to build the bar, ms. */
  readonly delayMs: number;
  /** Sentences for the log about symbols that the exchange has delisted. */
  readonly notes: readonly string[];
}

/** The bars that a lifetime of the bot has received. */
export interface LifetimeBars {
  /** The warm-up bars, with which the lifetime began. */
  readonly warm: readonly BarFact[];
  /** Returns the open time of the newest bar of a feed, ms UTC; of a bar from trades its end. */
  readonly lastMs: (feedIndex: number) => number;
  /** Number of rows for which a feed needs memory: enough for all bars of the lifetime. */
  readonly rows: number;
}

/** Returns feed plans for a replay of the journal, over the recorded bars alone. Throws ConfigError for a symbol that the bot did not trade. */
export function plansFor(
  behaviour: Pick<LiveBehaviour, 'definition' | 'source'>,
  instruments: readonly Instrument[],
  { warm, rows }: Pick<LifetimeBars, 'warm' | 'rows'>,
): readonly FeedPlan[] {
  return wantedFeeds(behaviour).map(({ name, key, isExecutionOnly }, feed) => {
    const instrument = instrumentOf(key, instruments);
    if (instrument === undefined) throw new ConfigError(`${key.symbol}: the bot did not trade it`, 'name the config that the bot ran with');
    const bars = new GrowingBars(instrument, key.interval, rows + DEFAULT_CAPACITY_ROWS);
    appendWarm(bars, feed, warm);
    return { name, bars, firstRow: bars.length, quality: feedQualityOf(bars), isExecutionOnly };
  });
}

/** Returns the instrument of a key; undefined if it is not among these. */
const instrumentOf = ({ market, symbol }: BarKey, instruments: readonly Instrument[]): Instrument | undefined =>
  instruments.find((instrument) => instrument.market === market && instrument.wireName === symbol);

/**
 * Reads instruments and newest bars. `tradedInstruments`: returns the instruments of the newest start; they may since have been delisted. Throws
 * ConfigError for another symbol that the exchange does not list, and NoAnswer without a reply.
 */
export async function loadLiveMarket(
  config: LiveConfig,
  service: MarketService,
  tradedInstruments: () => readonly Instrument[],
): Promise<LiveMarket> {
  const notes: string[] = [];
  const wanted = wantedFeeds(config);
  const instrumentsByMarket = new Map<Market, ReadonlyMap<string, ListedInstrument>>();
  for (const market of config.markets) instrumentsByMarket.set(market, await listMarket(service, market));
  // Use one time for all feeds: a bar that closes while they are read belongs to the first instants of the run.
  const times = await Promise.all(config.markets.map((market) => askTime(service, market)));
  const atMs = smallestOf(times);
  const sets = new Map<string, ListedSet>();
  for (const { key, name } of wanted) {
    const id = barSetIdOf(key);
    if (sets.has(id)) continue;
    const place = whereIs(config.source, ['feeds', name]);
    const listing = instrumentsByMarket.get(key.market)!;
    const set = await readListed(config, service, listing, { key, atMs, place }).catch((error: unknown) => {
      const isUnknown = !listing.has(key.symbol) || (error instanceof NoAnswer && error.code === VENUE_CODES.badSymbol.code);
      const traded = isUnknown && !isTradeBars(key.interval) ? instrumentOf(key, tradedInstruments()) : undefined;
      if (traded === undefined) throw error;
      notes.push(`${key.symbol} ${key.interval}: the exchange does not know the symbol any more: no bars come, and its orders are refused`);
      return { key, from: klineInterval(service, key), instrument: traded, known: [], catalog: null };
    });
    sets.set(id, set);
  }
  return { wanted, sets, atMs, delayMs: config.bars.delayMs, notes };
}

/** A set of bars to read from the exchange. */
interface SetToRead {
  readonly key: BarKey;
  readonly listed: ListedInstrument;
  /** Venue time by which the bars must have closed, ms. */
  readonly atMs: number;
  /** Where the config names the feed. */
  readonly place: string;
}

/** Reads the newest bars of one symbol and interval. Throws ConfigError for a symbol that is not in the listing. */
async function readListed(
  config: LiveConfig,
  service: MarketService,
  listing: ReadonlyMap<string, ListedInstrument>,
  { key, atMs, place }: Omit<SetToRead, 'listed'>,
): Promise<ListedSet> {
  const listed = listedIn(listing, key.market, key.symbol, place);
  const readSet = isTradeBars(key.interval) ? readTrades : readKlines;
  return readSet(config, service, { key, listed, atMs, place });
}

/** Reads the newest klines of one symbol and interval, and the bars of the catalog. Throws ConfigError for an interval without klines. */
async function readKlines(config: LiveConfig, service: MarketService, { key, listed, atMs }: SetToRead): Promise<ListedKlines> {
  const catalog = catalogOf(config);
  const from = klineInterval(service, key);
  const known = await newestBars(service, key, from, atMs);
  const prices = known.flatMap(({ low, high }) => [low, high]);
  const instrument = resolveInstrument(config, catalog, listed, prices);
  return { key, from, instrument, known, catalog: catalogBars(catalog, key, instrument, atMs) };
}

/** Reads the newest trades of one symbol. Throws ConfigError for trades without ids. */
async function readTrades(config: LiveConfig, service: MarketService, { key, listed, atMs, place }: SetToRead): Promise<ListedTrades> {
  const listing = await answerTo(service, 'spot.recentTrades', { symbol: key.symbol, limit: MAX_TRADES });
  requireTradeIds(listing, key, place);
  const catalog = catalogOf(config);
  const prices = listing.rows.map(({ price }) => Number(price));
  const instrument = resolveInstrument(config, catalog, listed, prices);
  return { key, instrument, start: tradeStart(catalog, { key, instrument }, listing, atMs - config.bars.delayMs) };
}

/** Returns the feeds for the start of a new lifetime. */
export function firstFeeds(market: LiveMarket, capacityRows?: number): LiveFeeds {
  const notes = [...market.notes];
  const note = (text: string): void => {
    if (!notes.includes(text)) notes.push(text);
  };
  return liveFeeds(market, notes, (set) =>
    set.start === undefined ? firstKlines(set, note, capacityRows) : firstTrades(set, note, capacityRows),
  );
}

/** The bars of one feed at its start. */
interface FeedBars {
  readonly bars: GrowingBars;
  /** Closed bars that `bars` does not have yet, oldest first. */
  readonly missedBars: readonly MarketBar[];
  /** Builds its bars from trades; null: its bars are klines. */
  readonly tracker: TradeBarTracker | null;
}

/** Returns the bars from trades with which a feed starts. */
function firstTrades(
  { instrument, key, start }: ListedTrades,
  note: (text: string) => void,
  capacityRows = DEFAULT_CAPACITY_ROWS,
): FeedBars {
  const { tracker, bars: warm, notes } = firstTradeBars(start);
  notes.forEach(note);
  const bars = new GrowingBars(instrument, key.interval, capacityRows);
  for (const bar of warm) if (bars.hasWholeTicks(bar)) bars.append(bar);
  return { bars, missedBars: [], tracker };
}

/** Returns the bars from klines with which a feed starts: those of the catalog, followed by the newest ones of the exchange. */
function firstKlines({ key, instrument, catalog, known }: ListedKlines, note: (text: string) => void, capacityRows?: number): FeedBars {
  const joined = joinWarmup({
    instrument,
    interval: key.interval,
    catalog,
    window: known,
    ...(capacityRows === undefined ? {} : { capacityRows }),
  });
  const isYoung = known.length === 0 && joined.bars.length === 0;
  if (isYoung) note(`${key.symbol} ${key.interval}: the exchange has no bars yet; the feed begins with its first bar`);
  else if (joined.note !== null) note(joined.note);
  return { bars: joined.bars, missedBars: [], tracker: null };
}

/** Returns the feeds of a lifetime that continues: its first bars, and the bars since its newest ones. Throws ConfigError for a gap. */
export function feedsOfLifetime(market: LiveMarket, { warm, lastMs, rows }: LifetimeBars, capacityRows = DEFAULT_CAPACITY_ROWS): LiveFeeds {
  // The venue may still be building a bar that closed later. A poll brings that bar, as it would have without the stop.
  const builtMs = market.atMs - market.delayMs;
  const hasReceived = (id: string, openMs: number): boolean =>
    market.wanted.some(({ key }, feed) => barSetIdOf(key) === id && openMs <= lastMs(feed));
  const withBuiltBars = (id: string, set: ListedSet): ListedSet => {
    if (set.start !== undefined) return set;
    return { ...set, known: set.known.filter(({ openMs, closeMs }) => closeMs <= builtMs || hasReceived(id, openMs)) };
  };
  const sets = new Map([...market.sets].map(([id, set]) => [id, withBuiltBars(id, set)] as const));
  const notes = [...market.notes];
  return liveFeeds({ ...market, sets }, notes, (set, feed) => {
    const { key, instrument } = set;
    const bars = new GrowingBars(instrument, key.interval, rows + capacityRows);
    appendWarm(bars, feed, warm);
    if (set.start !== undefined) {
      const { tracker, bars: missedBars, notes: tradeNotes } = tradeBarsSince(lastMs(feed), set.start);
      for (const note of tradeNotes) if (!notes.includes(note)) notes.push(note);
      return { bars, missedBars, tracker };
    }
    const { catalog, known } = set;
    return {
      tracker: null,
      bars,
      missedBars: barsAfter(lastMs(feed), { instrument, interval: key.interval, catalog, window: known }),
    };
  });
}

/** Builds the feeds. `barsOf` returns the bars of one feed, the closed bars that it does not have yet, and the tracker of its trades (null for klines). */
function liveFeeds(
  { wanted, sets, atMs }: LiveMarket,
  notes: readonly string[],
  barsOf: (set: ListedSet, feedIndex: number) => FeedBars,
): LiveFeeds {
  const liveSets = new Map<string, LiveSet & { copies: GrowingBars[] }>();
  const plans = wanted.map(({ name, key, isExecutionOnly }, feed): FeedPlan => {
    const id = barSetIdOf(key);
    const set = sets.get(id)!;
    const { bars, missedBars, tracker } = barsOf(set, feed);
    const existing = liveSets.get(id);
    if (existing !== undefined) existing.copies.push(bars);
    else if (set.start === undefined) liveSets.set(id, { ...set, missedBars, copies: [bars] });
    else {
      const trades = { tracker: tracker!, digits: set.start.digits };
      liveSets.set(id, { key, instrument: set.instrument, missedBars, copies: [bars], trades });
    }
    return { name, bars, firstRow: bars.length, quality: feedQualityOf(bars), isExecutionOnly };
  });
  return { plans, sets: [...liveSets.values()], atMs, notes };
}

/** Appends the warm-up bars of one feed. */
function appendWarm(bars: GrowingBars, feedIndex: number, warm: readonly BarFact[]): void {
  for (const fact of warm) if (fact[0] === feedIndex) bars.append(rowOfFact(fact));
}

/** Returns the path of the catalog: relative to the current folder if it exists there, else to the config's folder. It may not exist. */
export function catalogOf({ definition, source }: Pick<LiveConfig, 'definition' | 'source'>): string {
  const path = resolve(definition.catalog ?? DEFINITION_DEFAULTS.catalog);
  return existsSync(path) ? path : resolve(source.folder, definition.catalog ?? DEFINITION_DEFAULTS.catalog);
}

/** Returns the quality of live bars. It counts only rows, because live bars are checked one by one as they arrive. */
export const feedQualityOf = ({ length }: BarColumns): FeedQuality => ({ ...CLEAN_QUALITY, rows: length });

/** Returns the interval of the klines to request: the bar's own, or a finer one. Throws ConfigError if the exchange has neither. */
function klineInterval({ dialect }: MarketService, { market, symbol, interval }: BarKey): CommonInterval {
  const [source] = wireSources(market, interval, dialect);
  if (source !== undefined) return source;
  throw new ConfigError(
    `${symbol} ${interval}: the exchange has no bars of this interval, and no finer ones to build them from`,
    'choose another interval',
  );
}

/** Returns the newest closed bars, oldest first. */
async function newestBars(
  service: MarketService,
  { market, symbol, interval }: BarKey,
  from: CommonInterval,
  atMs: number,
): Promise<readonly MarketBar[]> {
  const listing =
    market === 'spot'
      ? await answerTo(service, 'spot.klines', { symbol, interval: from, limit: MAX_KLINES })
      : await answerTo(service, 'futures.klines', { contractName: symbol, interval: from, limit: MAX_KLINES });
  const window = barWindow(listing, from, MAX_KLINES, atMs);
  return (from === interval ? window : coarserWindow(window, interval)).closed;
}

/** Returns the catalog's record of the instrument, if there is one, with the exchange's current precisions and minimums. */
function resolveInstrument(config: LiveConfig, catalog: string, listed: ListedInstrument, prices: readonly number[]): Instrument {
  const { market, symbol } = listed;
  const baseRecord = readInstrument(catalog, market, symbol) ?? proposeRecord(listed, prices);
  return withConfigFees(instrumentRecordOf(listed, baseRecord), config.definition.fees);
}

/** Powers of ten, in ticks, between which the prices of an instrument are assumed to lie: three to seven digits. */
const ASSUMED_PRICE_POWERS = [2, 7] as const;

/** Returns a proposed record of an instrument. Without prices of the market, it assumes prices of three to seven digits at the listed tick. */
function proposeRecord(listed: ListedInstrument, marketPrices: readonly number[]): Instrument {
  const assumedPrices = ASSUMED_PRICE_POWERS.map((power) => 10 ** (power - listed.priceDigits));
  const prices = marketPrices.length > 0 ? marketPrices : assumedPrices;
  return proposedFor(listed, smallestOf(prices), largestOf(prices));
}

/** Sets the fees of the config, as a backtest does. The fees of a contract belong to its contract terms. */
export function withConfigFees(instrument: Instrument, fees: LiveConfig['definition']['fees']): Instrument {
  if (fees === undefined) return instrument;
  if (instrument.contract !== undefined) return { ...instrument, contract: withFees(instrument.contract, fees) };
  const { maker, taker } = fees;
  const { makerFeePpm, takerFeePpm } = instrument;
  return {
    ...instrument,
    makerFeePpm: maker === undefined ? makerFeePpm : ppmOf(maker),
    takerFeePpm: taker === undefined ? takerFeePpm : ppmOf(taker),
  };
}
