// Builds an exchange from its settings: the service, the history of its markets, and their price sources.

import { assertNever } from '../../base/assert.ts';
import { toScaled } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { seededRng, type Rng } from '../../base/number/rng.ts';
import { rowsOf } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { openOf } from '../../model/interval.ts';
import { followPrices, writeHistory } from '../market/simulatedMarket.ts';
import { lotsOfQuantity, replayBars, replayTrades, walk, type PriceSource, type RecordedTrades } from '../market/priceSource.ts';
import type { RowData } from '../replayed/barSeries.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import type { StoreHistory } from '../storage/exchangeStore.ts';
import { openService } from '../storage/persistence.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { Service } from '../service.ts';
import type { ExchangeSettings, PriceSettings } from './file/settings.ts';

const HISTORY_MS = 8 * 86_400_000;
/** Pace of synthetic markets: a trade every 400 ms, with a change of at most 30 millionths. */
const LIVE_PACE = { stepMs: 400, stepPpm: 30 };
/** Pace of their history, which is coarser: a trade every 15 s, with changes scaled by the square root of the time. */
const HISTORY_PACE = { stepMs: 15_000, stepPpm: 180 };
const LEVELS_PER_SIDE = 40;
/** Distance between the seeds of neighbouring instruments. */
const SEED_STEP = 7919;
/** Distance between the seeds of one instrument at successive restarts. */
const RESTART_STEP = 1_000_003;

/** An exchange without storage. */
const NO_STORE: StoreBinding = { history: null, begin: () => {} };

/** The storage of a persistent exchange: its history, and a function that restores a service to its last state. */
export interface StoreBinding {
  readonly history: StoreHistory | null;
  readonly begin: (service: Service) => void;
}

/** Returns the exchange, open since `startMs` or since its first opening. Throws ConfigError if its settings are invalid. */
export function assembleExchange(
  settings: ExchangeSettings,
  startMs: number,
  { history, begin: startStoring }: StoreBinding = NO_STORE,
): Service {
  const service = openService({ ...settings.service, fundingSeed: settings.seed }, history?.lastMs ?? startMs);
  startStoring(service);
  // Events that fell due while the exchange was closed happen before the markets resume.
  service.advance(startMs);
  const rows = new Map<TradedMarket, RowData>();
  service.markets.forEach((market, index) => {
    const prices = settings.prices.get(market.instrument.id);
    if (prices?.kind === 'rows') rows.set(market, history === null ? prices.rows : rowsAfter(prices.rows, history.lastMs));
    else if (prices !== undefined) {
      const rng = seededRng(settings.seed + index * SEED_STEP + (history?.restarts ?? 0) * RESTART_STEP);
      startFollowing(market, prices, service.scheduler, { rng, speed: settings.speed ?? 1, history });
    }
  });
  if (rows.size > 0) service.followRows(rows);
  return service;
}

/** Returns the opening time of an exchange that replays bars, which have their own time; null if no market does. */
export function rowStartMs({ prices }: ExchangeSettings): number | null {
  const starts = Array.from(prices.values(), (source) => (source.kind === 'rows' ? source.fromMs : Infinity));
  const firstMs = Math.min(...starts);
  return firstMs === Infinity ? null : firstMs;
}

/** A price source that the market follows point by point. */
type PointPrices = Exclude<PriceSettings, { kind: 'rows' }>;

/** How a market begins. */
interface StartOptions {
  readonly rng: Rng;
  /** How many times as fast as they were recorded prices are replayed. */
  readonly speed: number;
  /** What the exchange, or this market, was when it ended last. Null when it is new. */
  readonly history: StoreHistory | null;
}

/** Makes a market follow its price source. */
function startFollowing(market: TradedMarket, prices: PointPrices, scheduler: Scheduler, options: StartOptions): void {
  // A new market has no price yet, even if the exchange itself has a history.
  const history = market.referencePrice > 0 ? options.history : null;
  const { source, price, quantity } = priceStartOf(market, prices, scheduler.nowMs, { ...options, history });
  const spacing = Math.max(1, Math.round(price / 10_000));
  const liquidity = { levels: LEVELS_PER_SIDE, spread: Math.max(1, Math.round(spacing / 2)), spacing, lots: quantity };
  followPrices(market, source, { scheduler, rng: options.rng, ...liquidity, price });
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

/** Shifts recorded trades in time, as bars are shifted. */
function startTradeSource(market: TradedMarket, trades: RecordedTrades, nowMs: number, { speed, history }: StartOptions): PriceStart {
  if (history !== null) return resumeSource(market, replayTrades(trades, history.openedMs, speed), nowMs, history);
  return { source: replayTrades(trades, nowMs, speed), price: trades.ticks[0]!, quantity: trades.lots[0]! };
}

/** Where the prices of a market come from, and where they begin. */
interface PriceStart {
  readonly source: PriceSource;
  /** Price at the opening, in ticks. */
  readonly price: number;
  /** Lots of a trade or a level. */
  readonly quantity: number;
}

/** Starts a random walk, after one that becomes the history. A market that already has a price resumes from it: its bars are known. */
function startSynthetic(market: TradedMarket, prices: Extract<PriceSettings, { kind: 'synthetic' }>, nowMs: number, rng: Rng): PriceStart {
  const { instrument } = market;
  const quantity = lotsOfQuantity(instrument, prices.quantity);
  const first = ticksOf(instrument, prices.price);
  const history = walk(rng, openOf('1d', nowMs - HISTORY_MS), { ...HISTORY_PACE, price: first, lots: quantity * 40 });
  const price = market.referencePrice > 0 ? market.referencePrice : writeHistory(market, history, nowMs);
  return { source: walk(rng, nowMs, { ...LIVE_PACE, price, lots: quantity }), price, quantity };
}

/** Returns a price in ticks. Throws ConfigError unless it is above 0 and has at most the digits of the instrument. */
function ticksOf({ id, priceDigits }: Instrument, price: string): number {
  const ticks = toScaled(price, priceDigits);
  if (ticks !== null && ticks > 0) return ticks;
  throw new ConfigError(`${id} price: expected a price above 0 with at most ${priceDigits} decimals, got ${price}`, 'correct the price');
}

/** Shifts bars in time. The first replayed bar opens now, or at the first opening of the exchange. */
function startBarSource(
  market: TradedMarket,
  prices: Extract<PriceSettings, { kind: 'bars' }>,
  nowMs: number,
  { speed, history }: StartOptions,
): PriceStart {
  const { bars, firstRow } = prices;
  const earlier = rowsOf(bars, 0, firstRow);
  const coming = rowsOf(bars, firstRow, bars.length);
  if (history !== null) return resumeSource(market, replayBars(coming, history.openedMs, speed), nowMs, history);
  if (earlier.length > 0) writeHistory(market, replayBars(earlier, nowMs - (coming.openMs[0]! - earlier.openMs[0]!), 1), nowMs);
  const first = replayBars(coming, nowMs, speed)();
  if (first === null) throw new ConfigError(`${market.instrument.id}: no bars to replay`, 'set an earlier from');
  return { source: replayBars(coming, nowMs, speed), price: first.price, quantity: first.lots };
}

/** Resumes a source. Points that passed while the exchange was closed become history, as trades of other parties. */
function resumeSource(market: TradedMarket, source: PriceSource, nowMs: number, { lastMs }: StoreHistory): PriceStart {
  let next = source();
  while (next !== null && next.timeMs <= nowMs) {
    if (next.timeMs > lastMs) {
      market.tape.klines.print(next.timeMs, next.price, next.lots);
      market.referencePrice = next.price;
    }
    next = source();
  }
  const first = next;
  let isFirst = true;
  const idleSource: PriceSource = () => {
    if (!isFirst) return source();
    isFirst = false;
    return first;
  };
  return { source: idleSource, price: market.referencePrice, quantity: first?.lots ?? 1 };
}

/** Returns the rows from the first one that had not closed when the exchange ended. */
function rowsAfter(data: RowData, lastMs: number): RowData {
  const { bars, firstRow } = data;
  let row = firstRow;
  while (row < bars.length && bars.closeMs[row]! <= lastMs) row++;
  return { ...data, firstRow: row };
}
