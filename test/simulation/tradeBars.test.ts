// Tests of feeds with bars made from trades: beside time bars, as execution feeds, and where they are refused.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFiles } from '../../src/adapters/catalog/import/importFiles.ts';
import { importTrades } from '../../src/adapters/catalog/import/importTrades.ts';
import { memoryStore } from '../../src/adapters/catalog/bars/store.ts';
import { fromScaled } from '../../src/base/number/decimal.ts';
import { loadFeeds } from '../../src/definition/load/feeds.ts';
import { parseDefinition } from '../../src/definition/text/parse.ts';
import { yamlSource } from '../../src/definition/text/source.ts';
import { intervalOf } from '../../src/cli/options/values.ts';
import { parseFeedInterval, parseInterval } from '../../src/model/interval.ts';
import { Strategy, type StrategyClass } from '../../src/strategy/strategy.ts';
import { backtest } from '../../src/tasks/backtest/fromCode/backtest.ts';
import { wantedFeeds } from '../../src/tasks/bot/config/wantedFeeds.ts';

const HOUR = 3_600_000;
const START = Date.parse('2024-03-01T00:00:00Z');
/** A trade every 10 s for a little more than four hours. The price of a trade gives its number. */
const TRADES = Array.from({ length: 1500 }, (_, at) => ({ id: at + 1, ms: START + 5000 + at * 10_000, price: 100 + at / 100 }));

const folder = mkdtempSync(join(tmpdir(), 'isobar-tradeBars-'));
const catalog = join(folder, 'data');
beforeAll(async () => {
  const trades = join(folder, 'ABCUSDT-trades.csv');
  writeFileSync(trades, `id,price,qty,time\n${TRADES.map(({ id, ms, price }) => `${id},${price.toFixed(2)},1.5,${ms}`).join('\n')}\n`);
  const hours = Array.from({ length: 4 }, (_, hour) => {
    const traded = TRADES.filter(({ ms }) => Math.floor((ms - START) / HOUR) === hour).map(({ price }) => price.toFixed(2));
    return [START + hour * HOUR, traded[0], traded.at(-1), traded[0], traded.at(-1), 540].join(',');
  });
  const bars = join(folder, 'ABCUSDT-1h.csv');
  writeFileSync(bars, `open_time,open,high,low,close,volume\n${hours.join('\n')}\n`);
  await importTrades([trades], { catalog });
  await importFiles([bars], { catalog, nowMs: START + 24 * HOUR });
});
afterAll(() => rmSync(folder, { recursive: true }));

class Idle extends Strategy {}
const run = (strategy: StrategyClass, more: object = {}) =>
  backtest({
    strategy,
    feeds: { bars: { symbol: 'ABCUSDT', interval: '7ticks' }, trend: { symbol: 'ABCUSDT', interval: '1h' } },
    catalog,
    cash: { USDT: '100000' },
    ...more,
  });

describe('a run on bars from trades', () => {
  it('shows a time bar at its close, and fills orders at the first price of the next bar from trades', async () => {
    const hours: number[] = [];
    const asked: number[] = [];
    class Both extends Strategy {
      trend = this.feed('trend');
      override onBar() {
        if (this.trend.fresh) hours.push(this.nowMs);
        if (!this.bars.fresh) return;
        // The bar ends with its seventh trade, and no later trade is known.
        expect((this.nowMs - 1 - START - 5000) / 10_000).toBeCloseTo(this.bars.bar.close * 100 - 10_000, 6);
        if (this.position().isFlat && asked.length < 3) {
          asked.push(this.bars.bar.close);
          this.buy({ base: '1' });
        } else this.exit();
      }
    }
    const { record } = await run(Both);
    expect(hours).toEqual([1, 2, 3, 4].map((hour) => START + hour * HOUR));
    const buys = Array.from({ length: record.fills.length }, (_, at) => at).filter((at) => record.fills.side[at] === 0);
    expect(buys.map((at) => fromScaled(record.fills.price[at]!, 2))).toEqual(asked.map((close) => (close + 0.01).toFixed(2)));
    expect(record.feeds.map(({ bars }) => bars.interval)).toEqual(['7ticks', '1h']);
  });

  it('has the same bars for every time range, because counting begins with the day', async () => {
    const closes: Record<string, number[]> = { whole: [], part: [] };
    const noting = (into: number[]) =>
      class extends Strategy {
        override onBar() {
          if (this.bars.fresh) into.push(this.nowMs);
        }
      };
    await run(noting(closes['whole']!));
    await run(noting(closes['part']!), { from: '2024-03-01T02:00' });
    expect(closes['part']).toEqual(closes['whole']!.filter((ms) => ms > START + 2 * HOUR));
    expect(closes['part']!.length).toBeGreaterThan(100);
  });
});

describe('the names of bars from trades', () => {
  it.each([
    ['500ticks', '500ticks'],
    ['10.50volume', '10.5volume'],
    ['0.001volume', '0.001volume'],
    ['1000000.000dollar', '1000000dollar'],
    ['100range', '100range'],
    ['999999999999999.999999999999dollar', '999999999999999.999999999999dollar'],
  ])('%s is %s', (text, name) => {
    expect(parseFeedInterval(text)).toBe(name);
    expect(parseInterval(text)).toBe(null);
  });
  it.each([
    '0ticks',
    '1.5ticks',
    '05ticks',
    '-1range',
    '1e6dollar',
    '0.0range',
    '1tick',
    '1 ticks',
    'ticks',
    '.5volume',
    '0.0000000000001range',
  ])('%s is not an interval', (text) => expect(parseFeedInterval(text)).toBe(null));
});

describe('bars from trades are refused', () => {
  const source = (lines: string) => yamlSource('x.yaml', '.', `strategy: s.ts\ncash: '1000'\n${lines}`);
  const load = (lines: string) => {
    const given = source(lines);
    return loadFeeds(parseDefinition(given), given, memoryStore([]), { fromMs: null, toMs: null });
  };
  it('without a catalog', () => {
    expect(() => load('feeds: { bars: { symbol: ABCUSDT, interval: 7ticks } }')).toThrow(
      'feeds.bars.interval: expected a catalog with trades for bars of 7ticks, got bars from memory',
    );
  });
  it('with minCoverage', () => {
    expect(() => load("feeds: { bars: { symbol: ABCUSDT, interval: 7ticks, minCoverage: '0.5' } }")).toThrow(
      'feeds.bars.minCoverage: expected bars of a length of time, got 7ticks',
    );
  });
  it('of a symbol without trades', async () => {
    const feeds = { bars: { symbol: 'XYZUSDT', interval: '7ticks' } };
    await expect(run(Idle, { feeds })).rejects.toThrow(/bars of 7ticks need trades, and .* has none/);
  });
  it('with an amount that no bar reaches', async () => {
    const feeds = { bars: { symbol: 'ABCUSDT', interval: '9999ticks' } };
    await expect(run(Idle, { feeds })).rejects.toThrow('no bar of 9999ticks opens and ends from the start to the end');
  });
  it('beside an execution interval of time bars', async () => {
    await expect(run(Idle, { fills: { executionInterval: '1m' } })).rejects.toThrow('expected trades, finest or off beside bars of 7ticks');
  });
  it('by a bot', () => {
    const given = source('feeds: { bars: { symbol: ABCUSDT, interval: 7ticks } }');
    expect(() => wantedFeeds({ definition: parseDefinition(given), source: given })).toThrow(
      'feeds.bars.interval: expected a length of time for a bot, got 7ticks',
    );
  });
  it('by a command that stores bars', () => {
    expect(() => intervalOf('--interval', '7ticks')).toThrow('--interval: expected a length');
  });
});
