// Tests a live bot with many symbols under the exchange's rate limits: every bar arrives before the decision, and no call is refused.

import { afterEach, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import type { Feed } from '../../src/strategy/types.ts';
import { ManySymbols } from '../fixtures/manySymbols.ts';

let fixture: ManySymbols;
/** Close of the bar, time of the decision, and the number of fresh bars. */
let decisions: { readonly barMs: number; readonly atMs: number; readonly freshCount: number }[] = [];
/** Times at which the timers of the strategies fell due and ran. */
let timers: { readonly feedIndex: number; readonly barMs: number; readonly atMs: number }[] = [];
/** The same as `decisions` for strategies of one feed. */
let feedDecisions: { readonly feedIndex: number; readonly barMs: number; readonly atMs: number }[] = [];
afterEach(async () => {
  decisions = [];
  feedDecisions = [];
  timers = [];
  await fixture.close();
});

/** Records how many bars are fresh at each decision. */
class FreshBarCounter extends Strategy {
  symbolFeeds: readonly Feed[] = this.feeds('bars');
  override onBar() {
    decisions.push({ barMs: this.nowMs, atMs: fixture.nowMs, freshCount: this.symbolFeeds.filter(({ fresh }) => fresh).length });
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
const oneFeedTraderOf = (feedIndex: number): StrategyClass =>
  class OneFeedTrader extends Strategy {
    ownFeed = this.feed(`f${feedIndex}`);
    override onStart() {
      this.every('5m', () => timers.push({ feedIndex, barMs: this.nowMs, atMs: fixture.nowMs }));
    }
    override onBar() {
      feedDecisions.push({ feedIndex, barMs: this.nowMs, atMs: fixture.nowMs });
      // Five of the strategies trade. The reads of their orders must not delay other symbols.
      if (feedIndex % 10 !== 5) return;
      if (this.position(this.ownFeed).isFlat) this.buy({ quote: 100 }, { feed: this.ownFeed });
      else this.exit(this.ownFeed);
    }
  };

const MINUTE_MS = 60_000;

/** Returns the cancels that the bot has sent. */
const cancelCalls = () => fixture.calls.filter(({ path, method }) => method === 'POST' && path.includes('cancel'));
/** Returns the requests of klines in a time range. */
const klineCalls = (fromMs: number, toMs: number) =>
  fixture.calls.filter(({ path, atMs }) => path.includes('klines') && atMs >= fromMs && atMs < toMs);

test('with 50 symbols on 1m, all 50 bars are fresh at each decision, which comes within 6 s of the close', async () => {
  fixture = await ManySymbols.open({ symbols: 50, interval: '1m', bars: 120, strategies: [FreshBarCounter] });
  await fixture.start();
  decisions = [];
  const firstMs = fixture.nextCloseMs(30_000);
  await fixture.runTo(firstMs + 4.5 * fixture.intervalMs);
  const laterDecisions = decisions.filter(({ barMs }) => barMs >= firstMs);
  expect(laterDecisions.map(({ barMs }) => (barMs - firstMs) / fixture.intervalMs)).toEqual([0, 1, 2, 3, 4]);
  expect(laterDecisions.map(({ freshCount }) => freshCount)).toEqual([50, 50, 50, 50, 50]);
  expect(Math.max(...laterDecisions.map(({ barMs, atMs }) => atMs - barMs))).toBeLessThan(6000);
  expect(fixture.rateLimitedCount).toBe(0);
  // The first bar arrives within half a second, and the calls follow the order of the feeds.
  const klineCallsOfBar = klineCalls(firstMs, firstMs + fixture.intervalMs);
  expect(klineCallsOfBar[0]!.atMs - firstMs).toBeLessThan(500);
  expect(klineCallsOfBar.map(({ path }) => /S(\d+)USDT/.exec(path)![1])).toEqual(
    Array.from({ length: 50 }, (_, index) => String(index).padStart(3, '0')),
  );
}, 300_000);

test('with 200 symbols on 15m, all bars are fresh within 25 s, and a cancel between the kline calls leaves at once', async () => {
  fixture = await ManySymbols.open({ symbols: 200, interval: '15m', bars: 10, strategies: [FreshBarCounterWithLimit] });
  const { bot } = await fixture.start();
  const { engine } = bot.deps;
  await fixture.until(() => engine.orders.active().some(({ lifecycle }) => lifecycle === 'working'), 40 * MINUTE_MS);
  decisions = [];
  const firstMs = fixture.nextCloseMs(60_000);
  await fixture.runTo(firstMs + 10_000);
  const order = engine.orders.active().find(({ lifecycle }) => lifecycle === 'working')!;
  const cancelledMs = fixture.nowMs;
  expect(klineCalls(firstMs, cancelledMs + 1).length).toBeGreaterThan(80);
  bot.driver.step(() => engine.orders.cancel(order, engine.nowMs));
  await fixture.until(() => cancelCalls().length > 0, MINUTE_MS);
  expect(cancelCalls()[0]!.atMs - cancelledMs).toBeLessThanOrEqual(1);
  await fixture.runTo(firstMs + 2.1 * fixture.intervalMs);
  const laterDecisions = decisions.filter(({ barMs }) => barMs >= firstMs);
  expect(laterDecisions.map(({ freshCount }) => freshCount)).toEqual([200, 200, 200]);
  expect(Math.max(...laterDecisions.map(({ barMs, atMs }) => atMs - barMs))).toBeLessThan(25_000);
  expect(fixture.rateLimitedCount).toBe(0);
}, 600_000);

test('a start with more symbols than the rate limits allow is rejected with the largest possible number', async () => {
  fixture = await ManySymbols.open({ symbols: 120, interval: '1m', bars: 2, strategies: [FreshBarCounter] });
  await expect(fixture.openBot()).rejects.toThrow(/feeds: expected at most 100 symbols .* got 120 on spot/);
  expect(fixture.calls).toEqual([]);
});

test('with perFeed each of 50 strategies decides as soon as its own bar arrives, the first within 0.5 s of the close', async () => {
  const strategies = Array.from({ length: 50 }, (_, feedIndex) => oneFeedTraderOf(feedIndex));
  fixture = await ManySymbols.open({ symbols: 50, interval: '1m', bars: 40, strategies, named: 'each', more: { decide: 'perFeed' } });
  await fixture.start();
  const firstMs = Math.ceil(fixture.nextCloseMs(30_000) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  await fixture.runTo(firstMs - MINUTE_MS / 2);
  feedDecisions = [];
  timers = [];
  await fixture.runTo(firstMs + MINUTE_MS / 2);
  const decidedFeeds = feedDecisions.map(({ feedIndex }) => feedIndex);
  expect(decidedFeeds.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, feedIndex) => feedIndex));
  const delaysMs = feedDecisions.map(({ barMs, atMs }) => atMs - barMs);
  expect(delaysMs[0]).toBeLessThan(500);
  expect(delaysMs[19]).toBeLessThan(1000);
  expect(Math.max(...delaysMs)).toBeLessThan(6000);
  // The rate limit allows 20 bars in each window of 2 s, so 30 of them arrive later.
  expect(delaysMs.filter((ms) => ms > 2000).length).toBe(30);
  expect(timers).toHaveLength(50);
  const lastDecisionMs = Math.max(...feedDecisions.map(({ atMs }) => atMs));
  expect(Math.min(...timers.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(lastDecisionMs);
  expect(fixture.rateLimitedCount).toBe(0);
}, 300_000);
