// Tests external series in a run. A plain search through all rows gives the expected value of each read.

import { expect, test } from 'vitest';
import { above, sma, sub } from '../../src/index.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { newestValues } from '../../src/model/bars/knownValues.ts';
import type { SeriesPlan } from '../../src/definition/plan/plan.ts';
import { planUntil } from '../../src/tasks/backtest/proof/dataSlices.ts';
import { poisonPlan } from '../../src/tasks/backtest/proof/poison.ts';
import { MINUTE, START_MS, orderRows, planFor, run, walkBars } from './world.ts';

/** A value of a time, and the time at which it becomes known. */
type Row = readonly [timeMs: number, knownMs: number, value: number];

const bars = walkBars({ rows: 300, seed: 21, missing: 0.2 });
const endMs = bars.closeMs[bars.length - 1]!;

/** Returns a series with these rows: time, time known, value. */
function seriesPlan(rows: readonly Row[], symbol: string | null = null): SeriesPlan {
  const sorted = rows.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]);
  const column = (index: 0 | 1 | 2): Float64Array => Float64Array.from(sorted, (row) => row[index]);
  return { name: 'x', symbol, values: newestValues(column(1), column(0), column(2)), input: { name: 'x', sha256: '' }, file: 'x' };
}

/** Returns values that become known late, early or exactly at the close of a bar, in any order, with up to three revisions. */
function randomRows(seed: number, count = 120): Row[] {
  const rng = seededRng(seed);
  const pick = (below: number): number => Math.floor(rng.next() * below);
  const rowsByKey = new Map<string, Row>();
  for (let i = 0; i < count; i++) {
    const timeMs = START_MS + pick(400) * MINUTE - 30 * MINUTE;
    const delayMs = [0, pick(3 * MINUTE), pick(90) * MINUTE, -pick(20) * MINUTE][pick(4)]!;
    for (let revision = 0; revision <= pick(3); revision++) {
      const knownMs = timeMs + delayMs + revision * pick(40 * MINUTE);
      rowsByKey.set(`${timeMs} ${knownMs}`, [timeMs, knownMs, pick(1000) / 8]);
    }
  }
  return [...rowsByKey.values()];
}

/** Returns the newest value that is known at `nowMs`. Searches all rows, whatever their order. */
function searchAllRows(rows: readonly Row[], nowMs: number): { value: number; timeMs: number; knownMs: number; ageMs: number } {
  let best: Row | null = null;
  for (const row of rows) {
    if (row[1] > nowMs) continue;
    if (best === null || row[0] > best[0] || (row[0] === best[0] && row[1] > best[1])) best = row;
  }
  if (best === null) return { value: NaN, timeMs: NaN, knownMs: NaN, ageMs: NaN };
  return { value: best[2], timeMs: best[0], knownMs: best[1], ageMs: nowMs - best[0] };
}

/** What the strategy read at one time. */
interface SeriesRead {
  readonly nowMs: number;
  readonly value: number;
  readonly timeMs: number;
  readonly knownMs: number;
  readonly ageMs: number;
}
let reads: SeriesRead[] = [];
let averages: [number, number, number][] = [];

/** Reads a series in every way, and never trades. */
class ReadingStrategy extends Strategy {
  x = this.series('x');
  mean = this.use(sma(this.x, 5));
  sharedNode = this.use(sub(this.mean, this.x));
  ordersBefore = this.use(this.x, { depth: 3 });
  everyTwentySeconds = this.every('20s', () => this.read());
  override onBar() {
    this.read();
    averages.push([this.nowMs, this.mean.value, this.sharedNode.value]);
    if (this.x.ago(3) !== this.ordersBefore.ago(3) && !Number.isNaN(this.x.ago(3))) throw new Error('two views of one series');
    if (this.series('x') !== this.x) throw new Error('one series has two views');
  }
  read() {
    const { value, timeMs, knownMs, ageMs } = this.x;
    reads.push({ nowMs: this.nowMs, value, timeMs, knownMs, ageMs });
  }
}

async function readAll(rows: readonly Row[], blockRows: number): Promise<void> {
  reads = [];
  averages = [];
  await run({ strategies: [ReadingStrategy], feeds: { bars }, series: [seriesPlan(rows)], blockRows });
}

test('each read of an external series equals a search through all rows, at bars and between them', async () => {
  let count = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const rows = randomRows(seed);
    await readAll(rows, 64);
    for (const { nowMs, ...read } of reads) expect(read, `seed ${seed} at ${nowMs}`).toEqual(searchAllRows(rows, nowMs));
    count += reads.length;
    const expectedAt = (row: number): number => searchAllRows(rows, bars.closeMs[row]!).value;
    for (const [ms, mean, sharedNode] of averages) {
      const row = bars.closeMs.indexOf(ms);
      const expected = row < 4 ? NaN : [0, 1, 2, 3, 4].reduce((sum, back) => sum + expectedAt(row - back), 0) / 5;
      if (Number.isNaN(expected)) expect(mean).toBeNaN();
      else expect(Math.abs(mean - expected), `seed ${seed} at ${ms}`).toBeLessThan(1e-9);
      expect(sharedNode).toBe(mean - expectedAt(row));
    }
  }
  expect(count).toBeGreaterThan(10_000);
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

async function ordersOf(rows: readonly Row[]) {
  const { record } = await run({ strategies: [TradingStrategy], feeds: { bars }, series: [seriesPlan(rows)] });
  return orderRows(record).map((order, index) => ({ ...order, atMs: record.orders.createdMs[index]! }));
}

test('neither a value nor its revision changes a decision before its known time', async () => {
  let changed = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const rng = seededRng(seed + 500);
    const time = START_MS + Math.floor(rng.next() * 250) * MINUTE;
    // Five minutes late, and revised an hour after its time.
    const base = Array.from({ length: 12 }, (_, index): Row => {
      const timeMs = START_MS + index * 30 * MINUTE + 1;
      return [timeMs, timeMs + MINUTE, 30 + Math.floor(rng.next() * 80)];
    });
    const late: Row = [time, time + 5 * MINUTE, 500];
    const revised: Row = [time, time + 60 * MINUTE, 1];
    const without = await ordersOf(base);
    const withLate = await ordersOf([...base, late]);
    const withBoth = await ordersOf([...base, late, revised]);
    const ordersBefore = (orders: typeof without, ms: number) => orders.filter(({ atMs }) => atMs < ms);
    expect(ordersBefore(withLate, late[1]), `seed ${seed}`).toEqual(ordersBefore(without, late[1]));
    expect(ordersBefore(withBoth, revised[1]), `seed ${seed}`).toEqual(ordersBefore(withLate, revised[1]));
    if (JSON.stringify(withLate) !== JSON.stringify(without)) changed++;
    if (JSON.stringify(withBoth) !== JSON.stringify(withLate)) changed++;
  }
  // The values do change decisions, after they are known.
  expect(changed).toBeGreaterThan(20);
});

test('an external value that becomes known at the close of a bar counts at that close', async () => {
  const close = bars.closeMs[10]!;
  await readAll([[close - MINUTE, close, 7], [close - MINUTE, close + 1, 8]], 64); // prettier-ignore
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
  const rows: Row[] = [[START_MS, START_MS + 10 * MINUTE, 1], [START_MS + MINUTE, endMs - MINUTE, 424_242]]; // prettier-ignore
  let leaks = 0;
  class InspectingStrategy extends Strategy {
    x = this.series('x');
    override onBar() {
      if (this.nowMs >= endMs - MINUTE) return;
      const names = [...Object.getOwnPropertyNames(this.x), ...Object.getOwnPropertyNames(Object.getPrototypeOf(this.x))];
      for (const name of names) if (name !== 'constructor' && Reflect.get(this.x, name) === 424_242) leaks++;
      expect(Object.isFrozen(this.x)).toBe(true);
      expect(() => this.x.ago(-1)).toThrow();
      expect(JSON.stringify(this.x)).toBe('{}');
    }
  }
  await run({ strategies: [InspectingStrategy], feeds: { bars }, series: [seriesPlan(rows)] });
  expect(leaks).toBe(0);
});

test('an external series with an unknown name or symbol is rejected with a remedy', async () => {
  const named = (name: string) =>
    class Asks extends Strategy {
      x = this.series(name);
      override onBar() {}
    };
  const start = (strategy: unknown, symbol: string | null = null) =>
    run({ strategies: [strategy as never], feeds: { bars }, series: [seriesPlan(randomRows(1), symbol)] });
  await expect(start(named('y'))).rejects.toThrow('the run has no series called y');
  await expect(start(named('x'), 'OTHERUSDT')).rejects.toThrow(/the series x has no values of \w+, only of OTHERUSDT/);
  class Late extends Strategy {
    override onBar() {
      this.series('x');
    }
  }
  await expect(start(Late)).rejects.toThrow("series('x') after construction");
});
