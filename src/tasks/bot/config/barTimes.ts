// Computes when a live bot requests closed bars and how long it waits for them. All its feeds must fit the rate limit.

import { limitTable, type LimitOverrides } from '../../../adapters/exchange/limits/limitTable.ts';
import { MIN_TRADE_POLL_MS } from '../../../adapters/exchange/trades/tradePoller.ts';
import { ConfigError } from '../../../base/errors.ts';
import { whereIs } from '../../../definition/text/source.ts';
import type { Market } from '../../../model/instrument.ts';
import { typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';
import { setIdOf, wantedFeeds, type FeedDefinition } from './wantedFeeds.ts';

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
  const table = limitTable(limits);
  const keyBySet = new Map(wantedFeeds(feeds, false).map(({ key }) => [setIdOf(key), key]));
  const feedKeys = [...keyBySet.values()];
  const minInterval = minIntervalOf(feedKeys.map(({ interval }) => interval));
  const polls = table.get('spot.recentTrades')!;
  const pollsPerWindow = polls.limit.windowMs / MIN_TRADE_POLL_MS;
  const maxTradeFeeds = Math.floor((TRADE_SHARE * polls.limit.count) / polls.weight / pollsPerWindow);
  const tradeFeeds = feedKeys.filter(({ interval }) => isTradeBars(interval)).length;
  const loads = [...new Set(feedKeys.map(({ market }) => market))].map((market): BarLoad => {
    const { limit, weight } = table.get(market === 'spot' ? 'spot.klines' : 'futures.klines')!;
    const calls = feedKeys.filter((key) => key.market === market && !isTradeBars(key.interval)).length;
    const pollWeight = limit === polls.limit ? Math.ceil(tradeFeeds * pollsPerWindow) * polls.weight : 0;
    const perWindow = Math.max(1, Math.floor((limit.count - pollWeight) / weight));
    return { market, calls, perWindow, windowMs: limit.windowMs, minInterval, tradeFeeds, maxTradeFeeds };
  });
  return slowestOf(loads);
}

/** Returns the shortest interval; the first of equal ones. */
const minIntervalOf = (intervals: readonly Interval[]): Interval =>
  intervals.reduce((min, interval) => (typicalLengthMs(interval) < typicalLengthMs(min) ? interval : min));

/** Returns the load of the market whose calls take longest; the first of equal ones. */
const slowestOf = (loads: readonly BarLoad[]): BarLoad =>
  loads.reduce((slowest, load) => (extraWindows(load) * load.windowMs > extraWindows(slowest) * slowest.windowMs ? load : slowest));

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
  const isDefault = times.graceMs === defaultGraceMs(load, times);
  const maxMs = isDefault ? (GRACE_SHARE * typicalLengthMs(load.minInterval)) / GRACE_FACTOR : times.graceMs;
  const { calls, perWindow, windowMs, market, minInterval, tradeFeeds, maxTradeFeeds } = load;
  if (tradeFeeds > maxTradeFeeds) {
    throw new ConfigError(
      `${whereIs(feeds.source, ['feeds'])}: expected at most ${maxTradeFeeds} feeds of bars from trades, whose polls fit into half of the rate limit, got ${tradeFeeds}`,
      'use fewer of them, or raise limits of spot.recentTrades if the exchange admits more',
    );
  }
  if (calls <= perWindow || neededMs(load, times) <= maxMs) return;
  let fits = perWindow;
  while (neededMs({ ...load, calls: fits + perWindow }, times) <= maxMs) fits += perWindow;
  const seconds = (ms: number): string => String(Math.round(ms / 100) / 10);
  const rule = isDefault ? `two thirds of a quarter of ${minInterval}` : `bars.graceMs is ${times.graceMs}`;
  throw new ConfigError(
    `${whereIs(feeds.source, ['feeds'])}: expected at most ${fits} symbols whose bars come within ${seconds(maxMs)} s of a close (${rule}), ` +
      `got ${calls} on ${market}, which take ${seconds(neededMs(load, times))} s at ${perWindow} klines in ${seconds(windowMs)} s`,
    `use ${fits} symbols or fewer, or longer intervals, or set bars.graceMs to ${Math.ceil(neededMs(load, times) / 1000) * 1000} or more`,
  );
}
