// Tests how long a bot waits for its bars, and how many symbols fit into that time.
// The expected times are worked out by hand from the rate limit of the exchange: 20 klines in 2 s.

import { expect, test } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { barLoad, defaultGraceMs, neededMs, requireTimeForBars } from './barTimes.ts';

/** Time from the close of a bar until the bot asks for it, and the time over which it spreads its requests. */
const TIMES = { delayMs: 400, spreadMs: 0 };

/** Returns the names of `count` symbols. */
const symbols = (count: number) => Array.from({ length: count }, (_, index) => `S${index}USDT`);
/** Returns the part of a live config that names its feeds. */
const feedsOf = (
  feeds: Readonly<Record<string, { symbols: string[]; interval: string; market?: 'spot' | 'futures' }>>,
  executionInterval?: string,
) =>
  ({
    definition: { feeds, ...(executionInterval === undefined ? {} : { fills: { inside: executionInterval } }) },
    source: { place: () => 'bot.yaml:9' },
  }) as unknown as Parameters<typeof barLoad>[0];

/** Returns the message and the remedy of the ConfigError for feeds whose bars do not come in time; null if they do. A null grace: the default one. */
function errorOf(
  feeds: Parameters<typeof barLoad>[0],
  graceMs: number | null = null,
): { readonly message: string; readonly remedy: string } | null {
  const load = barLoad(feeds, {});
  try {
    requireTimeForBars(load, { ...TIMES, graceMs: graceMs ?? defaultGraceMs(load, TIMES) }, feeds);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { message: error.message, remedy: error.remedy };
  }
}

test('the default grace is 5 s for up to 40 symbols, and one and a half times the needed time for more', () => {
  const graceMsOf = (count: number): number =>
    defaultGraceMs(barLoad(feedsOf({ bars: { symbols: symbols(count), interval: '1m' } }), {}), TIMES);
  expect([1, 20, 40].map(graceMsOf)).toEqual([5000, 5000, 5000]);
  // 50 klines need three windows of 20: the delay of 400 ms, two waits of 2100 ms for the next window, and 100 ms for the last reply.
  expect(neededMs({ calls: 50, perWindow: 20, windowMs: 2000 }, TIMES)).toBe(4700);
  expect(graceMsOf(50)).toBe(4700 * 1.5);
});

test('the default grace is at most a quarter of the shortest interval', () => {
  const minutesAndHours = feedsOf({ fast: { symbols: symbols(2), interval: '1m' }, slow: { symbols: symbols(150), interval: '1h' } });
  expect(defaultGraceMs(barLoad(minutesAndHours, {}), TIMES)).toBe(60_000 / 4);
});

test('the load counts each symbol and interval of a market once, and the bars of local stops', () => {
  const spotAndFutures = feedsOf({
    coins: { symbols: symbols(30), interval: '5m' },
    sameCoins: { symbols: symbols(30), interval: '5m' },
    contracts: { symbols: symbols(50), interval: '5m', market: 'futures' },
  });
  expect(barLoad(spotAndFutures, {})).toMatchObject({ market: 'futures', calls: 50, minInterval: '5m' });
  expect(barLoad(feedsOf({ bars: { symbols: symbols(30), interval: '5m' } }, '1m'), {})).toMatchObject({ calls: 60, minInterval: '1m' });
});

test('the default grace follows the limits of the access file', () => {
  const load = barLoad(feedsOf({ bars: { symbols: symbols(50), interval: '1m' } }), { 'spot.klines': { count: 50, windowMs: 1000 } });
  expect(load).toMatchObject({ perWindow: 50, windowMs: 1000 });
  expect(defaultGraceMs(load, TIMES)).toBe(5000);
});

test('100 symbols on 1m are accepted, and 101 are rejected with the number that fits', () => {
  expect(errorOf(feedsOf({ bars: { symbols: symbols(100), interval: '1m' } }))).toBeNull();
  const { message, remedy } = errorOf(feedsOf({ bars: { symbols: symbols(101), interval: '1m' } }))!;
  expect(message).toContain(
    'expected at most 100 symbols whose bars come within 10 s of a close (two thirds of a quarter of 1m), got 101 on spot, which take 11 s at 20 klines in 2 s',
  );
  expect(remedy).toBe('use 100 symbols or fewer, or longer intervals, or set bars.graceMs to 11000 or more');
  expect(errorOf(feedsOf({ bars: { symbols: symbols(200), interval: '15m' } }))).toBeNull();
});

test('a configured grace is rejected only if the bars need longer', () => {
  expect(errorOf(feedsOf({ bars: { symbols: symbols(140), interval: '1m' } }), 30_000)).toBeNull();
  expect(errorOf(feedsOf({ bars: { symbols: symbols(60), interval: '1m' } }), 4000)!.message).toContain(
    'expected at most 40 symbols whose bars come within 4 s of a close (bars.graceMs is 4000), got 60 on spot',
  );
  // A short grace for few symbols is the operator's choice.
  expect(errorOf(feedsOf({ bars: { symbols: symbols(20), interval: '1m' } }), 500)).toBeNull();
});

test('four feeds of bars from trades fit into half of the rate limit, and five are rejected', () => {
  const feedsFromTrades = (count: number) => feedsOf({ bars: { symbols: symbols(count), interval: '100ticks' } });
  expect(errorOf(feedsFromTrades(4))).toBeNull();
  expect(errorOf(feedsFromTrades(5))).toEqual({
    message: 'bot.yaml:9 feeds: expected at most 4 feeds of bars from trades, whose polls fit into half of the rate limit, got 5',
    remedy: 'use fewer of them, or raise limits of spot.recentTrades if the exchange admits more',
  });
  expect(barLoad(feedsFromTrades(5), { 'spot.recentTrades': { count: 50, windowMs: 1000 } }).maxTradeFeeds).toBe(22);
});

test('polls of trades leave less of the rate limit to klines', () => {
  const tradesAndKlines = feedsOf({ fast: { symbols: symbols(2), interval: '100ticks' }, bars: { symbols: symbols(30), interval: '5m' } });
  // Two feeds poll at most every 0.9 s: five of 20 calls in 2 s.
  expect(barLoad(tradesAndKlines, {})).toMatchObject({ calls: 30, perWindow: 15 });
  expect(barLoad(tradesAndKlines, { 'spot.recentTrades': { count: 50, windowMs: 1000 } })).toMatchObject({ calls: 30, perWindow: 20 });
});
