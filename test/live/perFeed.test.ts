// Tests a live bot with `decide: perFeed`: it decides like its backtest, also after a kill between two feeds of one close.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sma, Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { JournalRecord, RecordOf } from '../../src/adapters/journal/records/records.ts';
import type { DecideMode, RunPlan } from '../../src/definition/plan/plan.ts';
import { newestLifetime } from '../../src/tasks/bot/lifetime/lifetime.ts';
import { ManySymbols, planOf, recordsIn } from '../fixtures/manySymbols.ts';
import { balancesOf } from '../parity/holdings.ts';
import { backtestOf, tablesOf } from '../parity/parity.ts';
import { exchangeOf, liveComparablePlan, writeBot } from '../parity/setUp.ts';
import { openSteppedBot } from '../parity/steppedBot.ts';
import { firstDifference } from '../parity/tables.ts';
import { RowWorld } from '../parity/world.ts';

const MINUTE_MS = 60_000;
let fixture: ManySymbols | null = null;
let decisions: { readonly feed: number; readonly barMs: number; readonly atMs: number }[] = [];
afterEach(async () => {
  decisions = [];
  await fixture?.close();
  fixture = null;
});

/** Returns a strategy that trades one feed with limit orders, and buys by a timer. */
const crossOf = (feedIndex: number): StrategyClass =>
  class Cross extends Strategy {
    ownFeed = this.feed(`f${feedIndex}`);
    fast = this.use(sma(this.ownFeed.close, 2));
    slow = this.use(sma(this.ownFeed.close, 4));
    barCount = 0;
    override onStart() {
      this.every('30m', () => {
        if (this.position(this.ownFeed).isFlat) this.buy({ quote: 200 + this.barCount }, { feed: this.ownFeed, tag: 'timer' });
      });
    }
    override onBar() {
      const feed = this.ownFeed;
      decisions.push({ feed: feedIndex, barMs: this.nowMs, atMs: fixture?.nowMs ?? NaN });
      this.barCount++;
      const isFlat = this.position(feed).isFlat;
      if (this.fast.value > this.slow.value && isFlat && this.openOrders(feed).length === 0)
        this.buy({ quote: 500 }, { feed, limit: feed.close.value * 0.998, tag: 'in' });
      else if (this.fast.value < this.slow.value && !isFlat) this.exit(feed);
    }
  };

/** Returns the order in which the journal's instants decided on instruments. Instruments without a bar follow. */
function recordedOrder(records: readonly JournalRecord[], { feeds, parts }: Pick<Engine, 'feeds' | 'parts'>) {
  const order = new Map<number, number[]>();
  for (const record of records) {
    if (record.k !== 'INSTANT' || !record.decided) continue;
    const orderOfInstant = order.get(record.atMs) ?? [];
    order.set(record.atMs, [...orderOfInstant, ...record.bars.map(([feed]) => feeds[feed as number]!.instrumentIndex)]);
  }
  return (timeMs: number): readonly number[] => [...new Set([...(order.get(timeMs) ?? []), ...parts.byNeed])];
}

/** Runs a live bot over the rows of a plan. Returns its tables and the order of its instruments. */
async function runLive(plan: RunPlan, classes: readonly StrategyClass[], decide: DecideMode) {
  const world = await RowWorld.open(exchangeOf(plan));
  try {
    const feeds = Object.fromEntries(plan.feeds.map(({ name, bars }) => [name, { symbol: bars.instrument.wireName, interval: '5m' }]));
    const definition = { strategy: classes.map((_, index) => `s${index}.ts`), feeds, cash: plan.cash, size: plan.size, decide };
    let loadCount = 0;
    const opened = await openSteppedBot(writeBot(world.folder, plan, definition, world.exchange.url), world.time, {
      notify: () => {},
      load: async (entry, source) => {
        const strategy = classes[loadCount++ % classes.length]!;
        return { plan: strategyPlanOf(entry, { strategy, name: 'Cross', hash: 'Cross' }, source), inputs: [], folder: '.' };
      },
      broken: (why) => {
        throw new Error(`the bot broke: ${why}`);
      },
      capacityRows: plan.feeds[0]!.bars.length + 1,
    });
    try {
      const driver = await world.startTrading(opened, plan);
      while (await driver.driveNextRows());
      const { engine } = opened.bot.deps;
      const tables = tablesOf(engine, balancesOf(world.exchange.service, engine));
      return { tables, partsAt: recordedOrder(recordsIn(join(world.folder, 'bot', 'journal')), engine) };
    } finally {
      await world.stop(opened);
    }
  } finally {
    await world.close();
  }
}

test.each(['whenComplete', 'perFeed'] as const)(
  'a live bot with decide: %s has the orders, fills and balances of its backtest',
  async (decide) => {
    const strategies = [2, 0, 1, 0].map(crossOf);
    const base = planOf({ symbols: 3, interval: '5m', bars: 40, strategies, named: 'each' });
    const plan = liveComparablePlan({ ...base, ...(decide === 'perFeed' ? { decide } : {}) });
    const live = await runLive(plan, strategies, decide);
    const backtest = await backtestOf(plan, live.partsAt);
    expect(backtest.fills.length).toBeGreaterThan(20);
    expect(firstDifference(backtest, live.tables)).toBeNull();
  },
  300_000,
);

/** Returns a bot with one strategy for each symbol. */
const options = (symbols: number) => ({
  symbols,
  interval: '1m' as const,
  bars: 60,
  strategies: Array.from({ length: symbols }, (_, feedIndex) => crossOf(feedIndex)),
  named: 'each' as const,
  more: { decide: 'perFeed' },
});

test('a bot that is killed between two feeds of one close decides on the others after its start, each bar once', async () => {
  fixture = await ManySymbols.open({ ...options(45), more: { decide: 'perFeed', bars: { graceMs: 55_000 } } });
  await fixture.start();
  const firstMs = fixture.nextCloseMs(20_000);
  await fixture.runTo(firstMs + 1000);
  const decidedBeforeKill = decisions.filter(({ barMs }) => barMs === firstMs).map(({ feed }) => feed);
  expect(decidedBeforeKill.length).toBeGreaterThan(5);
  expect(decidedBeforeKill.length).toBeLessThan(45);
  await fixture.kill();
  decisions = [];
  await fixture.start();
  const replayed = decisions.filter(({ barMs, atMs }) => barMs === firstMs && atMs <= firstMs + 5000).length;
  await fixture.runTo(firstMs + 3.5 * MINUTE_MS);
  const { records } = fixture;
  const instants = records.filter((record): record is RecordOf<'INSTANT'> => record.k === 'INSTANT' && record.decided);
  const decidedAt = (ms: number) => instants.filter(({ atMs }) => atMs === ms).flatMap(({ bars }) => bars.map(([feed]) => feed as number));
  // Each feed was decided on once at the close of the kill, in the recorded order, and once at later closes.
  expect(decidedAt(firstMs).slice(0, decidedBeforeKill.length)).toEqual(decidedBeforeKill);
  expect(decidedAt(firstMs).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 45 }, (_, feedIndex) => feedIndex));
  for (const ms of [2, 3]) expect(decidedAt(firstMs + ms * MINUTE_MS)).toHaveLength(45);
  expect(replayed).toBeLessThanOrEqual(45);
  // A third process replays the decisions of both without a difference.
  await fixture.kill();
  await fixture.openBot();
  expect(fixture.lines.join('')).not.toContain('would be made differently');
  expect(newestLifetime(fixture.records)!.number).toBe(1);
}, 300_000);
