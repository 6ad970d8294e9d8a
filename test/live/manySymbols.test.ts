// Many symbols live, with the rate limits of the exchange on: every bar is there at the decision, and no call is refused.

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

/** Counts the bars that are there when it decides. */
class Counter extends Strategy {
  all: readonly Feed[] = this.feeds('bars');
  override onBar() {
    decisions.push({ barMs: this.nowMs, atMs: many.nowMs, fresh: this.all.filter(({ fresh }) => fresh).length });
  }
}

/** The same with an order that rests far below the market. */
class Resting extends Counter {
  override onBar() {
    super.onBar();
    const feed = this.all[3]!;
    if (this.openOrders(feed).length === 0) this.buy({ base: '0.05' }, { feed, limit: feed.close.value / 2 });
  }
}

/** A strategy of one feed, which notes when it decides on which bar. */
const ownFeedOf = (at: number): StrategyClass =>
  class Own extends Strategy {
    own = this.feed(`f${at}`);
    override onStart() {
      this.every('5m', () => timers.push({ at, barMs: this.nowMs, atMs: many.nowMs }));
    }
    override onBar() {
      decisions.push({ barMs: this.nowMs, atMs: many.nowMs, fresh: at });
      // Five of them trade: the reads of their orders delay no other symbol.
      if (at % 10 !== 5) return;
      if (this.position(this.own).isFlat) this.buy({ quote: 100 }, { feed: this.own });
      else this.exit(this.own);
    }
  };
let timers: { readonly at: number; readonly barMs: number; readonly atMs: number }[] = [];

const MINUTE = 60_000;
const cancelCalls = () => many.calls.filter(({ path, method }) => method === 'POST' && path.includes('cancel'));
const klineCalls = (fromMs: number, toMs: number) =>
  many.calls.filter(({ path, atMs }) => path.includes('klines') && atMs >= fromMs && atMs < toMs);

test('with 50 symbols on 1m, all 50 bars are fresh at each decision, which comes within 6 s of the close', async () => {
  many = await ManySymbols.open({ symbols: 50, interval: '1m', bars: 120, strategies: [Counter] });
  await many.start();
  decisions = [];
  const firstMs = many.nextCloseMs(30_000);
  await many.runTo(firstMs + 4.5 * many.intervalMs);
  const seen = decisions.filter(({ barMs }) => barMs >= firstMs);
  expect(seen.map(({ barMs }) => (barMs - firstMs) / many.intervalMs)).toEqual([0, 1, 2, 3, 4]);
  expect(seen.map(({ fresh }) => fresh)).toEqual([50, 50, 50, 50, 50]);
  expect(Math.max(...seen.map(({ barMs, atMs }) => atMs - barMs))).toBeLessThan(6000);
  expect(many.tooMany).toBe(0);
  // The first bar is there within half a second, and the calls follow the order of the feeds.
  const burst = klineCalls(firstMs, firstMs + many.intervalMs);
  expect(burst[0]!.atMs - firstMs).toBeLessThan(500);
  expect(burst.map(({ path }) => /S(\d+)USDT/.exec(path)![1])).toEqual(Array.from({ length: 50 }, (_, at) => String(at).padStart(3, '0')));
}, 300_000);

test('with 200 symbols on 15m, all bars are fresh within 25 s, and a cancel in the middle of the calls goes out at once', async () => {
  many = await ManySymbols.open({ symbols: 200, interval: '15m', bars: 10, strategies: [Resting] });
  const { bot } = await many.start();
  const { engine } = bot.deps;
  await many.until(() => engine.orders.active().some(({ lifecycle }) => lifecycle === 'working'), 40 * MINUTE);
  decisions = [];
  const firstMs = many.nextCloseMs(60_000);
  await many.runTo(firstMs + 10_000);
  const order = engine.orders.active().find(({ lifecycle }) => lifecycle === 'working')!;
  const askedMs = many.nowMs;
  expect(klineCalls(firstMs, askedMs + 1).length).toBeGreaterThan(80);
  bot.driver.step(() => engine.orders.cancel(order, engine.nowMs));
  await many.until(() => cancelCalls().length > 0, MINUTE);
  expect(cancelCalls()[0]!.atMs - askedMs).toBeLessThanOrEqual(1);
  await many.runTo(firstMs + 2.1 * many.intervalMs);
  const seen = decisions.filter(({ barMs }) => barMs >= firstMs);
  expect(seen.map(({ fresh }) => fresh)).toEqual([200, 200, 200]);
  expect(Math.max(...seen.map(({ barMs, atMs }) => atMs - barMs))).toBeLessThan(25_000);
  expect(many.tooMany).toBe(0);
}, 600_000);

test('a start with more symbols than the rate limits serve in time is refused with the number that fits', async () => {
  many = await ManySymbols.open({ symbols: 120, interval: '1m', bars: 2, strategies: [Counter] });
  await expect(many.opened()).rejects.toThrow(/feeds: expected at most 100 symbols .* got 120 on spot/);
  expect(many.calls).toEqual([]);
});

test('with perFeed each of 50 strategies decides as soon as its own bar is there, the first within 0.5 s of the close', async () => {
  const strategies = Array.from({ length: 50 }, (_, at) => ownFeedOf(at));
  many = await ManySymbols.open({ symbols: 50, interval: '1m', bars: 40, strategies, named: 'each', more: { decide: 'perFeed' } });
  await many.start();
  const firstMs = Math.ceil(many.nextCloseMs(30_000) / (5 * MINUTE)) * 5 * MINUTE;
  await many.runTo(firstMs - MINUTE / 2);
  decisions = [];
  timers = [];
  await many.runTo(firstMs + MINUTE / 2);
  expect(decisions.map(({ fresh }) => fresh).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  const delays = decisions.map(({ barMs, atMs }) => atMs - barMs);
  expect(delays[0]).toBeLessThan(500);
  expect(delays[19]).toBeLessThan(1000);
  expect(Math.max(...delays)).toBeLessThan(6000);
  // Each decides when its bar has come: 20 in each window of the rate limit.
  expect(delays.filter((ms) => ms > 2000).length).toBe(30);
  expect(timers).toHaveLength(50);
  expect(Math.min(...timers.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(Math.max(...decisions.map(({ atMs }) => atMs)));
  expect(many.tooMany).toBe(0);
}, 300_000);
