// Tests external series in a run. A plain search through all rows gives the expected value of each read.

import { expect, test } from 'vitest';
import { above, sma, sub } from '../../src/index.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { newestValues } from '../../src/model/bars/knownValues.ts';
import type { SeriesPlan } from '../../src/definition/plan/plan.ts';
import { planUntil } from '../../src/tasks/backtest/proof/dataSlices.ts';
import { poisonPlan } from '../../src/tasks/backtest/proof/poisonPlan.ts';
import { MINUTE, START_MS, orderRows, planFor, run, walkBars } from './backtestFixture.ts';

/** A value of a time, and the time at which it becomes known. */
interface KnownValue {
  readonly timeMs: number;
  readonly knownMs: number;
  readonly value: number;
}

const bars = walkBars({ rows: 300, seed: 21, missing: 0.2 });
const endMs = bars.closeMs[bars.length - 1]!;

/** Returns the plan of a series named x with these rows. */
function seriesPlan(rows: readonly KnownValue[], symbol: string | null = null): SeriesPlan {
  const sorted = rows.toSorted((a, b) => a.knownMs - b.knownMs || a.timeMs - b.timeMs);
  const column = (name: keyof KnownValue): Float64Array => Float64Array.from(sorted, (row) => row[name]);
  return {
    name: 'x',
    symbol,
    values: newestValues(column('knownMs'), column('timeMs'), column('value')),
    input: { name: 'x', sha256: '' },
    file: 'x',
  };
}

/** Returns values that become known late, early or exactly at the close of a bar, in any order, with up to three revisions. */
function randomRows(seed: number, count = 120): KnownValue[] {
  const rng = seededRng(seed);
  const pick = (below: number): number => Math.floor(rng.next() * below);
  const rowsByKey = new Map<string, KnownValue>();
  for (let i = 0; i < count; i++) {
    const timeMs = START_MS + pick(400) * MINUTE - 30 * MINUTE;
    const delayMs = [0, pick(3 * MINUTE), pick(90) * MINUTE, -pick(20) * MINUTE][pick(4)]!;
    for (let revision = 0; revision <= pick(3); revision++) {
      const knownMs = timeMs + delayMs + revision * pick(40 * MINUTE);
      rowsByKey.set(`${timeMs} ${knownMs}`, { timeMs, knownMs, value: pick(1000) / 8 });
    }
  }
  return [...rowsByKey.values()];
}

/** What the strategy read at one time. */
interface SeriesRead {
  readonly nowMs: number;
  readonly value: number;
  readonly timeMs: number;
  readonly knownMs: number;
  readonly ageMs: number;
}

/** Returns the newest value that is known at `nowMs`. Searches all rows, whatever their order. */
function searchAllRows(rows: readonly KnownValue[], nowMs: number): Omit<SeriesRead, 'nowMs'> {
  let newest: KnownValue | null = null;
  for (const row of rows) {
    if (row.knownMs > nowMs) continue;
    const isRevision = row.timeMs === newest?.timeMs && row.knownMs > newest.knownMs;
    if (newest === null || row.timeMs > newest.timeMs || isRevision) newest = row;
  }
  if (newest === null) return { value: NaN, timeMs: NaN, knownMs: NaN, ageMs: NaN };
  return { ...newest, ageMs: nowMs - newest.timeMs };
}

let reads: SeriesRead[] = [];
/** What the strategy has computed from the series at each bar. */
let averages: { readonly nowMs: number; readonly mean: number; readonly sharedNode: number }[] = [];

/** Reads a series in every way, and never trades. */
class ReadingStrategy extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 5));
  sharedNode = this.use(sub(this.mean, this.x));
  deepView = this.use(this.x, { depth: 3 });
  everyTwentySeconds = this.every('20s', () => this.read());
  override onBar() {
    this.read();
    averages.push({ nowMs: this.nowMs, mean: this.mean.value, sharedNode: this.sharedNode.value });
    if (this.x.ago(3) !== this.deepView.ago(3) && !Number.isNaN(this.x.ago(3))) throw new Error('two views of one series');
    if (this.series('x') !== this.x) throw new Error('one series has two views');
  }
  read() {
    const { value, timeMs, knownMs, ageMs } = this.x;
    reads.push({ nowMs: this.nowMs, value, timeMs, knownMs, ageMs });
  }
}

/** Runs the reading strategy over a series. Fills `reads` and `averages`. */
async function readAll(rows: readonly KnownValue[], blockRows: number): Promise<void> {
  reads = [];
  averages = [];
  await run({ strategies: [ReadingStrategy], feeds: { bars }, series: [seriesPlan(rows)], blockRows });
}

test('each read of an external series equals a search through all rows, at bars and between them', async () => {
  let readCount = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const rows = randomRows(seed);
    await readAll(rows, 64);
    for (const { nowMs, ...read } of reads) expect(read, `seed ${seed} at ${nowMs}`).toEqual(searchAllRows(rows, nowMs));
    readCount += reads.length;
    const expectedAt = (row: number): number => searchAllRows(rows, bars.closeMs[row]!).value;
    for (const { nowMs, mean, sharedNode } of averages) {
      const row = bars.closeMs.indexOf(nowMs);
      const expected = row < 4 ? NaN : [0, 1, 2, 3, 4].reduce((sum, back) => sum + expectedAt(row - back), 0) / 5;
      if (Number.isNaN(expected)) expect(mean).toBeNaN();
      else expect(Math.abs(mean - expected), `seed ${seed} at ${nowMs}`).toBeLessThan(1e-9);
      expect(sharedNode).toBe(mean - expectedAt(row));
    }
  }
  expect(readCount).toBeGreaterThan(10_000);
});

test('reads of external series are equal in blocks of 1, 7 and 2048 rows', async () => {
  const rows = randomRows(77);
  const readsWithBlocks = async (blockRows: number) => {
    await readAll(rows, blockRows);
    return { reads, averages };
  };
  const rowByRow = await readsWithBlocks(1);
  expect(await readsWithBlocks(7)).toEqual(rowByRow);
  expect(await readsWithBlocks(2048)).toEqual(rowByRow);
});

/** Trades by a series. */
class TradingStrategy extends Strategy {
  x = this.series('x');
  up = this.when(above(this.x, this.use(sma(this.x, 4))), () => void (this.position().isFlat && this.buy({ quote: '500' })));
  override onBar() {
    if (this.x.ready && this.openOrders().length === 0) this.target({ base: String(this.x.value % 7) });
    if (this.x.ageMs > 50 * MINUTE) this.exit();
  }
}

/** Returns the orders of a run over a series, each with the time of its decision. */
async function ordersOf(rows: readonly KnownValue[]) {
  const { record } = await run({ strategies: [TradingStrategy], feeds: { bars }, series: [seriesPlan(rows)] });
  return orderRows(record).map((order, index) => ({ ...order, atMs: record.orders.createdMs[index]! }));
}

test('neither a value nor its revision changes a decision before its known time', async () => {
  let changed = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const rng = seededRng(seed + 500);
    const timeMs = START_MS + Math.floor(rng.next() * 250) * MINUTE;
    // Five minutes late, and revised an hour after its time.
    const baseRows = Array.from({ length: 12 }, (_, index): KnownValue => {
      const baseMs = START_MS + index * 30 * MINUTE + 1;
      return { timeMs: baseMs, knownMs: baseMs + MINUTE, value: 30 + Math.floor(rng.next() * 80) };
    });
    const late: KnownValue = { timeMs, knownMs: timeMs + 5 * MINUTE, value: 500 };
    const revised: KnownValue = { timeMs, knownMs: timeMs + 60 * MINUTE, value: 1 };
    const without = await ordersOf(baseRows);
    const withLate = await ordersOf([...baseRows, late]);
    const withBoth = await ordersOf([...baseRows, late, revised]);
    const ordersBefore = (orders: typeof without, ms: number) => orders.filter(({ atMs }) => atMs < ms);
    expect(ordersBefore(withLate, late.knownMs), `seed ${seed}`).toEqual(ordersBefore(without, late.knownMs));
    expect(ordersBefore(withBoth, revised.knownMs), `seed ${seed}`).toEqual(ordersBefore(withLate, revised.knownMs));
    if (JSON.stringify(withLate) !== JSON.stringify(without)) changed++;
    if (JSON.stringify(withBoth) !== JSON.stringify(withLate)) changed++;
  }
  // The values do change decisions, after they are known.
  expect(changed).toBeGreaterThan(20);
});

test('an external value that becomes known at the close of a bar counts at that close', async () => {
  const close = bars.closeMs[10]!;
  const firstValue = { timeMs: close - MINUTE, knownMs: close, value: 7 };
  const revision = { ...firstValue, knownMs: close + 1, value: 8 };
  await readAll([firstValue, revision], 64);
  const readAt = (ms: number) => reads.filter(({ nowMs }) => nowMs === ms).map(({ value }) => value);
  expect(new Set(readAt(bars.closeMs[9]!))).toEqual(new Set([NaN]));
  expect(new Set(readAt(close))).toEqual(new Set([7]));
  expect(new Set(readAt(bars.closeMs[11]!))).toEqual(new Set([8]));
});

test('the proofs change only external values that become known later', () => {
  const plan = planFor({ strategies: [TradingStrategy], feeds: { bars }, series: [seriesPlan(randomRows(3))], toMs: endMs });
  const untilMs = bars.closeMs[150]!;
  const whole = plan.series![0]!.values;
  const until = whole.knownMs.findIndex((ms) => ms > untilMs);
  expect(until).toBeGreaterThan(5);
  expect(planUntil(plan, untilMs)!.series![0]!.values.length).toBe(until);
  const changed = poisonPlan(plan, untilMs, seededRng(5)).series![0]!.values;
  expect(changed.value.slice(0, until)).toEqual(whole.value.slice(0, until));
  for (let row = until; row < whole.length; row++) expect(changed.value[row]).not.toBe(whole.value[row]);
});

test('no property of a view of an external series leads to a value that is not yet known', async () => {
  const LATE_VALUE = 424_242;
  const rows: KnownValue[] = [
    { timeMs: START_MS, knownMs: START_MS + 10 * MINUTE, value: 1 },
    { timeMs: START_MS + MINUTE, knownMs: endMs - MINUTE, value: LATE_VALUE },
  ];
  let leaks = 0;
  class InspectingStrategy extends Strategy {
    x = this.series('x');
    override onBar() {
      if (this.nowMs >= endMs - MINUTE) return;
      const names = [...Object.getOwnPropertyNames(this.x), ...Object.getOwnPropertyNames(Object.getPrototypeOf(this.x))];
      for (const name of names) if (name !== 'constructor' && Reflect.get(this.x, name) === LATE_VALUE) leaks++;
      expect(Object.isFrozen(this.x)).toBe(true);
      expect(() => this.x.ago(-1)).toThrow();
      expect(JSON.stringify(this.x)).toBe('{}');
    }
  }
  await run({ strategies: [InspectingStrategy], feeds: { bars }, series: [seriesPlan(rows)] });
  expect(leaks).toBe(0);
});

test('an external series with an unknown name or symbol is rejected with a remedy', async () => {
  const readerOf = (name: string) =>
    class Reader extends Strategy {
      x = this.series(name);
      override onBar() {}
    };
  const startWith = (strategy: unknown, symbol: string | null = null) =>
    run({ strategies: [strategy as never], feeds: { bars }, series: [seriesPlan(randomRows(1), symbol)] });
  await expect(startWith(readerOf('y'))).rejects.toThrow('the run has no series called y');
  await expect(startWith(readerOf('x'), 'OTHERUSDT')).rejects.toThrow(/the series x has no values of \w+, only of OTHERUSDT/);
  class ReadsAfterConstruction extends Strategy {
    override onBar() {
      this.series('x');
    }
  }
  await expect(startWith(ReadsAfterConstruction)).rejects.toThrow("series('x') after construction");
});
