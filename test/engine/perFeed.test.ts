// Tests `decide: perFeed` in a backtest: one instrument decides after the other, with the decisions of the default mode.

import { afterEach, expect, test } from 'vitest';
import { sma, Strategy } from '../../src/index.ts';
import { textWithDefaults } from '../../src/definition/load/withDefaults.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { coarser, fillRows, MINUTE, orderRows, run, spotInstrument, START_MS, walkBars, type PlanOptions } from './backtestFixture.ts';

let reports: string[] = [];
afterEach(() => (reports = []));

const barsOf = (base: string, seed: number, missing = 0) => walkBars({ instrument: spotInstrument(base), seed, rows: 300, missing });
/** Returns a time as minutes since the first bar. */
const minuteOf = (ms: number): number => (ms - START_MS) / MINUTE;

/**
 * Returns a strategy that trades one named feed with limit orders that fill at once or wait, and that records each report with its time.
 */
const strategyOnFeed = (name: string): StrategyClass =>
  class TradesOneFeed extends Strategy {
    ownFeed = this.feed(name);
    fast = this.use(sma(this.ownFeed.close, 3));
    slow = this.use(sma(this.ownFeed.close, 9));
    override onStart() {
      reports.push(`${name} starts ${minuteOf(this.nowMs)}`);
    }
    override onBar() {
      const feed = this.ownFeed;
      reports.push(`${name} bar ${minuteOf(this.nowMs)} ${feed.fresh ? feed.close.value : 'stale'}`);
      const isFlat = this.position(feed).isFlat;
      if (this.fast.value > this.slow.value && isFlat && this.openOrders(feed).length === 0)
        this.buy({ quote: 500 }, { feed, limit: feed.close.value * 0.999, tag: 'in' });
      else if (this.fast.value < this.slow.value && !isFlat) this.exit(feed);
    }
    override onFill() {
      reports.push(`${name} fill ${minuteOf(this.nowMs)} ${this.ownFeed.close.value}`);
    }
  };

const feeds = { f0: barsOf('AAA', 1, 0.1), f1: barsOf('BBB', 2, 0.2), f2: barsOf('CCC', 3) };
const strategies = ['f2', 'f0', 'f1', 'f0'].map(strategyOnFeed);

/**
 * Returns the reports to the strategies of each feed and their actions. Order numbers are left out, because they depend on the order of
 * feeds.
 */
async function resultByFeed(options: PlanOptions) {
  reports = [];
  const { record } = await run(options);
  const orders = orderRows(record);
  const fills = fillRows(record).map((row) => ({ ...row, order: 0 }));
  const reported = Object.fromEntries(['f0', 'f1', 'f2'].map((name) => [name, reports.filter((text) => text.startsWith(name))]));
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  return { orders: sorted(orders), fills: sorted(fills), reported, equity: record.equity.units.slice(0, record.equity.length) };
}

test('strategies that read one feed each decide the same with decide: perFeed as without', async () => {
  const whenComplete = await resultByFeed({ strategies, feeds });
  const oneByOne = await resultByFeed({ strategies, feeds, decide: 'perFeed' });
  expect(whenComplete.orders.length).toBeGreaterThan(40);
  expect(oneByOne).toEqual(whenComplete);
});

test('a run with decide: perFeed has the same result in blocks of any size', async () => {
  const fullBlocks = await resultByFeed({ strategies, feeds, decide: 'perFeed' });
  for (const blockRows of [1, 7]) expect(await resultByFeed({ strategies, feeds, decide: 'perFeed', blockRows })).toEqual(fullBlocks);
});

/** Returns a strategy that reads only its own close, at the bar and at a timer. */
const timedStrategyOn = (name: string): StrategyClass =>
  class Timed extends Strategy {
    ownFeed = this.feed(name);
    override onStart() {
      this.every('5m', () => reports.push(`timer of ${name} ${minuteOf(this.nowMs)}`));
    }
    override onBar() {
      reports.push(`${name} ${minuteOf(this.nowMs)}`);
    }
  };

test('with decide: perFeed, feeds decide in the order in which strategies first read them, and timers come last', async () => {
  const shortFeeds = {
    f0: walkBars({ instrument: spotInstrument('AAA'), rows: 6 }),
    f1: walkBars({ instrument: spotInstrument('BBB'), rows: 6 }),
  };
  await run({ strategies: [timedStrategyOn('f1'), timedStrategyOn('f0'), timedStrategyOn('f1')], feeds: shortFeeds, decide: 'perFeed' });
  expect(reports.filter((text) => text.endsWith(' 4'))).toEqual(['f1 4', 'f1 4', 'f0 4']);
  expect(reports.filter((text) => text.endsWith(' 5'))).toEqual([
    'f1 5', 'f1 5', 'f0 5', 'timer of f1 5', 'timer of f1 5', 'timer of f0 5',
  ]); // prettier-ignore
});

test('with decide: perFeed, two intervals of one instrument decide together, with the finest bar already delivered', async () => {
  const fine = barsOf('AAA', 1);
  const bars = { f0: fine, f1: coarser(fine, '5m'), f2: barsOf('BBB', 2) };
  const feedStrategies = ['f1', 'f2', 'f0'].map(strategyOnFeed);
  const whenComplete = await resultByFeed({ strategies: feedStrategies, feeds: bars });
  expect(await resultByFeed({ strategies: feedStrategies, feeds: bars, decide: 'perFeed' })).toEqual(whenComplete);
});

test('with decide: perFeed, a loss limit applies between the feeds of an instant, and equity has one row for each instant', async () => {
  const risk = { maxDailyLoss: '0.5' };
  const { record } = await run({ strategies, feeds, decide: 'perFeed', risk });
  const times = record.equity.timeMs.slice(0, record.equity.length);
  expect(new Set(times).size).toBe(times.length);
  const { record: whenComplete } = await run({ strategies, feeds, risk });
  expect(record.equity.units.slice(0, record.equity.length)).toEqual(whenComplete.equity.units.slice(0, whenComplete.equity.length));
});

test('with decide: perFeed, a strategy that reads several feeds or none is rejected', async () => {
  class ReadsTwoFeeds extends Strategy {
    one = this.feed('f0');
    other = this.feed('f1');
    override onBar() {}
  }
  class ReadsList extends Strategy {
    all = this.feeds('many');
    override onBar() {}
  }
  class ReadsNoFeed extends Strategy {
    override onStart() {}
  }
  await expect(run({ strategies: [ReadsTwoFeeds], feeds, decide: 'perFeed' })).rejects.toThrow(
    'ReadsTwoFeeds: expected a strategy that reads one feed (decide: perFeed), got one that reads f0 (AAAUSDT 1m), f1 (BBBUSDT 1m)',
  );
  const many = { many: ['A', 'B', 'C', 'D', 'E'].map((base, index) => barsOf(base, index)) };
  await expect(run({ strategies: [ReadsList], feeds: many, decide: 'perFeed' })).rejects.toThrow('many (CUSDT 1m) and 2 more');
  await expect(run({ strategies: [ReadsNoFeed], feeds, decide: 'perFeed' })).rejects.toThrow('got one that reads none');
  await expect(run({ strategies: [ReadsTwoFeeds], feeds })).resolves.toBeDefined();
});

test('the hashed text of a definition without `decide` does not contain the key', () => {
  const definition = { strategy: 'a.ts', feeds: { bars: { symbol: 'AAAUSDT', interval: '1m' } }, cash: '100' } as const;
  const textOf = (keys: object): string =>
    textWithDefaults({ ...definition, ...keys }, [], { from: '2024-01-01', to: '2024-01-02', rates: {} });
  expect(textOf({})).not.toContain('decide');
  expect(textOf({ decide: 'perFeed' })).toContain('decide: perFeed\n');
  expect(textOf({ decide: 'whenComplete' }).replace('decide: whenComplete\n', '')).toBe(textOf({}));
});
