// Series over several feeds: each value again from the bars alone, at every block size, in rows, and as a live bot delivers them.

import { describe, expect, test } from 'vitest';
import { above, beta, corr, crossedUp, custom, rank, roc, sma, sub, where, zscore } from '../../src/index.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { coarser, planFor, run, spotInstrument, walkBars } from './world.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';

const ONE = spotInstrument('AAA');
const TWO = spotInstrument('BBB');
const bars = walkBars({ rows: 900, seed: 11, missing: 0.2, instrument: ONE });
const other = walkBars({ rows: 700, seed: 12, missing: 0.3, instrument: TWO });
const hours = coarser(walkBars({ rows: 800, seed: 13, instrument: TWO }), '15m');

/** What a strategy has read, by instant. */
let seen: Map<number, Record<string, number>> = new Map();

class Reads extends Strategy {
  other = this.feed('other');
  coarse = this.feed('coarse');
  spread = this.use(sub(this.bars.close, this.other.close));
  views: Record<string, { readonly value: number | boolean }> = {
    spread: this.spread,
    zscore: this.use(zscore(this.spread, 20)),
    beta: this.use(beta(this.bars.close, this.other.close, 15)),
    corr: this.use(corr(this.other.close, this.coarse.close, 15)),
    deep: this.use(sub(sma(sub(this.other.close, this.bars.close), 5), sma(this.coarse.high, 3))),
    chosen: this.use(where(above(this.coarse.close, this.other.close), this.bars.close, this.bars.open)),
    crossed: this.use(crossedUp(this.bars.close, this.other.close)),
    custom: this.use(custom([this.bars.close, this.other.high, this.coarse.low], () => (a, b, c) => a + 2 * b - c, { pure: true })),
    rows: this.use(
      custom([this.bars.close, this.coarse.close], () => {
        let [sum, count] = [0, 0];
        return (a, b) => (sum += a - b) / ++count;
      }, { pure: true }),
    ),
  }; // prettier-ignore

  override onBar() {
    seen.set(this.nowMs, Object.fromEntries(Object.entries(this.views).map(([name, view]) => [name, Number(view.value)])));
  }
}

async function read(blockRows: number, strategy: new (...setup: never[]) => Strategy = Reads): Promise<typeof seen> {
  seen = new Map();
  await run({ strategies: [strategy as never], feeds: { bars, other, coarse: hours }, blockRows });
  return seen;
}

/** The newest row of a feed that has closed by `ms`; -1 for none. */
const closedBy = ({ closeMs, length }: BarColumns, ms: number): number => {
  let row = -1;
  while (row + 1 < length && closeMs[row + 1]! <= ms) row++;
  return row;
};
/** A column of `of` on the rows of `home`. */
const onto = (home: BarColumns, of: BarColumns, column: Float64Array): number[] =>
  [...home.closeMs].map((ms) => (closedBy(of, ms) < 0 ? NaN : column[closedBy(of, ms)]!));
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
/** The value of a row-wise column of `home`, as of an instant. */
const asOf = (home: BarColumns, values: readonly number[], ms: number) => values[closedBy(home, ms)] ?? NaN;
const rolling = (size: number, columns: readonly (readonly number[])[], of: (...windows: number[][]) => number): number[] =>
  columns[0]!.map((_, row) => {
    if (row < size - 1) return NaN;
    const windows = columns.map((column) => column.slice(row - size + 1, row + 1));
    return windows.flat().some(Number.isNaN) ? NaN : of(...windows);
  });
const cov = (a: number[], b: number[]) =>
  new Set(b).size === 1 ? 0 : mean(a.map((x, at) => (x - a[0]!) * (b[at]! - b[0]!))) - (mean(a) - a[0]!) * (mean(b) - b[0]!);

test('each value is that of the rows that have closed by then', async () => {
  const values = await read(64);
  expect(values.size).toBeGreaterThan(900);
  const close = [...bars.close];
  const theirs = onto(bars, other, other.close);
  const spread = close.map((x, at) => x - theirs[at]!);
  const z = rolling(20, [spread], (w) => (w.at(-1)! - mean(w)) / Math.sqrt(mean(w.map((x) => (x - mean(w)) ** 2))));
  const slope = rolling(15, [close, theirs], (a, b) => cov(a, b) / cov(b, b));
  const hourly = onto(other, hours, hours.close);
  const correlation = rolling(15, [[...other.close], hourly], (a, b) => cov(a, b) / Math.sqrt(cov(a, a) * cov(b, b)));
  const back = onto(other, bars, bars.close).map((x, at) => other.close[at]! - x);
  const smooth = rolling(5, [back], mean);
  const high = onto(other, hours, Float64Array.from(rolling(3, [[...hours.high]], mean)));
  const low = onto(bars, hours, hours.low);
  const high2 = onto(bars, other, other.high);
  const wide = close.map((x, at) => x + 2 * high2[at]! - low[at]!);
  for (const [ms, found] of values) {
    const near = (name: string, expected: number) => {
      const off = Math.abs(found[name]! - expected);
      if (!(off <= 1e-6 * Math.max(1, Math.abs(expected))) && !(Number.isNaN(expected) && Number.isNaN(found[name]!)))
        throw new Error(`${name} at ${ms}: ${found[name]} and ${expected}`);
    };
    near('spread', asOf(bars, spread, ms));
    near('zscore', asOf(bars, z, ms));
    near('beta', asOf(bars, slope, ms));
    near('corr', asOf(other, correlation, ms));
    near('deep', asOf(other, smooth.map((x, at) => x - high[at]!), ms)); // prettier-ignore
    near('custom', asOf(bars, wide, ms));
    // The signal lies on the rows of the coarse feed, and so does the series that it chooses.
    const row = closedBy(hours, ms);
    const at = hours.closeMs[row]!;
    const isAbove = hours.close[row]! > other.close[closedBy(other, at)]!;
    near('chosen', (isAbove ? bars.close : bars.open)[closedBy(bars, at)]!);
    const now = closedBy(bars, ms);
    near('crossed', Number(spread[now]! > 0 && spread[now - 1]! <= 0));
  }
});

test('blocks of 1, 7 and 2048 rows give the same bits', async () => {
  const whole = await read(2048);
  for (const blockRows of [1, 7, 100]) expect(await read(blockRows)).toEqual(whole);
});

test('a custom indicator that is not pure runs row by row, and gives the same values', async () => {
  class Impure extends Reads {
    extra = this.use(custom(this.bars.close, () => (x) => x));
  }
  expect(await read(2048, Impure as never)).toEqual(await read(2048));
});

test('the first call comes when every series over several feeds is ready', async () => {
  const late = walkBars({ rows: 700, seed: 14, instrument: TWO });
  const shifted = { ...late, openMs: late.openMs.map((ms) => ms + 3_600_000), closeMs: late.closeMs.map((ms) => ms + 3_600_000) };
  let firstMs = 0;
  class Waits extends Strategy {
    late = this.feed('late');
    mean = this.use(sma(sub(this.bars.close, sma(this.late.close, 10)), 7));

    override onBar() {
      firstMs ||= this.nowMs;
      expect(this.mean.ready).toBe(true);
    }
  }
  await run({ strategies: [Waits], feeds: { bars: walkBars({ rows: 500, seed: 15, instrument: ONE }), late: shifted } });
  // Row 9 of the late feed closes after 70 minutes, and the mean needs 7 rows from there.
  expect(firstMs).toBe(bars.openMs[0]! + 76 * 60_000);
});

test('rows before the run warm the series up as rows of the run do', async () => {
  const fromMs = bars.openMs[0]! + 300 * 60_000;
  const within = async (from: number | undefined, blockRows: number) => {
    seen = new Map();
    await runBacktest(planFor({ strategies: [Reads], feeds: { bars, other, coarse: hours }, blockRows, ...(from === undefined ? {} : { fromMs: from }) })); // prettier-ignore
    return new Map([...seen].filter(([ms]) => ms > fromMs));
  };
  const whole = await within(undefined, 2048);
  expect(whole.size).toBeGreaterThan(700);
  for (const blockRows of [1, 50, 2048]) expect(await within(fromMs, blockRows)).toEqual(whole);
});

test('the report draws the values that the strategy has read', async () => {
  const { engine } = await run({ strategies: [Reads], feeds: { bars, other, coarse: hours }, blockRows: 64 });
  const [first] = engine.runs;
  const { spread, zscore: z, deep } = (first!.instance as Reads).views;
  for (const [view, feedName] of [[spread, 'bars'], [z, 'bars'], [deep, 'other']] as const) {
    const feed = engine.feeds.find(({ name }) => name === feedName)!;
    const trace = feed.indicators.traceValues(view as never);
    for (const [ms, found] of seen) {
      const row = closedBy(feed.bars, ms);
      const name = view === spread ? 'spread' : view === z ? 'zscore' : 'deep';
      if (!Object.is(trace[row]!, found[name]!)) throw new Error(`${name} at row ${row}: ${trace[row]} and ${found[name]}`);
    }
  } // prettier-ignore
});

describe('rank', () => {
  const symbols = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE'].map((name, at) => {
    const walk = walkBars({ rows: 300, seed: 20 + at, missing: at === 1 ? 0.3 : 0, instrument: spotInstrument(name) });
    // The third begins an hour late, the fourth ends after two hours, the fifth is the first once more: all of its values are ties.
    if (at === 2) return rowsFrom(walk, 60);
    if (at === 3) return rowsFrom(walk, 0, 120);
    return at === 4 ? { ...walkBars({ rows: 300, seed: 20, instrument: spotInstrument(name) }) } : walk;
  });
  function rowsFrom(of: BarColumns, from: number, to = of.length): BarColumns {
    const cut = (column: Float64Array) => column.slice(from, to);
    return { ...of, length: to - from, openMs: cut(of.openMs), closeMs: cut(of.closeMs), open: cut(of.open), high: cut(of.high), low: cut(of.low), close: cut(of.close), volume: cut(of.volume) }; // prettier-ignore
  }
  class Ranks extends Strategy {
    all = this.feeds('all');
    moves = this.all.map((feed) => this.use(roc(feed.close, 10)));
    ranks = this.moves.map((move) => this.use(rank(move, this.moves)));

    override onBar() {
      seen.set(this.nowMs, Object.fromEntries(this.all.flatMap(({ fresh }, at) => (fresh ? [[at, this.ranks[at]!.value]] : []))));
    }
  }
  const ranksAt = async (blockRows: number) => {
    seen = new Map();
    await run({ strategies: [Ranks], feeds: { all: symbols }, blockRows });
    return seen;
  };

  test('the place among the symbols that are listed and have a value, equal ones in the order of the list', async () => {
    const values = await ranksAt(64);
    const ids = symbols.map(({ instrument }) => instrument.id).toSorted();
    const sorted = ids.map((id) => symbols.find(({ instrument }) => instrument.id === id)!);
    const moveAt = (of: BarColumns, ms: number) => {
      const row = closedBy(of, ms);
      if (row < 10 || ms - of.closeMs[row]! >= 2 * 60_000) return NaN;
      return (of.close[row]! / of.close[row - 10]! - 1) * 100;
    };
    let compared = 0;
    for (const [ms, found] of values) {
      const moves = sorted.map((of) => moveAt(of, ms));
      const order = moves.map((_, at) => at).filter((at) => !Number.isNaN(moves[at]!)).toSorted((a, b) => moves[b]! - moves[a]! || a - b); // prettier-ignore
      for (const [at, place] of Object.entries(found)) {
        const expected = order.indexOf(Number(at)) + 1 || NaN;
        if (!Object.is(place, expected)) throw new Error(`${at} at ${ms}: ${place} and ${expected}`);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(1100);
  });
  test('blocks of any size give the same values', async () => {
    const whole = await ranksAt(2048);
    for (const blockRows of [1, 7]) expect(await ranksAt(blockRows)).toEqual(whole);
  });
});

test('decide: perFeed refuses a series over several feeds', async () => {
  class Crosses extends Strategy {
    spread = this.use(sub(this.bars.close, this.feeds('other')[0]!.close));
    override onBar() {}
  }
  await expect(run({ strategies: [Crosses], feeds: { bars, other }, decide: 'perFeed' })).rejects.toThrow('sub(close, of(BBBUSDT 1m, close)) reads several feeds (decide: perFeed)');
}); // prettier-ignore
