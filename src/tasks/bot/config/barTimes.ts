// Computes when a live bot requests closed bars and how long it waits for them. All its feeds must fit the rate limit.

import { limitTable, type LimitOverrides } from '../../../adapters/exchange/limits/limitTable.ts';
import { MIN_TRADE_POLL_MS } from '../../../adapters/exchange/trades/tradePoller.ts';
import { ConfigError } from '../../../base/errors.ts';
import { whereIs } from '../../../definition/text/source.ts';
import type { Market } from '../../../model/instrument.ts';
import { typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';
import { barSetIdOf, wantedFeeds, type FeedDefinition } from './wantedFeeds.ts';

/** Times after the close of a bar, ms. */
export interface BarTimes {
  /** From the close of a bar to the time when strategies decide without it. */
  readonly graceMs: number;
  /** From the close to the first call. */
  readonly delayMs: number;
  /** Largest random addition to `delayMs`. */
  readonly spreadMs: number;
}

/** The klines of the market that takes longest when all its bars close at the same time. */
export interface BarLoad {
  readonly market: Market;
  /** Number of kline calls that are due at the same close. */
  readonly calls: number;
  /** Kline calls that a window of the rate limit admits. */
  readonly perWindow: number;
  readonly windowMs: number;
  /** The shortest interval of all feeds of the bot. */
  readonly minInterval: Interval;
  /** Number of feeds of bars from trades, and the maximum whose polls the rate limit admits. */
  readonly tradeFeeds: number;
  readonly maxTradeFeeds: number;
}

const MIN_GRACE_MS = 5000;
/** The default grace is this much longer than the feeds need, and at most this share of the shortest interval. */
const GRACE_FACTOR = 1.5;
const GRACE_SHARE = 0.25;
/** Added to each window, ms, because it counts from the replies to its calls, and clocks differ. */
const REPLY_MS = 100;
/** Share of the rate limit that polls of trades may take. The rest is for klines and what else the bot reads. */
const TRADE_SHARE = 0.5;

/** Returns the load of the bot's feeds. `limits`: the overrides of the access file. Throws ConfigError for invalid limits. */
export function barLoad(feeds: FeedDefinition, limits: LimitOverrides): BarLoad {
  const limitByOperation = limitTable(limits);
  // Feeds of the same market, symbol and interval share one set of bars, so each set counts once.
  const keyBySet = new Map(wantedFeeds(feeds, { isChecked: false }).map(({ key }) => [barSetIdOf(key), key]));
  const setKeys = [...keyBySet.values()];
  const minInterval = minIntervalOf(setKeys.map(({ interval }) => interval));

  const polls = limitByOperation.get('spot.recentTrades')!;
  const pollsPerWindow = polls.limit.windowMs / MIN_TRADE_POLL_MS;
  const maxPollsPerWindow = (TRADE_SHARE * polls.limit.count) / polls.weight;
  const maxTradeFeeds = Math.floor(maxPollsPerWindow / pollsPerWindow);
  const tradeFeeds = setKeys.filter(({ interval }) => isTradeBars(interval)).length;
  const pollWeight = Math.ceil(tradeFeeds * pollsPerWindow) * polls.weight;

  const markets = new Set(setKeys.map(({ market }) => market));
  const loads = [...markets].map((market): BarLoad => {
    const { limit, weight } = limitByOperation.get(market === 'spot' ? 'spot.klines' : 'futures.klines')!;
    const calls = setKeys.filter((key) => key.market === market && !isTradeBars(key.interval)).length;
    const weightForKlines = limit === polls.limit ? limit.count - pollWeight : limit.count;
    const perWindow = Math.max(1, Math.floor(weightForKlines / weight));
    return { market, calls, perWindow, windowMs: limit.windowMs, minInterval, tradeFeeds, maxTradeFeeds };
  });
  return slowestOf(loads);
}

/** Returns the shortest interval; the first of equal ones. */
const minIntervalOf = (intervals: readonly Interval[]): Interval =>
  intervals.reduce((min, interval) => (typicalLengthMs(interval) < typicalLengthMs(min) ? interval : min));

/** Returns the load of the market whose calls take longest; the first of equal ones. */
function slowestOf(loads: readonly BarLoad[]): BarLoad {
  const waitMs = (load: BarLoad): number => extraWindows(load) * load.windowMs;
  return loads.reduce((slowest, load) => (waitMs(load) > waitMs(slowest) ? load : slowest));
}

/** Returns the number of rate limit windows that the calls need after the first one. */
const extraWindows = ({ calls, perWindow }: Pick<BarLoad, 'calls' | 'perWindow'>): number => Math.max(0, Math.ceil(calls / perWindow) - 1);

/** Returns the time from a close to the reply to the last kline call, ms. */
export function neededMs(
  load: Pick<BarLoad, 'calls' | 'perWindow' | 'windowMs'>,
  { delayMs, spreadMs }: Omit<BarTimes, 'graceMs'>,
): number {
  return delayMs + spreadMs + extraWindows(load) * (load.windowMs + REPLY_MS) + REPLY_MS;
}

/** Returns the default of `graceMs`: 1.5 times what the feeds need, at least 5 s, at most a quarter of the shortest interval. */
export function defaultGraceMs(load: BarLoad, times: Omit<BarTimes, 'graceMs'>): number {
  const preferredMs = Math.ceil(Math.max(MIN_GRACE_MS, GRACE_FACTOR * neededMs(load, times)));
  return Math.min(preferredMs, GRACE_SHARE * typicalLengthMs(load.minInterval));
}

/**
 * Throws ConfigError if the exchange cannot serve all feeds in time. With the default grace they have two thirds of a quarter of the shortest
 * interval, otherwise the `graceMs` of the config.
 */
export function requireTimeForBars(load: BarLoad, times: BarTimes, feeds: FeedDefinition): void {
  const place = whereIs(feeds.source, ['feeds']);
  const { calls, perWindow, windowMs, market, minInterval, tradeFeeds, maxTradeFeeds } = load;
  if (tradeFeeds > maxTradeFeeds) {
    throw new ConfigError(
      `${place}: expected at most ${maxTradeFeeds} feeds of bars from trades, whose polls fit into half of the rate limit, got ${tradeFeeds}`,
      'use fewer of them, or raise limits of spot.recentTrades if the exchange admits more',
    );
  }
  const isDefaultGrace = times.graceMs === defaultGraceMs(load, times);
  const maxMs = isDefaultGrace ? (GRACE_SHARE * typicalLengthMs(minInterval)) / GRACE_FACTOR : times.graceMs;
  const loadMs = neededMs(load, times);
  if (calls <= perWindow || loadMs <= maxMs) return;
  const maxSymbols = maxSymbolsWithin(maxMs, load, times);
  const rule = isDefaultGrace ? `two thirds of a quarter of ${minInterval}` : `bars.graceMs is ${times.graceMs}`;
  throw new ConfigError(
    `${place}: expected at most ${maxSymbols} symbols whose bars come within ${secondsText(maxMs)} s of a close (${rule}), ` +
      `got ${calls} on ${market}, which take ${secondsText(loadMs)} s at ${perWindow} klines in ${secondsText(windowMs)} s`,
    `use ${maxSymbols} symbols or fewer, or longer intervals, or set bars.graceMs to ${Math.ceil(loadMs / 1000) * 1000} or more`,
  );
}

/** Returns how many symbols get their bars within `maxMs` of a close, in whole windows of the rate limit. */
function maxSymbolsWithin(maxMs: number, load: BarLoad, times: BarTimes): number {
  const { perWindow } = load;
  let symbols = perWindow;
  while (neededMs({ ...load, calls: symbols + perWindow }, times) <= maxMs) symbols += perWindow;
  return symbols;
}

/** Returns ms as seconds with at most one decimal. */
const secondsText = (ms: number): string => String(Math.round(ms / 100) / 10);
