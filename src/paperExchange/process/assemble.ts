// Builds an exchange from its settings: the service, the history of its markets, and their price sources.

import { smallestOf } from '../../base/number/extremes.ts';
import { assertNever } from '../../base/assert.ts';
import { toScaled } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { seededRng, type Rng } from '../../base/number/rng.ts';
import { rowsOf } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { openOf } from '../../model/interval.ts';
import { followPrices, writeHistory } from '../market/simulatedMarket.ts';
import { lotsOfQuantity, replayBars, replayTrades, randomWalk, type PriceSource, type RecordedTrades } from '../market/priceSource.ts';
import type { ReplayedRows } from '../replayed/barSeries.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import type { StoreHistory } from '../storage/exchangeStore.ts';
import { openMemoryService } from '../storage/historyArchiver.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { Service } from '../service.ts';
import type { ExchangeSettings, InstrumentPrices } from './file/settings.ts';

/** Length of the history that a new synthetic market gets, ms. */
const HISTORY_MS = 8 * 86_400_000;
/** Pace of synthetic markets: a trade every 400 ms, with a change of at most 30 millionths. */
const LIVE_PACE = { stepMs: 400, stepPpm: 30 };
/** Pace of the history of synthetic markets: a trade every 15 s, with changes scaled by the square root of the longer time. */
const HISTORY_PACE = { stepMs: 15_000, stepPpm: 180 };
/** Levels that makers quote on each side of the book. */
const LEVELS_PER_SIDE = 40;
/** The distance between two levels of the book is the price divided by this. */
const LEVELS_PER_PRICE = 10_000;
/** A trade of the coarse history stands for this many trades of the live pace, rounded: 15 s / 400 ms. */
const HISTORY_LOTS_FACTOR = 40;
/** Distance between the seeds of neighbouring instruments, a prime number. */
const SEED_STEP = 7919;
/** Distance between the seeds of one instrument at successive restarts, a prime number. */
const RESTART_SEED_STEP = 1_000_003;

/** An exchange without storage. */
const NO_STORE: StoreBinding = { history: null, restoreAndStore: () => {} };

/** The storage of an exchange, as far as its assembly needs it. */
export interface StoreBinding {
  /** What the store knows about earlier runs; null for a new exchange. */
  readonly history: StoreHistory | null;
  /** Restores the service to its last stored state and starts to store its changes. */
  readonly restoreAndStore: (service: Service) => void;
}

/** Returns the exchange, open since `startMs` or since its first opening. Throws ConfigError if its settings are invalid. */
export function assembleExchange(
  settings: ExchangeSettings,
  startMs: number,
  { history, restoreAndStore: startStoring }: StoreBinding = NO_STORE,
): Service {
  const service = openMemoryService({ ...settings.service, fundingSeed: settings.seed }, history?.lastMs ?? startMs);
  startStoring(service);
  // Events that fell due while the exchange was closed happen before the markets resume.
  service.advance(startMs);
  const rows = new Map<TradedMarket, ReplayedRows>();
  service.markets.forEach((market, index) => {
    const prices = settings.prices.get(market.instrument.id);
    if (prices?.kind === 'matchingBars') rows.set(market, history === null ? prices.rows : rowsAfter(prices.rows, history.lastMs));
    else if (prices !== undefined) {
      const rng = seededRng(settings.seed + index * SEED_STEP + (history?.restarts ?? 0) * RESTART_SEED_STEP);
      startFollowing(market, prices, service.scheduler, { rng, speed: settings.speed ?? 1, history });
    }
  });
  if (rows.size > 0) service.followRows(rows);
  return service;
}

/** Returns when an exchange opens whose markets replay rows at their own times, ms UTC; null if no market does so. */
export function rowStartMs({ prices }: ExchangeSettings): number | null {
  const starts = Array.from(prices.values(), (source) => (source.kind === 'matchingBars' ? source.fromMs : Infinity));
  const firstMs = smallestOf(starts);
  return firstMs === Infinity ? null : firstMs;
}

/** A price source that the market follows point by point. */
type PointPrices = Exclude<InstrumentPrices, { kind: 'matchingBars' }>;

/** The random numbers, the speed and the history with which a market starts. */
interface StartOptions {
  readonly rng: Rng;
  /** Factor by which recorded prices are replayed faster than they were recorded. */
  readonly speed: number;
  /** The stored history of the exchange. Null if the exchange or this market is new. */
  readonly history: StoreHistory | null;
}

/** Makes a market follow its price source. */
function startFollowing(market: TradedMarket, prices: PointPrices, scheduler: Scheduler, options: StartOptions): void {
  // A new market has no price yet, even if the exchange itself has a history.
  const history = market.referencePrice > 0 ? options.history : null;
  const { source, openingTicks, lotsPerTrade } = priceStartOf(market, prices, scheduler.nowMs, { ...options, history });
  const spacingTicks = Math.max(1, Math.round(openingTicks / LEVELS_PER_PRICE));
  const liquidity = {
    levelsPerSide: LEVELS_PER_SIDE,
    spreadTicks: Math.max(1, Math.round(spacingTicks / 2)),
    spacingTicks,
    maxLotsPerLevel: lotsPerTrade,
  };
  followPrices(market, source, { scheduler, rng: options.rng, ...liquidity, openingTicks });
}

/** The price source of a market, and the values with which its book opens. */
interface PriceStart {
  readonly source: PriceSource;
  /** Price at which the book opens, in ticks. */
  readonly openingTicks: number;
  /** Lots of one trade, and of one level of the book. */
  readonly lotsPerTrade: number;
}

/** Returns the source of a market's prices, and the price and quantity it starts with. */
function priceStartOf(market: TradedMarket, prices: PointPrices, nowMs: number, options: StartOptions): PriceStart {
  switch (prices.kind) {
    case 'synthetic':
      return startSynthetic(market, prices, nowMs, options.rng);
    case 'bars':
      return startBarSource(market, prices, nowMs, options);
    case 'trades':
      return startTradeSource(market, prices.trades, nowMs, options);
    default:
      return assertNever(prices);
  }
}

/** Shifts recorded trades in time: the first one happens now, or at the first opening of the exchange. */
function startTradeSource(market: TradedMarket, trades: RecordedTrades, nowMs: number, { speed, history }: StartOptions): PriceStart {
  if (history !== null) return resumeSource(market, replayTrades(trades, history.openedMs, speed), nowMs, history);
  return { source: replayTrades(trades, nowMs, speed), openingTicks: trades.ticks[0]!, lotsPerTrade: trades.lots[0]! };
}

/** Starts a random walk. An earlier walk becomes the history, unless the market already has a price: then its bars are known. */
function startSynthetic(
  market: TradedMarket,
  prices: Extract<InstrumentPrices, { kind: 'synthetic' }>,
  nowMs: number,
  rng: Rng,
): PriceStart {
  const { instrument } = market;
  const quantity = lotsOfQuantity(instrument, prices.quantity);
  const firstPrice = ticksOf(instrument, prices.price);
  const history = randomWalk(rng, openOf('1d', nowMs - HISTORY_MS), {
    ...HISTORY_PACE,
    firstTicks: firstPrice,
    lots: quantity * HISTORY_LOTS_FACTOR,
  });
  const price = market.referencePrice > 0 ? market.referencePrice : writeHistory(market, history, nowMs);
  return {
    source: randomWalk(rng, nowMs, { ...LIVE_PACE, firstTicks: price, lots: quantity }),
    openingTicks: price,
    lotsPerTrade: quantity,
  };
}

/** Returns a price in ticks. Throws ConfigError unless it is above 0 and has at most the digits of the instrument. */
function ticksOf({ id, priceDigits }: Instrument, price: string): number {
  const ticks = toScaled(price, priceDigits);
  if (ticks !== null && ticks > 0) return ticks;
  throw new ConfigError(`${id} price: expected a price above 0 with at most ${priceDigits} decimals, got ${price}`, 'correct the price');
}

/**
 * Starts a market with recorded bars, shifted in time so that the first replayed bar opens when the exchange first opens. Earlier bars become
 * the history of a new market.
 */
function startBarSource(
  market: TradedMarket,
  prices: Extract<InstrumentPrices, { kind: 'bars' }>,
  nowMs: number,
  { speed, history }: StartOptions,
): PriceStart {
  const { bars, firstRow } = prices;
  const historyRows = rowsOf(bars, 0, firstRow);
  const replayedRows = rowsOf(bars, firstRow, bars.length);
  if (history !== null) return resumeSource(market, replayBars(replayedRows, history.openedMs, speed), nowMs, history);
  if (historyRows.length > 0)
    writeHistory(market, replayBars(historyRows, nowMs - (replayedRows.openMs[0]! - historyRows.openMs[0]!), 1), nowMs);
  const first = replayBars(replayedRows, nowMs, speed)();
  if (first === null) throw new ConfigError(`${market.instrument.id}: no bars to replay`, 'set an earlier from');
  return { source: replayBars(replayedRows, nowMs, speed), openingTicks: first.priceTicks, lotsPerTrade: first.lots };
}

/**
 * Resumes a source after a restart. Points that fell due while the exchange was closed become history, as trades of other parties. The returned
 * source gives the later points.
 */
function resumeSource(market: TradedMarket, source: PriceSource, nowMs: number, { lastMs }: StoreHistory): PriceStart {
  let point = source();
  while (point !== null && point.timeMs <= nowMs) {
    if (point.timeMs > lastMs) {
      market.tape.klines.addTrade(point.timeMs, point.priceTicks, point.lots);
      market.referencePrice = point.priceTicks;
    }
    point = source();
  }
  const firstPoint = point;
  let isFirst = true;
  const sourceFromFirst: PriceSource = () => {
    if (!isFirst) return source();
    isFirst = false;
    return firstPoint;
  };
  return { source: sourceFromFirst, openingTicks: market.referencePrice, lotsPerTrade: firstPoint?.lots ?? 1 };
}

/** Returns the data with its first replayed row moved to the first row that had not closed at `lastMs`, the end of the earlier run. */
function rowsAfter(data: ReplayedRows, lastMs: number): ReplayedRows {
  const { bars, firstRow } = data;
  let row = firstRow;
  while (row < bars.length && bars.closeMs[row]! <= lastMs) row++;
  return { ...data, firstRow: row };
}
