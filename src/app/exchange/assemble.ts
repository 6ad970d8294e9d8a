// An exchange out of its settings: the service, the history of its markets, and the prices that they follow.

import { toScaled } from '../../base/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { seededRng, type Rng } from '../../base/rng.ts';
import type { BarColumns } from '../../model/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { openOf } from '../../model/interval.ts';
import { bringToLife, writeHistory } from '../../service/market/life.ts';
import { lotsOf, replay, walk, type PriceSource } from '../../service/market/priceSource.ts';
import type { TradedMarket } from '../../service/market/tradedMarket.ts';
import { Service } from '../../service/service.ts';
import type { ExchangeSettings, PriceSettings } from './settings.ts';

const HISTORY_MS = 8 * 86_400_000;
/** Synthetic markets: a trade every 400 ms, and a change of 30 millionths at most. */
const STEP = { stepMs: 400, stepPpm: 30 };
/** Their history is coarser: a trade every 15 s, changes larger by the root of the time. */
const HISTORY_STEP = { stepMs: 15_000, stepPpm: 180 };
const LEVELS = 40;
/** Seeds of neighbouring instruments lie so far apart. */
const SEED_STEP = 7919;

/** The exchange, open since `startMs`. Throws ConfigError. */
export function assemble(settings: ExchangeSettings, startMs: number): Service {
  const service = new Service({ ...settings.service, fundingSeed: settings.seed }, startMs);
  service.markets.forEach((market, index) => {
    const prices = settings.prices.get(market.instrument.id);
    if (prices !== undefined) begin(market, prices, service, seededRng(settings.seed + index * SEED_STEP), settings.speed);
  });
  return service;
}

function begin(market: TradedMarket, prices: PriceSettings, { scheduler }: Service, rng: Rng, speed: number): void {
  const { nowMs } = scheduler;
  const { source, price, quantity } =
    prices.kind === 'synthetic' ? synthetic(market, prices, nowMs, rng) : replayed(market, prices, nowMs, speed);
  const spacing = Math.max(1, Math.round(price / 10_000));
  const options = { levels: LEVELS, spread: Math.max(1, Math.round(spacing / 2)), spacing, lots: quantity };
  bringToLife(market, source, scheduler, rng, { ...options, price });
}

interface Beginning {
  readonly source: PriceSource;
  /** Ticks at the opening. */
  readonly price: number;
  /** Lots of a trade or a level. */
  readonly quantity: number;
}

function synthetic(market: TradedMarket, prices: Extract<PriceSettings, { kind: 'synthetic' }>, nowMs: number, rng: Rng): Beginning {
  const { instrument } = market;
  const quantity = lotsOf(instrument, prices.quantity);
  const first = ticksOf(instrument, prices.price);
  const history = walk(rng, openOf('1d', nowMs - HISTORY_MS), { ...HISTORY_STEP, price: first, lots: quantity * 40 });
  const price = writeHistory(market, history, nowMs);
  return { source: walk(rng, nowMs, { ...STEP, price, lots: quantity }), price, quantity };
}

function ticksOf({ id, priceDigits }: Instrument, price: string): number {
  const ticks = toScaled(price, priceDigits);
  if (ticks !== null && ticks > 0) return ticks;
  throw new ConfigError(`${id} price: expected a price of ${priceDigits} digits, got ${price}`, 'give one above 0');
}

/** The bars are moved in time: the first that is replayed opens now. */
function replayed(market: TradedMarket, prices: Extract<PriceSettings, { kind: 'bars' }>, nowMs: number, speed: number): Beginning {
  const { bars, firstRow } = prices;
  const [past, coming] = [rowsOf(bars, 0, firstRow), rowsOf(bars, firstRow, bars.length)];
  if (past.length > 0) writeHistory(market, replay(past, nowMs - (coming.openMs[0]! - past.openMs[0]!), 1), nowMs);
  const first = replay(coming, nowMs, speed)();
  if (first === null) throw new ConfigError(`${market.instrument.id}: no bars to replay`, 'begin earlier');
  return { source: replay(coming, nowMs, speed), price: first.price, quantity: first.lots };
}

function rowsOf(bars: BarColumns, from: number, to: number): BarColumns {
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const rows = (column: Float64Array): Float64Array => column.subarray(from, to);
  return {
    ...bars,
    length: to - from,
    openMs: rows(openMs),
    closeMs: rows(closeMs),
    open: rows(open),
    high: rows(high),
    low: rows(low),
    close: rows(close),
    volume: rows(volume),
  };
}
