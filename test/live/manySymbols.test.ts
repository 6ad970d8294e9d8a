// Tests a live bot with many symbols under the exchange's rate limits: every bar arrives before the decision, and no call is refused.

import { afterEach, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import type { Feed } from '../../src/strategy/types.ts';
import { ManySymbols } from '../fixtures/manySymbols.ts';

let many: ManySymbols;
let decisions: { readonly barMs: number; readonly atMs: number; readonly fresh: number }[] = [];
afterEach(async () => {
  decisions = [];
  timers = [];
  await many.close();
});

/** Records how many bars are fresh at each decision. */
class FreshBarCounter extends Strategy {
  symbolFeeds: readonly Feed[] = this.feeds('bars');
  override onBar() {
    decisions.push({ barMs: this.nowMs, atMs: many.nowMs, fresh: this.symbolFeeds.filter(({ fresh }) => fresh).length });
  }
}

/** Also keeps one limit far below the market. */
class FreshBarCounterWithLimit extends FreshBarCounter {
  override onBar() {
    super.onBar();
    const feed = this.symbolFeeds[3]!;
    if (this.openOrders(feed).length === 0) this.buy({ base: '0.05' }, { feed, limit: feed.close.value / 2 });
  }
}

/** Returns a strategy of one feed that records the time of each decision. */
const ownFeedOf = (feedIndex: number): StrategyClass =>
  class Own extends Strategy {
    ownFeed = this.feed(`f${feedIndex}`);
    override onStart() {
      this.every('5m', () => timers.push({ feedIndex, barMs: this.nowMs, atMs: many.nowMs }));
    }
    override onBar() {
      decisions.push({ barMs: this.nowMs, atMs: many.nowMs, fresh: feedIndex });
      // Five of them trade: the reads of their orders delay no other symbol.
      if (feedIndex % 10 !== 5) return;
      if (this.position(this.ownFeed).isFlat) this.buy({ quote: 100 }, { feed: this.ownFeed });
      else this.exit(this.ownFeed);
    }
  };
let timers: { readonly feedIndex: number; readonly barMs: number; readonly atMs: number }[] = [];

const MINUTE_MS = 60_000;
const cancelCalls = () => many.calls.filter(({ path, method }) => method === 'POST' && path.includes('cancel'));
const klineCalls = (fromMs: number, toMs: number) =>
  many.calls.filter(({ path, atMs }) => path.includes('klines') && atMs >= fromMs && atMs < toMs);

test('with 50 symbols on 1m, all 50 bars are fresh at each decision, which comes within 6 s of the close', async () => {
  many = await ManySymbols.open({ symbols: 50, interval: '1m', bars: 120, strategies: [FreshBarCounter] });
  await many.start();
  decisions = [];
  const firstMs = many.nextCloseMs(30_000);
  await many.runTo(firstMs + 4.5 * many.intervalMs);
  const laterDecisions = decisions.filter(({ barMs }) => barMs >= firstMs);
  expect(laterDecisions.map(({ barMs }) => (barMs - firstMs) / many.intervalMs)).toEqual([0, 1, 2, 3, 4]);
  expect(laterDecisions.map(({ fresh }) => fresh)).toEqual([50, 50, 50, 50, 50]);
  expect(Math.max(...laterDecisions.map(({ barMs, atMs }) => atMs - barMs))).toBeLessThan(6000);
  expect(many.tooMany).toBe(0);
  // The first bar arrives within half a second, and the calls follow the order of the feeds.
  const klineCallsOfBar = klineCalls(firstMs, firstMs + many.intervalMs);
  expect(klineCallsOfBar[0]!.atMs - firstMs).toBeLessThan(500);
  expect(klineCallsOfBar.map(({ path }) => /S(\d+)USDT/.exec(path)![1])).toEqual(
    Array.from({ length: 50 }, (_, index) => String(index).padStart(3, '0')),
  );
}, 300_000);

test('with 200 symbols on 15m, all bars are fresh within 25 s, and a cancel between the kline calls leaves at once', async () => {
  many = await ManySymbols.open({ symbols: 200, interval: '15m', bars: 10, strategies: [FreshBarCounterWithLimit] });
  const { bot } = await many.start();
  const { engine } = bot.deps;
  await many.until(() => engine.orders.active().some(({ lifecycle }) => lifecycle === 'working'), 40 * MINUTE_MS);
  decisions = [];
  const firstMs = many.nextCloseMs(60_000);
  await many.runTo(firstMs + 10_000);
  const order = engine.orders.active().find(({ lifecycle }) => lifecycle === 'working')!;
  const cancelledMs = many.nowMs;
  expect(klineCalls(firstMs, cancelledMs + 1).length).toBeGreaterThan(80);
  bot.driver.step(() => engine.orders.cancel(order, engine.nowMs));
  await many.until(() => cancelCalls().length > 0, MINUTE_MS);
  expect(cancelCalls()[0]!.atMs - cancelledMs).toBeLessThanOrEqual(1);
  await many.runTo(firstMs + 2.1 * many.intervalMs);
  const laterDecisions = decisions.filter(({ barMs }) => barMs >= firstMs);
  expect(laterDecisions.map(({ fresh }) => fresh)).toEqual([200, 200, 200]);
  expect(Math.max(...laterDecisions.map(({ barMs, atMs }) => atMs - barMs))).toBeLessThan(25_000);
  expect(many.tooMany).toBe(0);
}, 600_000);

test('a start with more symbols than the rate limits allow is rejected with the largest possible number', async () => {
  many = await ManySymbols.open({ symbols: 120, interval: '1m', bars: 2, strategies: [FreshBarCounter] });
  await expect(many.openBot()).rejects.toThrow(/feeds: expected at most 100 symbols .* got 120 on spot/);
  expect(many.calls).toEqual([]);
});

test('with perFeed each of 50 strategies decides as soon as its own bar arrives, the first within 0.5 s of the close', async () => {
  const strategies = Array.from({ length: 50 }, (_, feedIndex) => ownFeedOf(feedIndex));
  many = await ManySymbols.open({ symbols: 50, interval: '1m', bars: 40, strategies, named: 'each', more: { decide: 'perFeed' } });
  await many.start();
  const firstMs = Math.ceil(many.nextCloseMs(30_000) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  await many.runTo(firstMs - MINUTE_MS / 2);
  decisions = [];
  timers = [];
  await many.runTo(firstMs + MINUTE_MS / 2);
  expect(decisions.map(({ fresh }) => fresh).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, feedIndex) => feedIndex));
  const delays = decisions.map(({ barMs, atMs }) => atMs - barMs);
  expect(delays[0]).toBeLessThan(500);
  expect(delays[19]).toBeLessThan(1000);
  expect(Math.max(...delays)).toBeLessThan(6000);
  // The rate limit allows 20 bars in each window of 2 s, so 30 of them arrive later.
  expect(delays.filter((ms) => ms > 2000).length).toBe(30);
  expect(timers).toHaveLength(50);
  expect(Math.min(...timers.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(Math.max(...decisions.map(({ atMs }) => atMs)));
  expect(many.tooMany).toBe(0);
}, 300_000);
