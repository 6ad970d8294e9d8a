// Tests feeds whose bars are made from trades: beside time bars, as execution feeds, and where they are rejected.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFiles } from '../../src/adapters/catalog/import/importFiles.ts';
import { importTrades } from '../../src/adapters/catalog/import/importTrades.ts';
import { memoryStore } from '../../src/adapters/catalog/bars/barStore.ts';
import { fromScaled } from '../../src/base/number/decimal.ts';
import { loadFeeds } from '../../src/definition/load/feeds.ts';
import { parseDefinition } from '../../src/definition/text/parse.ts';
import { yamlSource } from '../../src/definition/text/source.ts';
import { intervalOption } from '../../src/cli/options/values.ts';
import { parseFeedInterval, parseInterval } from '../../src/model/interval.ts';
import { Strategy, type StrategyClass } from '../../src/strategy/strategy.ts';
import { backtest } from '../../src/tasks/backtest/fromCode/backtest.ts';
import { wantedFeeds } from '../../src/tasks/bot/config/wantedFeeds.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2024-03-01T00:00:00Z');
/** Time of the first trade after START_MS, and time between two trades, ms. */
const FIRST_TRADE_MS = 5000;
const TRADE_PERIOD_MS = 10_000;

/** A trade every 10 s for a little more than four hours. The price of a trade rises by 0.01 each, so it gives the number of the trade. */
const TRADES = Array.from({ length: 1500 }, (_, index) => ({
  id: index + 1,
  ms: START_MS + FIRST_TRADE_MS + index * TRADE_PERIOD_MS,
  price: 100 + index / 100,
}));

const folder = mkdtempSync(join(tmpdir(), 'isobar-tradeBars-'));
const catalog = join(folder, 'data');
beforeAll(async () => {
  const tradesFile = join(folder, 'ABCUSDT-trades.csv');
  writeFileSync(tradesFile, `id,price,qty,time\n${TRADES.map(({ id, ms, price }) => `${id},${price.toFixed(2)},1.5,${ms}`).join('\n')}\n`);
  const hourRows = Array.from({ length: 4 }, (_, hour) => {
    const prices = TRADES.filter(({ ms }) => Math.floor((ms - START_MS) / HOUR_MS) === hour).map(({ price }) => price.toFixed(2));
    return [START_MS + hour * HOUR_MS, prices[0], prices.at(-1), prices[0], prices.at(-1), 540].join(',');
  });
  const barsFile = join(folder, 'ABCUSDT-1h.csv');
  writeFileSync(barsFile, `open_time,open,high,low,close,volume\n${hourRows.join('\n')}\n`);
  await importTrades([tradesFile], { catalog });
  await importFiles([barsFile], { catalog, nowMs: START_MS + 24 * HOUR_MS });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Never trades. */
class Idle extends Strategy {}
/** Runs a strategy on bars of seven trades, with hourly bars beside them. */
const runOnTradeBars = (strategy: StrategyClass, overrides: object = {}) =>
  backtest({
    strategy,
    feeds: { bars: { symbol: 'ABCUSDT', interval: '7ticks' }, trend: { symbol: 'ABCUSDT', interval: '1h' } },
    catalog,
    cash: { USDT: '100000' },
    ...overrides,
  });

describe('a run on bars from trades', () => {
  it('a run on bars from trades shows time bars at their close, and fills orders at the first price of the next bar', async () => {
    const hourTimes: number[] = [];
    const closesAtOrder: number[] = [];
    class TradeAndTimeBars extends Strategy {
      trend = this.feed('trend');
      override onBar() {
        if (this.trend.fresh) hourTimes.push(this.nowMs);
        if (!this.bars.fresh) return;
        // The bar ends 1 ms after its seventh trade, and its close is the price of that trade.
        const indexByTime = (this.nowMs - 1 - START_MS - FIRST_TRADE_MS) / TRADE_PERIOD_MS;
        const indexByPrice = this.bars.bar.close * 100 - 10_000;
        expect(indexByTime).toBeCloseTo(indexByPrice, 6);
        if (this.position().isFlat && closesAtOrder.length < 3) {
          closesAtOrder.push(this.bars.bar.close);
          this.buy({ base: '1' });
        } else this.exit();
      }
    }
    const { record } = await runOnTradeBars(TradeAndTimeBars);
    expect(hourTimes).toEqual([1, 2, 3, 4].map((hour) => START_MS + hour * HOUR_MS));
    const { fills } = record;
    const buyRows = Array.from({ length: fills.length }, (_, row) => row).filter((row) => fills.side[row] === 0);
    expect(buyRows.map((row) => fromScaled(fills.price[row]!, 2))).toEqual(closesAtOrder.map((close) => (close + 0.01).toFixed(2)));
    expect(record.feeds.map(({ bars }) => bars.interval)).toEqual(['7ticks', '1h']);
  });

  it('a run on bars from trades has the same bars for every time range, because counting begins with the day', async () => {
    const wholeTimes: number[] = [];
    const partTimes: number[] = [];
    const recordingInto = (times: number[]) =>
      class extends Strategy {
        override onBar() {
          if (this.bars.fresh) times.push(this.nowMs);
        }
      };
    await runOnTradeBars(recordingInto(wholeTimes));
    await runOnTradeBars(recordingInto(partTimes), { from: '2024-03-01T02:00' });
    expect(partTimes).toEqual(wholeTimes.filter((ms) => ms > START_MS + 2 * HOUR_MS));
    expect(partTimes.length).toBeGreaterThan(100);
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
  ])('the interval %s is named %s, and is no interval of time', (text, name) => {
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
  ])('%s is rejected as an interval of bars from trades', (text) => expect(parseFeedInterval(text)).toBe(null));
});

describe('rejected bars from trades', () => {
  const sourceWith = (lines: string) => yamlSource('x.yaml', '.', `strategy: s.ts\ncash: '1000'\n${lines}`);
  const load = (lines: string) => {
    const definitionSource = sourceWith(lines);
    return loadFeeds(parseDefinition(definitionSource), definitionSource, memoryStore([]), { fromMs: null, toMs: null });
  };
  it('bars from trades are rejected without a catalog', () => {
    expect(() => load('feeds: { bars: { symbol: ABCUSDT, interval: 7ticks } }')).toThrow(
      'feeds.bars.interval: expected a catalog with trades for bars of 7ticks, got bars from memory',
    );
  });
  it('bars from trades are rejected with minCoverage', () => {
    expect(() => load("feeds: { bars: { symbol: ABCUSDT, interval: 7ticks, minCoverage: '0.5' } }")).toThrow(
      'feeds.bars.minCoverage: expected bars of a length of time, got 7ticks',
    );
  });
  it('bars from trades of a symbol without trades are rejected', async () => {
    const feeds = { bars: { symbol: 'XYZUSDT', interval: '7ticks' } };
    await expect(runOnTradeBars(Idle, { feeds })).rejects.toThrow(/bars of 7ticks need trades, and .* has none/);
  });
  it('bars from trades with an amount that no bar reaches are rejected', async () => {
    const feeds = { bars: { symbol: 'ABCUSDT', interval: '9999ticks' } };
    await expect(runOnTradeBars(Idle, { feeds })).rejects.toThrow('no bar of 9999ticks opens and ends from the start to the end');
  });
  it('bars from trades beside an execution interval of time bars are rejected', async () => {
    await expect(runOnTradeBars(Idle, { fills: { executionInterval: '1m' } })).rejects.toThrow(
      'expected trades, finest or off beside bars of 7ticks',
    );
  });
  it('bars from trades are rejected by a bot on futures, because the exchange does not publish the trades of contracts', () => {
    const definitionSource = sourceWith('market: futures\nfeeds: { bars: { symbol: E-ABC-USDT, interval: 7ticks } }');
    expect(() => wantedFeeds({ definition: parseDefinition(definitionSource), source: definitionSource })).toThrow(
      'feeds.bars.interval: expected a length of time for a bot on futures, got 7ticks',
    );
  });
  it('bars from trades are rejected by a command that stores bars', () => {
    expect(() => intervalOption('--interval', '7ticks')).toThrow('--interval: expected a length');
  });
});
