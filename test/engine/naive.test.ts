// Tests the engine against a naive backtest: each fill, the end of each order, and the equity of each instant are equal bit by bit.

import { describe, expect, it } from 'vitest';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { ENDINGS, type RunRecord } from '../../src/model/run/run.ts';
import { NaiveBacktest, type NaiveFill } from './naiveBacktest.ts';
import { randomScriptStrategy, type ScriptOptions } from './randomScript.ts';
import { coarser, run, spotInstrument, START_MS, walkBars } from './backtestFixture.ts';
import { expectEqual } from '../fixtures/quickExpect.ts';

const ROW_COUNT = 300;
/** Number of seeds of each case at each latency. ISOBAR_SEEDS=200 runs a campaign. */
const { ISOBAR_SEEDS } = process.env;
const SEEDS = Number(ISOBAR_SEEDS ?? 2);

/**
 * Returns the seeds from `first` on for the latency at position `index`. Of two successive latencies, one has the first block lengths, and
 * the other the last ones.
 */
function seedsOf(firstSeed: number, index: number): readonly number[] {
  const skipped = ISOBAR_SEEDS === undefined ? SEEDS * (index % 2) : 0;
  return Array.from({ length: SEEDS }, (_, seed) => firstSeed + skipped + seed);
}

/** Returns the feeds of a kind of case. */
function feedsOf(kind: string, seed: number): Record<string, BarColumns> {
  const btc = walkBars({ rows: ROW_COUNT, seed });
  if (kind === 'single') return { bars: btc };
  if (kind === 'gaps') return { bars: walkBars({ rows: ROW_COUNT, seed, missing: 0.2 }) };
  if (kind === 'two intervals') return { bars: btc, hour: coarser(btc, '1h') };
  if (kind === 'one grid') return feedsOnOneGrid(seed);
  if (kind === 'one grid with holes') return feedsWithEqualHoles(seed);
  const eth = walkBars({ rows: ROW_COUNT, seed: seed + 1, missing: 0.02, instrument: spotInstrument('ETH') });
  const sol = walkBars({ rows: ROW_COUNT, seed: seed + 2, missing: 0.2, instrument: spotInstrument('SOL') });
  return { bars: btc, eth, sol, btcHour: coarser(btc, '1h'), solQuarter: coarser(sol, '15m') };
}

/** Returns the bars of four symbols with a row for each minute. */
const fourSymbols = (seed: number) =>
  ['BTC', 'ETH', 'SOL', 'ADA'].map((base, index) => walkBars({ rows: ROW_COUNT, seed: seed + index, instrument: spotInstrument(base) }));

/** Returns four symbols that have rows at the same minutes. Only the third symbol begins later and ends earlier. */
function feedsOnOneGrid(seed: number): Record<string, BarColumns> {
  const [btc, eth, sol, ada] = fourSymbols(seed);
  const shortSol = without(sol!, (row) => row < 100 || row >= 270);
  return { bars: btc!, eth: eth!, sol: shortSol, ada: ada!, ethHour: coarser(eth!, '1h') };
}

/** Returns four symbols with the same missing minutes. The last symbol lacks one more. */
function feedsWithEqualHoles(seed: number): Record<string, BarColumns> {
  const [btc, eth, sol, ada] = fourSymbols(seed);
  const isMissing = (row: number) => row % 50 === 17 || (row > 120 && row < 150);
  const removeRows = (bars: BarColumns) => without(bars, isMissing);
  return {
    bars: removeRows(btc!),
    eth: removeRows(eth!),
    sol: removeRows(sol!),
    ada: without(ada!, (row) => isMissing(row) || row === 200),
  };
}

/** Returns the bars without the rows for which `isMissing` is true. */
function without(bars: BarColumns, isMissing: (row: number) => boolean): BarColumns {
  const isThere = (_: number, row: number) => !isMissing(row);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const columns = { openMs, closeMs, open, high, low, close, volume };
  const remainingColumns = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, column.filter(isThere)]),
  ) as typeof columns;
  return { ...bars, ...remainingColumns, length: remainingColumns.openMs.length };
}

/** One random comparison. */
interface ComparisonCase {
  readonly kind: string;
  readonly seed: number;
  readonly latencyMs: number;
  readonly feesIn: 'received' | 'quote';
  readonly script: Omit<ScriptOptions, 'feeds' | 'seed'>;
}

/** Runs a script by the engine and by the naive backtest, and expects equal fills, ends of orders and equity. Returns the number of fills. */
async function compare({ kind, seed, latencyMs, feesIn, script }: ComparisonCase): Promise<number> {
  const feeds = feedsOf(kind, seed);
  const options = { ...script, seed, feeds: Object.keys(feeds) };
  const naiveOptions = { latencyMs, feesIn, makerPpm: 1000, takerPpm: 2000, cash: 10n ** 14n };
  const naive = new NaiveBacktest({ script: options, feeds: Object.values(feeds), ...naiveOptions }).run(START_MS);
  const { record } = await run({
    strategies: [randomScriptStrategy(options)],
    feeds,
    cash: { USDT: '1000000' },
    fees: { in: feesIn },
    fills: { latencyMs },
    blockRows: [1, 7, 512, 4096][seed % 4]!,
  });
  const { equity, orders } = record;
  const caseName = `${kind}, seed ${seed}, latency ${latencyMs}, fees in ${feesIn}`;
  const fills = naiveFillsOf(record);
  for (let index = 0; index < Math.max(fills.length, naive.fills.length); index++) {
    expectEqual(fills[index], naive.fills[index], `${caseName}: fill ${index}`);
  }
  const endings = Array.from(orders.ending, (ending) => ENDINGS[ending]);
  const naiveTimes = naive.equity.map(({ timeMs }) => timeMs);
  const naiveUnits = naive.equity.map(({ units }) => units);
  expectEqual(
    endings,
    naive.orders.map(({ ending }) => ending),
    `${caseName}: ends of orders`,
  );
  expectEqual([...equity.timeMs], naiveTimes, `${caseName}: times of equity`);
  expectEqual([...equity.units], naiveUnits, `${caseName}: equity`);
  replacements += naive.replacements;
  return naive.fills.length;
}

/** Returns the fills of a record in the form of the naive backtest. */
function naiveFillsOf({ fills }: RunRecord): readonly NaiveFill[] {
  return Array.from({ length: fills.length }, (_, row) => ({
    order: fills.orderId[row]!,
    instrument: fills.instrument[row]!,
    isBuy: fills.side[row] === 0,
    price: fills.price[row]!,
    lots: fills.lots[row]!,
    notional: fills.notional[row]!,
    fee: fills.fee[row]!,
    feeInBase: fills.feeInBase[row] === 1,
    isMaker: fills.isMaker[row] === 1,
    timeMs: fills.timeMs[row]!,
  }));
}

/** Number of replacements in the comparisons of a test. */
let replacements = 0;
const LATENCIES_MS = [0, 300, 20_000, 90_000];

/** Each seed has the other asset of fees than the seed before it. */
const feesOf = (seed: number) => (seed % 2 === 1 ? 'quote' : 'received');
/** A script that decides at signals, timers, fills and the start. */
const ALL_CALLBACKS = { signals: true, timerMinutes: 7, onFill: true, onStart: true };
/** The kinds of feeds that `feedsOf` knows. */
const FEED_SHAPES = ['single', 'gaps', 'two intervals', 'three symbols', 'one grid', 'one grid with holes'];

describe('the engine equals a naive backtest', () => {
  it.each(FEED_SHAPES)('the engine equals the naive backtest at every bar without brackets: %s', async (kind) => {
    let fillCount = 0;
    for (const [index, latencyMs] of LATENCIES_MS.entries()) {
      for (const seed of seedsOf(1, index)) {
        const script = { share: 0.5, brackets: false, onBar: true };
        fillCount += await compare({ kind, seed, latencyMs, feesIn: feesOf(seed), script });
      }
    }
    expect(fillCount).toBeGreaterThan(50 * SEEDS);
  });

  it.each(FEED_SHAPES)('the engine equals the naive backtest at every bar with brackets: %s', async (kind) => {
    for (const [index, latencyMs] of LATENCIES_MS.entries()) {
      for (const seed of seedsOf(1001, index)) {
        const script = { share: 0.3, brackets: true, onBar: true, onFill: seed % 3 === 0 };
        await compare({ kind, seed, latencyMs, feesIn: feesOf(seed), script });
      }
    }
  });

  it.each(FEED_SHAPES)('the engine equals the naive backtest at signals and timers alone: %s', async (kind) => {
    for (const [index, latencyMs] of LATENCIES_MS.entries()) {
      for (const seed of seedsOf(2001, index)) {
        const script = { ...ALL_CALLBACKS, share: 0.9, brackets: seed % 2 === 0, onBar: false };
        await compare({ kind, seed, latencyMs, feesIn: 'received', script });
      }
    }
  });

  it.each(FEED_SHAPES)('the engine equals the naive backtest with bars, signals, timers and brackets: %s', async (kind) => {
    for (const [index, latencyMs] of LATENCIES_MS.entries()) {
      for (const seed of seedsOf(3001, index)) {
        const script = { ...ALL_CALLBACKS, share: 0.3, brackets: true, onBar: true };
        await compare({ kind, seed, latencyMs, feesIn: feesOf(seed), script });
      }
    }
  });

  it.each(FEED_SHAPES)('the engine equals the naive backtest when orders are replaced by their tags: %s', async (kind) => {
    replacements = 0;
    for (const [index, latencyMs] of LATENCIES_MS.entries()) {
      for (const seed of seedsOf(4001, index)) {
        const script = { share: 0.6, brackets: seed % 2 === 0, onBar: true, onFill: seed % 3 === 0, replaces: true };
        await compare({ kind, seed, latencyMs, feesIn: feesOf(seed), script });
      }
    }
    expect(replacements).toBeGreaterThan(20 * SEEDS);
  });
});
