// Tests that no decision knows the future: over less data, every shipped strategy decides the same, and no order fills before it arrives.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadStrategy } from '../../dist/adapters/plugins/loadStrategy.js';
import type { FeedPlan } from '../../src/definition/plan/plan.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { PERPETUAL } from '../fixtures/perpetual.ts';
import { runBacktest } from '../fixtures/shippedStrategyRun.ts';
import { feed, hoursOf, minutes, planOf, START_MS, stretchBars, truncateBars, type PlanOptions } from '../simulation/plans.ts';

const STRATEGY_FOLDER = new URL('../../strategies/', import.meta.url).pathname;

/** The files of the shipped strategies. */
const SHIPPED = readdirSync(STRATEGY_FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
/** `npm run campaign -- lookAhead` sets both variables. Its default number of trials reaches nearly every row. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const SEED = Number(ISOBAR_SEED ?? 20_240_101);
const TRIALS = Number(ISOBAR_CASES ?? 16);
const ROW_COUNT = 1100;
/** Shorter data may not be enough for the warm-up of a strategy. */
const MIN_ROWS = 250;

/** A decision of a strategy: its time, and its terms as text. */
interface Decision {
  readonly ms: number;
  readonly text: string;
}

/** Returns the decisions of a run: what the strategy chose, without the outcome. */
function decisionsOf({ orders }: RunRecord): readonly Decision[] {
  const decisions: Decision[] = [];
  for (let row = 0; row < orders.length; row++) {
    // A bracket leg is not a decision. It follows a fill, which may happen at the open after the last bar.
    if (orders.parent[row] !== 0) continue;
    const ms = orders.createdMs[row]!;
    const terms = [orders.side[row], orders.role[row], orders.lots[row], orders.quoteUnits[row], orders.limit[row]];
    decisions.push({ ms, text: [ms, ...terms, orders.texts[orders.slot[row]!]].join() });
  }
  return decisions;
}

/** Returns the decisions before `ms` as text, in order of time. */
function textsBefore(decisions: readonly Decision[], ms: number): readonly string[] {
  const endIndex = decisions.findIndex((decision) => decision.ms >= ms);
  const earlier = endIndex < 0 ? decisions : decisions.slice(0, endIndex);
  return earlier.map(({ text }) => text);
}

/** The data and parameters of one strategy. */
interface StrategyData {
  /** The finest feed, by whose rows the run is cut. */
  readonly bars: BarColumns;
  readonly params: Readonly<Record<string, unknown>>;
  /** Every feed as it would be known at `endMs`. */
  readonly feeds: (endMs: number) => readonly FeedPlan[];
  /** For futures: the terms of the account, with the funding that would be known at `endMs`. */
  readonly terms?: (endMs: number) => PlanOptions;
}

/** Returns the bars that close at or before `endMs`. */
function barsUntil(bars: BarColumns, endMs: number): BarColumns {
  const lastRow = bars.closeMs.findLastIndex((closeMs) => closeMs <= endMs);
  return truncateBars(bars, lastRow + 1);
}

/** Returns the data of a strategy: minutes of one symbol, and the other feeds that the strategy needs. */
function dataOf(file: string, seed: number): StrategyData {
  const bars = minutes('AAAUSDT', ROW_COUNT, seed, 0.05);
  const singleFeed = { bars, params: {}, feeds: (endMs: number) => [feed('bars', barsUntil(bars, endMs))] };
  switch (file) {
    case 'trendFilter.ts': {
      const feeds = (endMs: number) => [feed('bars', barsUntil(bars, endMs)), feed('trend', hoursOf(barsUntil(bars, endMs)))];
      return { bars, params: { trendBars: 3, bandWidths: 1.2 }, feeds };
    }
    case 'rsiMeanReversion.ts':
      return { ...singleFeed, params: { rsiBars: 3, oversold: 40, trendBars: 30, maxBars: 20, stopShare: 0.01 } };
    case 'bollingerGrid.ts':
      return { ...singleFeed, params: { bandBars: 30, minStep: 0.002 } };
    case 'momentumRotation.ts': {
      const universe = ['AAAUSDT', 'BBBUSDT', 'CCCUSDT'].map((symbol, symbolIndex) =>
        stretchBars(minutes(symbol, ROW_COUNT, seed + symbolIndex, 0.05), '4h', 240),
      );
      return {
        bars: universe[0]!,
        params: { lookBack: 12, top: 2, period: '1d' },
        feeds: (endMs) => universe.map((symbolBars) => feed('universe', barsUntil(symbolBars, endMs))),
      };
    }
    case 'fundingFade.ts': {
      const contractBars = contract('AAA', seed);
      const feeds = (endMs: number) => [feed('bars', barsUntil(contractBars, endMs))];
      return { bars: contractBars, params: { bandBars: 20, bandWidths: 1.5 }, feeds, terms: () => PERPETUAL };
    }
    case 'perpetualTrend.ts': {
      const contracts = ['AAA', 'BBB'].map((base, index) => contract(base, seed + index));
      const feeds = (endMs: number) => contracts.map((symbolBars) => feed('contracts', barsUntil(symbolBars, endMs)));
      return { bars: contracts[0]!, params: { entryBars: 20, exitBars: 10, atrBars: 14 }, feeds, terms: () => PERPETUAL };
    }
    case 'fundingCarry.ts': {
      const perp = contract('AAA', seed);
      // Both accounts have the same digits of money.
      const coin = { ...bars, instrument: { ...bars.instrument, quoteDigits: perp.instrument.quoteDigits } };
      const feeds = (endMs: number) => [feed('spot', barsUntil(coin, endMs)), feed('perp', barsUntil(perp, endMs))];
      return { bars, params: { rates: 1, enterRate: 0.0001 }, feeds, terms: (endMs) => withFunding(perp, seed, endMs) };
    }
    default:
      return singleFeed;
  }
}

/** Returns options with two accounts and a funding rate every seven minutes up to `endMs`. */
function withFunding({ instrument }: BarColumns, seed: number, endMs: number): PlanOptions {
  const random = seededRng(seed);
  const rates = Array.from({ length: 200 }, (_, rateIndex) => ({
    timeMs: START_MS + rateIndex * 7 * 60_000,
    rate: random.next() / 1000 - 0.0004,
  }));
  const knownRates = rates.filter(({ timeMs }) => timeMs <= endMs);
  const data = {
    marks: null,
    funding: knownRates.map(({ timeMs, rate }) => ({ timeMs, rate: Math.round(rate * 1e12), markTicks: 10_000 })),
    rates: {
      length: knownRates.length,
      timeMs: Float64Array.from(knownRates, ({ timeMs }) => timeMs),
      rate: Float64Array.from(knownRates, ({ rate }) => rate),
    },
  };
  const funds = { spot: { USDT: '5000' }, futures: { USDT: '5000' } };
  return { ...PERPETUAL, funds, futures: { ...PERPETUAL.futures!, data: new Map([[instrument.id, data]]) } };
}

/** Returns the bars of a contract. */
function contract(base: string, seed: number): BarColumns {
  return { ...minutes(`${base}USDT`, ROW_COUNT, seed, 0.05), instrument: linearContract({}, { base, priceDigits: 2 }) };
}

/** Loads a shipped strategy. */
async function loadShipped(file: string): Promise<{ strategy: StrategyClass; hash: string }> {
  const { strategy, hash } = await loadStrategy(STRATEGY_FOLDER + file);
  return { strategy: strategy as object as StrategyClass, hash };
}

describe.each(SHIPPED)('%s', (file) => {
  it(`the strategy decides the same on all data and on data that end at one of ${TRIALS} random rows (seed ${SEED})`, async () => {
    const { strategy, hash } = await loadShipped(file);
    const random = seededRng(SEED);
    const { bars, feeds, params, terms } = dataOf(file, 3);
    const runUntil = (endMs: number) => {
      const plan = planOf(strategy, feeds(endMs), { ...terms?.(endMs), params });
      return runBacktest({ ...plan, strategies: [{ ...plan.strategies[0]!, hash }] });
    };
    const fullRun = await runUntil(Infinity);
    expect(fullRun.orders.length).toBeGreaterThan(20);
    const allDecisions = decisionsOf(fullRun);
    const triedEndsMs = new Set<number>();
    for (let trial = 0; trial < TRIALS; trial++) {
      const length = MIN_ROWS + Math.floor(random.next() * (bars.length - MIN_ROWS));
      const endMs = bars.closeMs[length - 1]! + 1;
      // The same end would give the same run again.
      if (triedEndsMs.has(endMs)) continue;
      triedEndsMs.add(endMs);
      const shortRun = await runUntil(endMs);
      const decided = textsBefore(decisionsOf(shortRun), endMs);
      expect(decided, `data up to row ${length - 1}, seed ${SEED}`).toEqual(textsBefore(allDecisions, endMs));
    }
  });

  it.each([0, 30_000, 90_000])('no order fills before it arrives, with a latency of %i ms', async (latencyMs) => {
    const { strategy } = await loadShipped(file);
    const { feeds, params, terms } = dataOf(file, 8);
    const { orders, fills } = await runBacktest(planOf(strategy, feeds(Infinity), { ...terms?.(Infinity), params, fills: { latencyMs } }));
    expect(fills.length).toBeGreaterThan(20);
    for (let fillIndex = 0; fillIndex < fills.length; fillIndex++) {
      const row = fills.orderId[fillIndex]! - 1;
      // A bracket leg arises inside the bar whose close is its time of creation, so it may arrive up to one bar earlier.
      const minDelayMs = orders.parent[row] === 0 ? latencyMs : -60_000;
      expect(orders.arrivedMs[row]).toBeGreaterThanOrEqual(orders.createdMs[row]! + minDelayMs);
      expect(fills.timeMs[fillIndex]).toBeGreaterThanOrEqual(orders.arrivedMs[row]!);
    }
  });
});
