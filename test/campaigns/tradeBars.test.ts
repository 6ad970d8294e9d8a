// Tests bars built from random trades: a strategy sees exactly the bars of a naive aggregator, each at its own end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { catalogStore } from '../../src/adapters/catalog/bars/barStore.ts';
import { importTrades } from '../../src/adapters/catalog/import/importTrades.ts';
import { Decimal as DefaultDecimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { loadTradeBars } from '../../src/definition/load/tradeBarFeed.ts';
import { parseFeedInterval } from '../../src/model/interval.ts';
import { formatTime } from '../../src/model/time.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import { backtest } from '../../src/tasks/backtest/fromCode/backtest.ts';
import { recordResult } from '../fixtures/campaignResults.ts';

/** `npm run campaign -- tradeBars --cases 1000` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 1);
const CASE_COUNT = Number(ISOBAR_CASES ?? 30);
type Decimal = DefaultDecimal;

/** Decimals with 80 digits, because products and sums here have more than the 20 of the default. */
const Decimal = DefaultDecimal.clone({ precision: 80 });
const DAY_MS = 86_400_000;
const START_MS = Date.parse('2024-02-27T00:00:00Z');

/** One trade with exact decimals. */
interface Trade {
  readonly id: number;
  readonly ms: number;
  readonly price: Decimal;
  readonly qty: Decimal;
}
/** Trades, and the rule that builds bars from them. */
interface TradeCase {
  readonly trades: readonly Trade[];
  readonly kind: 'ticks' | 'volume' | 'dollar' | 'range';
  readonly amount: Decimal;
}
/** A bar. Prices and volume are exact decimals as text. */
interface ExactBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}
/** A bar of the naive aggregator. */
interface NaiveBar extends ExactBar {
  /** True if trades are missing before or inside the bar: their ids have a gap. */
  readonly hasMissingTrades: boolean;
}

/**
 * Draws trades and a rule from the seed. Half of the rules have an amount that about `tradesPerBar` trades reach, the others one that the
 * first trades reach exactly.
 */
function caseOf(seed: number): TradeCase {
  const rng = seededRng(seed);
  /** Draws a whole number, both bounds included. */
  const drawBetween = (from: number, to: number) => from + Math.floor(rng.next() * (to - from + 1));
  const pickOne = <Value>(values: readonly Value[]): Value => values[drawBetween(0, values.length - 1)]!;
  const priceDigits = pickOne([0, 2, 4, 8]);
  const quantityDigits = pickOne([0, 1, 3, 8]);
  // Prices and quantities up to the largest exact numbers. Their products and sums are far beyond.
  const priceUnits = 10 ** drawBetween(1, 10);
  const maxUnits = 10 ** drawBetween(1, 13);
  const trades: Trade[] = [];
  let id = drawBetween(1, 1e6);
  let ms = START_MS + drawBetween(0, DAY_MS - 1);
  let price = Math.ceil((rng.next() + 0.1) * priceUnits);
  const tradeCount = drawBetween(1, 400);
  const maxGapMs = DAY_MS * pickOne([0.001, 0.01, 0.1]);
  while (trades.length < tradeCount) {
    const qty = Math.ceil(rng.next() ** 3 * maxUnits) || 1;
    trades.push({ id, ms, price: new Decimal(price).div(`1e${priceDigits}`), qty: new Decimal(qty).div(`1e${quantityDigits}`) });
    id += rng.next() < 0.03 ? drawBetween(2, 9) : 1;
    const gapChoice = rng.next();
    // Several trades in one ms, usual gaps, the last or first ms of a day, and days without trades.
    if (gapChoice > 0.98) ms = Math.floor(ms / DAY_MS) * DAY_MS + DAY_MS + pickOne([-1, 0, DAY_MS, 3 * DAY_MS - 1]);
    else if (gapChoice > 0.4) ms += Math.ceil(rng.next() * maxGapMs);
    ms = Math.max(ms, trades.at(-1)!.ms);
    price = Math.max(1, price + drawBetween(-1, 1) * Math.ceil(priceUnits * 0.01 * rng.next()));
  }
  const kind = pickOne(['ticks', 'volume', 'dollar', 'range'] as const);
  const tradesPerBar = drawBetween(1, 30);
  const sumOver = (summedTrades: readonly Trade[], valueOf: (trade: Trade) => Decimal) =>
    summedTrades.reduce((sum, trade) => sum.plus(valueOf(trade)), new Decimal(0));
  const meanOf = (valueOf: (trade: Trade) => Decimal) => sumOver(trades, valueOf).div(tradeCount);
  const notionalOf = (trade: Trade) => trade.price.times(trade.qty);
  const firstTrades = trades.slice(0, tradesPerBar);
  /** Amounts that about `tradesPerBar` trades reach. */
  const typicalAmounts = {
    ticks: () => new Decimal(tradesPerBar),
    volume: () => meanOf(({ qty }) => qty).times(tradesPerBar),
    dollar: () => meanOf(notionalOf).times(tradesPerBar),
    range: () => new Decimal(priceUnits * 0.01 * rng.next() * tradesPerBar).div(`1e${priceDigits}`),
  };
  /** Amounts that the first trades reach exactly. */
  const exactAmounts = {
    ticks: () => new Decimal(tradesPerBar),
    volume: () => sumOver(firstTrades, ({ qty }) => qty),
    dollar: () => sumOver(firstTrades, notionalOf),
    range: () => firstTrades[0]!.price.minus(firstTrades.at(-1)!.price).abs(),
  };
  // The exact amount, or the smallest amount above it that the name of an interval can have.
  const exactOrAbove = () => exactAmounts[kind]().plus(kind === 'ticks' ? 0 : pickOne(['0', '1e-12']));
  const drawnAmount = rng.next() < 0.5 ? typicalAmounts[kind]() : exactOrAbove();
  // The name of an interval has at most 15 digits before the point and 12 behind it.
  const amount = Decimal.min(drawnAmount, '1e15').toDecimalPlaces(kind === 'ticks' ? 0 : pickOne([0, 3, 12, 12, 12]));
  return { trades, kind, amount: amount.lte(0) ? new Decimal(1) : Decimal.min(amount, '999999999999999') };
}

/** Builds bars as docs/data.md#bars-from-trades describes them, with lists and decimals and without regard to speed. */
function naiveBars({ trades, kind, amount }: TradeCase): NaiveBar[] {
  const bars: NaiveBar[] = [];
  const days = [...new Set(trades.map(({ ms }) => Math.floor(ms / DAY_MS)))];
  let lastId: number | null = null;
  days.forEach((day, dayIndex) => {
    const tradesOfDay = trades.filter(({ ms }) => Math.floor(ms / DAY_MS) === day);
    let pending: Trade[] = [];
    let openMs = dayIndex === 0 ? tradesOfDay[0]!.ms : day * DAY_MS;
    let hasMissingTrades = false;
    const endBar = (closeMs: number) => {
      const prices = pending.map(({ price }) => price);
      bars.push({
        openMs,
        closeMs,
        open: prices[0]!.toString(),
        high: Decimal.max(...prices).toString(),
        low: Decimal.min(...prices).toString(),
        close: prices.at(-1)!.toString(),
        volume: pending.reduce((sum, { qty }) => sum.plus(qty), new Decimal(0)).toString(),
        hasMissingTrades,
      });
      pending = [];
      openMs = closeMs;
      hasMissingTrades = false;
    };
    for (const ms of new Set(tradesOfDay.map((trade) => trade.ms))) {
      for (const trade of tradesOfDay.filter((candidate) => candidate.ms === ms)) {
        if (lastId !== null && trade.id !== lastId + 1) hasMissingTrades = true;
        lastId = trade.id;
        pending.push(trade);
      }
      const prices = pending.map(({ price }) => price);
      const size = {
        ticks: () => new Decimal(pending.length),
        volume: () => pending.reduce((sum, { qty }) => sum.plus(qty), new Decimal(0)),
        dollar: () => pending.reduce((sum, { price, qty }) => sum.plus(price.times(qty)), new Decimal(0)),
        range: () => Decimal.max(...prices).minus(Decimal.min(...prices)),
      }[kind]();
      if (size.gte(amount)) endBar(ms + 1);
    }
    if (pending.length > 0 && dayIndex + 1 < days.length) endBar((day + 1) * DAY_MS);
  });
  return bars;
}

const folder = mkdtempSync(join(tmpdir(), 'isobar-tradeBars-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Imports the trades, and returns the catalog. */
async function catalogOf({ trades }: TradeCase, name: string): Promise<string> {
  const catalog = join(folder, name);
  const path = join(folder, 'ABCUSDT-trades.csv');
  const rows = trades.map(({ id, ms, price, qty }) => `${id},${price.toFixed()},${qty.toFixed()},${ms}`);
  writeFileSync(path, `id,price,qty,time\n${rows.join('\n')}\n`);
  await importTrades([path], { catalog });
  return catalog;
}

/** Returns a bar as numbers, each the nearest double of its decimal. */
const asDoubles = ({ openMs, closeMs, open, high, low, close, volume }: ExactBar): readonly number[] => [
  openMs,
  closeMs,
  ...[open, high, low, close, volume].map(Number),
];

/** Runs a backtest, and returns what its strategy saw at each close: the bar as numbers, with the time of the call as its end. */
async function barsSeenByStrategy(
  catalog: string,
  interval: NonNullable<ReturnType<typeof parseFeedInterval>>,
  { fromMs, toMs }: { readonly fromMs: number | undefined; readonly toMs: number | undefined },
): Promise<number[][]> {
  const visibleBars: number[][] = [];
  class BarRecorder extends Strategy {
    override onBar() {
      const { openMs, open, high, low, close, volume } = this.bars.bar;
      visibleBars.push([openMs, this.nowMs, open, high, low, close, volume]);
    }
  }
  await backtest({
    strategy: BarRecorder,
    feeds: { bars: { symbol: 'ABCUSDT', interval } },
    catalog,
    cash: { USDT: '1000' },
    ...(fromMs === undefined ? {} : { from: formatTime(fromMs) }),
    ...(toMs === undefined ? {} : { to: formatTime(toMs) }),
  });
  return visibleBars;
}

it(`${CASE_COUNT} sets of random trades give the bars of a naive aggregator`, { timeout: 3_600_000 }, async () => {
  let barCount = 0;
  let missingCount = 0;
  let runCount = 0;
  for (let seed = SEED; seed < SEED + CASE_COUNT; seed++) {
    const randomCase = caseOf(seed);
    const interval = parseFeedInterval(`${randomCase.amount.toFixed()}${randomCase.kind}`)!;
    const caseText = `seed ${seed}: ${randomCase.trades.length} trades, ${interval}`;
    const expectedBars = naiveBars(randomCase);
    const catalog = await catalogOf(randomCase, `catalog-${seed}`);
    const rng = seededRng(seed * 7 + 1);
    const firstMs = randomCase.trades[0]!.ms;
    const lastMs = randomCase.trades.at(-1)!.ms;
    const drawTime = () => firstMs + Math.floor(rng.next() * (lastMs - firstMs + DAY_MS));
    const fromMs = rng.next() < 0.5 ? undefined : drawTime();
    const toMs = rng.next() < 0.5 ? undefined : drawTime();
    const warmupRows = fromMs === undefined ? 0 : Math.floor(rng.next() * 20);
    const startMs = fromMs ?? -Infinity;
    const endMs = toMs ?? Infinity;
    const barsInRun = expectedBars.filter(({ openMs, closeMs }) => openMs >= startMs && closeMs <= endMs);
    const barsBefore = expectedBars.filter(({ openMs }) => openMs < startMs);
    const warmupBars = warmupRows === 0 ? [] : barsBefore.slice(-warmupRows);
    const feed = { market: 'spot', symbol: 'ABCUSDT', interval } as const;
    const load = () => loadTradeBars(catalogStore(catalog), feed, { fromMs, toMs, warmupRows }, 'feeds');
    if (barsInRun.length === 0) {
      expect(load, caseText).toThrow(/no bar of/);
      continue;
    }
    const { bars: builtBars, firstRow, quality } = load();
    const actualBars = Array.from({ length: builtBars.length }, (_, row) =>
      (['openMs', 'closeMs', 'open', 'high', 'low', 'close', 'volume'] as const).map((name) => builtBars[name][row]!),
    );
    expect(actualBars, caseText).toEqual([...warmupBars, ...barsInRun].map(asDoubles));
    expect(firstRow, caseText).toBe(warmupBars.length);
    expect(quality.thinBars, caseText).toBe(barsInRun.filter(({ hasMissingTrades }) => hasMissingTrades).length);
    barCount += barsInRun.length;
    missingCount += quality.thinBars;
    // A backtest takes much longer than a load, so only every fifth case has one.
    if (seed % 5 !== 0) continue;
    const visibleBars = await barsSeenByStrategy(catalog, interval, { fromMs, toMs });
    // As with bars of time, a strategy gets the bar that opened before the run and ends in it.
    const delivered = expectedBars.filter(({ closeMs }) => closeMs > startMs && closeMs <= endMs);
    expect(visibleBars, caseText).toEqual(delivered.map(asDoubles));
    runCount++;
  }
  recordResult({ cases: CASE_COUNT, bars: barCount, thin: missingCount, runs: runCount });
  console.log(`${CASE_COUNT} sets of trades, ${barCount} bars, ${missingCount} of them with missing trades; ${runCount} runs`);
  expect(barCount).toBeGreaterThan(CASE_COUNT);
});
