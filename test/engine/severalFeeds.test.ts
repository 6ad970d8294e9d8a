// Tests series over several feeds. An independent computation from the bars gives the expected values, at every block size.

import { describe, expect, test } from 'vitest';
import { above, beta, corr, crossedUp, custom, rank, roc, sma, sub, where, zscore } from '../../src/index.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { coarser, planFor, run, spotInstrument, walkBars } from './backtestFixture.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';

const FIRST_PAIR = spotInstrument('AAA');
const SECOND_PAIR = spotInstrument('BBB');
const bars = walkBars({ rows: 900, seed: 11, missing: 0.2, instrument: FIRST_PAIR });
const otherBars = walkBars({ rows: 700, seed: 12, missing: 0.3, instrument: SECOND_PAIR });
const quarterHours = coarser(walkBars({ rows: 800, seed: 13, instrument: SECOND_PAIR }), '15m');
const FEEDS = { bars, other: otherBars, coarse: quarterHours };

/** The values that a strategy has read, by instant and name. */
type ReadValues = Map<number, Record<string, number>>;
let valuesByInstant: ReadValues = new Map();

/** Reads series over several feeds at every bar. */
class ReadingStrategy extends Strategy {
  other = this.feed('other');
  coarse = this.feed('coarse');
  spread = this.use(sub(this.bars.close, this.other.close));
  views: Record<string, { readonly value: number | boolean }> = {
    spread: this.spread,
    zscore: this.use(zscore(this.spread, 20)),
    beta: this.use(beta(this.bars.close, this.other.close, 15)),
    corr: this.use(corr(this.other.close, this.coarse.close, 15)),
    nested: this.use(sub(sma(sub(this.other.close, this.bars.close), 5), sma(this.coarse.high, 3))),
    chosen: this.use(where(above(this.coarse.close, this.other.close), this.bars.close, this.bars.open)),
    crossed: this.use(crossedUp(this.bars.close, this.other.close)),
    custom: this.use(
      custom([this.bars.close, this.other.high, this.coarse.low], () => (close, high, low) => close + 2 * high - low, { pure: true }),
    ),
    runningMean: this.use(
      custom(
        [this.bars.close, this.coarse.close],
        () => {
          let sum = 0;
          let count = 0;
          return (close, coarseClose) => (sum += close - coarseClose) / ++count;
        },
        { pure: true },
      ),
    ),
  };

  override onBar() {
    const values = Object.entries(this.views).map(([name, view]) => [name, Number(view.value)]);
    valuesByInstant.set(this.nowMs, Object.fromEntries(values));
  }
}

/** Runs a strategy, and returns what it read at each instant. */
async function readValues(blockRows: number, strategy: new (...setup: never[]) => Strategy = ReadingStrategy): Promise<ReadValues> {
  valuesByInstant = new Map();
  await run({ strategies: [strategy as never], feeds: FEEDS, blockRows });
  return valuesByInstant;
}

/** Returns the newest row of a feed that has closed by `ms`; -1 for none. */
const rowClosedBy = ({ closeMs, length }: BarColumns, ms: number): number => {
  let row = -1;
  while (row + 1 < length && closeMs[row + 1]! <= ms) row++;
  return row;
};

/** Returns for each row of `target` the newest value of a column of `source`. */
const columnOnRowsOf = (target: BarColumns, source: BarColumns, column: Float64Array): number[] =>
  [...target.closeMs].map((ms) => column[rowClosedBy(source, ms)] ?? NaN);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** Returns the value of a list with one value for each row of `feed`, as of an instant. */
const valueAsOf = (feed: BarColumns, values: readonly number[], ms: number) => values[rowClosedBy(feed, ms)] ?? NaN;

/** Returns a function of the last `size` values of each column for each row; NaN before, and where a value is missing. */
const rolling = (size: number, columns: readonly (readonly number[])[], compute: (...windows: number[][]) => number): number[] =>
  columns[0]!.map((_, row) => {
    if (row < size - 1) return NaN;
    const windows = columns.map((column) => column.slice(row - size + 1, row + 1));
    return windows.flat().some(Number.isNaN) ? NaN : compute(...windows);
  });
/** Returns the covariance. A window of equal values has exactly 0, and the first values are subtracted to lose no digits. */
const covariance = (left: number[], right: number[]) => {
  if (new Set(right).size === 1) return 0;
  const firstLeft = left[0]!;
  const firstRight = right[0]!;
  const products = left.map((value, index) => (value - firstLeft) * (right[index]! - firstRight));
  return mean(products) - (mean(left) - firstLeft) * (mean(right) - firstRight);
};
const standardDeviation = (values: number[]) => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

/** Returns the expected value of each view as a function of the instant, computed from the bars alone. */
function expectedViews(): Readonly<Record<string, (ms: number) => number>> {
  const close = [...bars.close];
  const otherClose = columnOnRowsOf(bars, otherBars, otherBars.close);
  const spread = close.map((value, row) => value - otherClose[row]!);
  const zscores = rolling(20, [spread], (window) => (window.at(-1)! - mean(window)) / standardDeviation(window));
  const betas = rolling(15, [close, otherClose], (left, right) => covariance(left, right) / covariance(right, right));

  const coarseClose = columnOnRowsOf(otherBars, quarterHours, quarterHours.close);
  const correlations = rolling(
    15,
    [[...otherBars.close], coarseClose],
    (left, right) => covariance(left, right) / Math.sqrt(covariance(left, left) * covariance(right, right)),
  );

  const reverseSpread = columnOnRowsOf(otherBars, bars, bars.close).map((value, row) => otherBars.close[row]! - value);
  const smoothSpread = rolling(5, [reverseSpread], mean);
  const coarseHighMeans = Float64Array.from(rolling(3, [[...quarterHours.high]], mean));
  const smoothHigh = columnOnRowsOf(otherBars, quarterHours, coarseHighMeans);
  const nested = smoothSpread.map((value, row) => value - smoothHigh[row]!);

  const coarseLow = columnOnRowsOf(bars, quarterHours, quarterHours.low);
  const otherHigh = columnOnRowsOf(bars, otherBars, otherBars.high);
  const customValues = close.map((value, row) => value + 2 * otherHigh[row]! - coarseLow[row]!);

  return {
    spread: (ms) => valueAsOf(bars, spread, ms),
    zscore: (ms) => valueAsOf(bars, zscores, ms),
    beta: (ms) => valueAsOf(bars, betas, ms),
    corr: (ms) => valueAsOf(otherBars, correlations, ms),
    nested: (ms) => valueAsOf(otherBars, nested, ms),
    custom: (ms) => valueAsOf(bars, customValues, ms),
    // The signal has the rows of the coarse feed, and so has the series that it chooses.
    chosen: (ms) => {
      const coarseRow = rowClosedBy(quarterHours, ms);
      const coarseMs = quarterHours.closeMs[coarseRow]!;
      const isAbove = quarterHours.close[coarseRow]! > otherBars.close[rowClosedBy(otherBars, coarseMs)]!;
      return (isAbove ? bars.close : bars.open)[rowClosedBy(bars, coarseMs)]!;
    },
    crossed: (ms) => {
      const row = rowClosedBy(bars, ms);
      return Number(spread[row]! > 0 && spread[row - 1]! <= 0);
    },
  };
}

test('a series over several feeds equals the one computed from the rows closed by that instant', async () => {
  const values = await readValues(64);
  expect(values.size).toBeGreaterThan(900);
  const views = expectedViews();
  for (const [ms, actual] of values) {
    for (const [name, expectedAt] of Object.entries(views)) {
      const value = actual[name]!;
      const expected = expectedAt(ms);
      if (Number.isNaN(value) && Number.isNaN(expected)) continue;
      const isNear = Math.abs(value - expected) <= 1e-6 * Math.max(1, Math.abs(expected));
      if (!isNear) throw new Error(`${name} at ${ms}: expected ${expected}, got ${value}`);
    }
  }
});

test('series over several feeds have equal values in blocks of 1, 7, 100 and 2048 rows', async () => {
  const fullBlocks = await readValues(2048);
  for (const blockRows of [1, 7, 100]) expect(await readValues(blockRows)).toEqual(fullBlocks);
});

test('series over several feeds keep their values next to a custom indicator that is not pure', async () => {
  class WithImpureIndicator extends ReadingStrategy {
    impure = this.use(custom(this.bars.close, () => (close) => close));
  }
  expect(await readValues(2048, WithImpureIndicator as never)).toEqual(await readValues(2048));
});

test('the first onBar call comes when every series over several feeds is ready', async () => {
  const lateBars = walkBars({ rows: 700, seed: 14, instrument: SECOND_PAIR });
  const oneHourLater = (times: Float64Array) => times.map((ms) => ms + 3_600_000);
  const shifted = { ...lateBars, openMs: oneHourLater(lateBars.openMs), closeMs: oneHourLater(lateBars.closeMs) };
  let firstMs = 0;
  class MeanOfLateFeed extends Strategy {
    late = this.feed('late');
    mean = this.use(sma(sub(this.bars.close, sma(this.late.close, 10)), 7));

    override onBar() {
      firstMs ||= this.nowMs;
      expect(this.mean.ready).toBe(true);
    }
  }
  const feeds = { bars: walkBars({ rows: 500, seed: 15, instrument: FIRST_PAIR }), late: shifted };
  await run({ strategies: [MeanOfLateFeed], feeds });
  // Row 9 of the late feed closes after 70 minutes, and the mean needs 7 rows from there.
  expect(firstMs).toBe(bars.openMs[0]! + 76 * 60_000);
});

test('rows before the start of a run warm up series over several feeds as rows of the run do', async () => {
  const startMs = bars.openMs[0]! + 300 * 60_000;
  const valuesAfterStart = async (start: { readonly fromMs?: number }, blockRows: number) => {
    valuesByInstant = new Map();
    await runBacktest(planFor({ strategies: [ReadingStrategy], feeds: FEEDS, blockRows, ...start }));
    return new Map([...valuesByInstant].filter(([ms]) => ms > startMs));
  };
  const fromFirstRow = await valuesAfterStart({}, 2048);
  expect(fromFirstRow.size).toBeGreaterThan(700);
  for (const blockRows of [1, 50, 2048]) expect(await valuesAfterStart({ fromMs: startMs }, blockRows)).toEqual(fromFirstRow);
});

test('the report draws the values of series over several feeds that the strategy has read', async () => {
  const { engine } = await run({ strategies: [ReadingStrategy], feeds: FEEDS, blockRows: 64 });
  const [strategyRun] = engine.runs;
  const { views } = strategyRun!.instance as ReadingStrategy;
  for (const [name, feedName] of [
    ['spread', 'bars'],
    ['zscore', 'bars'],
    ['nested', 'other'],
  ] as const) {
    const feed = engine.feeds.find((candidate) => candidate.name === feedName)!;
    const trace = feed.indicators.traceValues(views[name] as never);
    for (const [ms, values] of valuesByInstant) {
      const row = rowClosedBy(feed.bars, ms);
      if (!Object.is(trace[row]!, values[name]!)) throw new Error(`${name} at row ${row}: drawn ${trace[row]}, read ${values[name]}`);
    }
  }
});

describe('rank', () => {
  const RANK_ROWS = 300;
  const walkOf = (name: string, seed: number, missing = 0) =>
    walkBars({ rows: RANK_ROWS, seed, missing, instrument: spotInstrument(name) });
  const symbols = [
    walkOf('AAA', 20),
    // A third of its rows are missing.
    walkOf('BBB', 21, 0.3),
    // Begins an hour late.
    rowsBetween(walkOf('CCC', 22), 60, RANK_ROWS),
    // Ends after two hours.
    rowsBetween(walkOf('DDD', 23), 0, 120),
    // Has the bars of AAA, so that all of its values are ties.
    walkOf('EEE', 20),
  ];
  function rowsBetween(source: BarColumns, firstRow: number, endRow: number): BarColumns {
    const part = (column: Float64Array) => column.slice(firstRow, endRow);
    const times = { openMs: part(source.openMs), closeMs: part(source.closeMs) };
    const prices = { open: part(source.open), high: part(source.high), low: part(source.low), close: part(source.close) };
    return { ...source, length: endRow - firstRow, ...times, ...prices, volume: part(source.volume) };
  }
  class Ranks extends Strategy {
    allFeeds = this.feeds('all');
    moves = this.allFeeds.map((feed) => this.use(roc(feed.close, 10)));
    ranks = this.moves.map((move) => this.use(rank(move, this.moves)));

    override onBar() {
      const freshRanks: Record<string, number> = {};
      this.allFeeds.forEach(({ fresh }, index) => {
        if (fresh) freshRanks[index] = this.ranks[index]!.value;
      });
      valuesByInstant.set(this.nowMs, freshRanks);
    }
  }
  const readRanks = async (blockRows: number) => {
    valuesByInstant = new Map();
    await run({ strategies: [Ranks], feeds: { all: symbols }, blockRows });
    return valuesByInstant;
  };

  test('rank counts the listed symbols that have a value, and ties keep the order of the list', async () => {
    const values = await readRanks(64);
    const feedsInOrder = symbols.toSorted((left, right) => (left.instrument.id < right.instrument.id ? -1 : 1));
    /** Change over ten rows in per cent; NaN for a symbol that has fewer rows or has ended. */
    const moveAt = (feed: BarColumns, ms: number) => {
      const row = rowClosedBy(feed, ms);
      if (row < 10 || ms - feed.closeMs[row]! >= 2 * 60_000) return NaN;
      return (feed.close[row]! / feed.close[row - 10]! - 1) * 100;
    };
    let comparedCount = 0;
    for (const [ms, ranks] of values) {
      const moves = feedsInOrder.map((feed) => moveAt(feed, ms));
      const ranked = moves
        .map((_, index) => index)
        .filter((index) => !Number.isNaN(moves[index]!))
        .toSorted((left, right) => moves[right]! - moves[left]! || left - right);
      for (const [index, foundRank] of Object.entries(ranks)) {
        const position = ranked.indexOf(Number(index));
        // Ranks begin at 1. A symbol without a value has none.
        const expectedRank = position < 0 ? NaN : position + 1;
        if (!Object.is(foundRank, expectedRank))
          throw new Error(`symbol ${index} at ${ms}: expected rank ${expectedRank}, got ${foundRank}`);
        comparedCount++;
      }
    }
    expect(comparedCount).toBeGreaterThan(1100);
  });
  test('ranks are equal in blocks of any size', async () => {
    const fullBlocks = await readRanks(2048);
    for (const blockRows of [1, 7]) expect(await readRanks(blockRows)).toEqual(fullBlocks);
  });
});

test('a series over several feeds is rejected with decide: perFeed', async () => {
  class SpreadStrategy extends Strategy {
    spread = this.use(sub(this.bars.close, this.feeds('other')[0]!.close));
    override onBar() {}
  }
  const message = 'sub(close, of(BBBUSDT 1m, close)) reads several feeds (decide: perFeed)';
  await expect(run({ strategies: [SpreadStrategy], feeds: { bars, other: otherBars }, decide: 'perFeed' })).rejects.toThrow(message);
});
