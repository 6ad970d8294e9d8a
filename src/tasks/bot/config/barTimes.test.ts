// Tests how long a bot waits for its bars, worked out by hand from the limit of 20 klines in 2 s, and how many symbols fit.

import { expect, test } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { barLoad, defaultGraceMs, neededMs, requireTimeForBars } from './barTimes.ts';

const TIMES = { delayMs: 400, spreadMs: 0 };
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

/** Returns message and remedy of the error for feeds that leave too little time; null if they leave enough. */
function errorOf(feeds: Parameters<typeof barLoad>[0], graceMs: number | null = null): readonly [string, string] | null {
  const load = barLoad(feeds, {});
  try {
    requireTimeForBars(load, { ...TIMES, graceMs: graceMs ?? defaultGraceMs(load, TIMES) }, feeds);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.message, error.remedy];
  }
}

test('the default grace is 5 s for up to 40 symbols, and one and a half times the needed time for more', () => {
  const graceOf = (count: number): number =>
    defaultGraceMs(barLoad(feedsOf({ bars: { symbols: symbols(count), interval: '1m' } }), {}), TIMES);
  expect([1, 20, 40].map(graceOf)).toEqual([5000, 5000, 5000]);
  // 50 klines need three windows: 0.4 s, two waits of 2.1 s for the next window, and a reply.
  expect(neededMs({ calls: 50, perWindow: 20, windowMs: 2000 }, TIMES)).toBe(4700);
  expect(graceOf(50)).toBe(7050);
});

test('the default grace is at most a quarter of the shortest interval', () => {
  const mixed = feedsOf({ fast: { symbols: symbols(2), interval: '1m' }, slow: { symbols: symbols(150), interval: '1h' } });
  expect(defaultGraceMs(barLoad(mixed, {}), TIMES)).toBe(15_000);
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
  const [message, remedy] = errorOf(feedsOf({ bars: { symbols: symbols(101), interval: '1m' } }))!;
  expect(message).toContain(
    'expected at most 100 symbols whose bars come within 10 s of a close (two thirds of a quarter of 1m), got 101 on spot, which take 11 s at 20 klines in 2 s',
  );
  expect(remedy).toBe('use 100 symbols or fewer, or longer intervals, or set bars.graceMs to 11000 or more');
  expect(errorOf(feedsOf({ bars: { symbols: symbols(200), interval: '15m' } }))).toBeNull();
});

test('a configured grace is rejected only if the bars need longer', () => {
  expect(errorOf(feedsOf({ bars: { symbols: symbols(140), interval: '1m' } }), 30_000)).toBeNull();
  expect(errorOf(feedsOf({ bars: { symbols: symbols(60), interval: '1m' } }), 4000)![0]).toContain(
    'expected at most 40 symbols whose bars come within 4 s of a close (bars.graceMs is 4000), got 60 on spot',
  );
  // A short grace for few symbols is the operator's choice.
  expect(errorOf(feedsOf({ bars: { symbols: symbols(20), interval: '1m' } }), 500)).toBeNull();
});

test('four feeds of bars from trades fit into half of the rate limit, and five are rejected', () => {
  const fast = (count: number) => feedsOf({ bars: { symbols: symbols(count), interval: '100ticks' } });
  expect(errorOf(fast(4))).toBeNull();
  expect(errorOf(fast(5))).toEqual([
    'bot.yaml:9 feeds: expected at most 4 feeds of bars from trades, whose polls fit into half of the rate limit, got 5',
    'use fewer of them, or raise limits of spot.recentTrades if the exchange admits more',
  ]);
  expect(barLoad(fast(5), { 'spot.recentTrades': { count: 50, windowMs: 1000 } }).maxTradeFeeds).toBe(22);
});

test('polls of trades leave less of the rate limit to klines', () => {
  const mixed = feedsOf({ fast: { symbols: symbols(2), interval: '100ticks' }, bars: { symbols: symbols(30), interval: '5m' } });
  // Two feeds poll at most every 0.9 s: five of 20 calls in 2 s.
  expect(barLoad(mixed, {})).toMatchObject({ calls: 30, perWindow: 15 });
  expect(barLoad(mixed, { 'spot.recentTrades': { count: 50, windowMs: 1000 } })).toMatchObject({ calls: 30, perWindow: 20 });
});
