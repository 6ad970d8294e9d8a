// Builds run plans over generated bars in memory, for simulations of the whole bot without files.

import type { RunPlan, FeedPlan } from '../../src/definition/plan/plan.ts';
import { lots } from '../../src/base/brand.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import type { Interval } from '../../src/model/interval.ts';
import type { RunRecord } from '../../src/model/run/run.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { feedPlan, runPlan, type RunPlanOptions } from '../fixtures/runPlan.ts';

const MINUTE_MS = 60_000;
/** Time of the first bar. */
export const START_MS = 1_704_067_200_000; // 2024-01-01

/** Returns a spot instrument with two decimals of price and three of quantity. */
export function spot(symbol: string, feePpm = 1000): Instrument {
  return {
    id: instrumentId('spot', symbol),
    market: 'spot',
    wireName: symbol,
    base: symbol.slice(0, -4),
    quote: 'USDT',
    priceDigits: 2,
    quantityDigits: 3,
    quoteDigits: 8,
    baseDigits: 8,
    minLots: lots(1),
    makerFeePpm: feePpm,
    takerFeePpm: feePpm,
  };
}

/** Returns a seeded random walk of one-minute bars around 100. `missing`: the share of bars that are left out. */
export function minutes(symbol: string, rows: number, seed: number, missing = 0): BarColumns {
  const random = seededRng(seed);
  const barRows: number[][] = [];
  let lastClose = 10_000;
  for (let row = 0; row < rows; row++) {
    const open = lastClose + Math.round((random.next() - 0.5) * 20);
    const close = Math.max(1000, open + Math.round((random.next() - 0.5) * 120));
    const high = Math.max(open, close) + Math.floor(random.next() * 40);
    const low = Math.min(open, close) - Math.floor(random.next() * 40);
    lastClose = close;
    if (row === 0 || random.next() >= missing)
      barRows.push([START_MS + row * MINUTE_MS, open, high, low, close, Math.floor(random.next() * 50_000)]);
  }
  return columns(spot(symbol), '1m', MINUTE_MS, barRows);
}

/** Returns the hourly bars of minute bars. Missing minutes are left out, and an incomplete last hour too. */
export function hoursOf(bars: BarColumns): BarColumns {
  const barRows: number[][] = [];
  for (let row = 0; row < bars.length;) {
    const open = Math.floor(bars.openMs[row]! / 3_600_000) * 3_600_000;
    const hour = [open, bars.open[row]! * 100, 0, Infinity, 0, 0];
    for (; row < bars.length && bars.openMs[row]! < open + 3_600_000; row++) {
      hour[2] = Math.max(hour[2]!, bars.high[row]! * 100);
      hour[3] = Math.min(hour[3]!, bars.low[row]! * 100);
      hour[4] = bars.close[row]! * 100;
    }
    if (row < bars.length) barRows.push(hour.map(Math.round));
  }
  return columns(bars.instrument, '1h', 3_600_000, barRows);
}

/** Returns rows of scaled integers as bar columns: prices are divided by 100, volumes by 1000. */
function columns(instrument: Instrument, interval: Interval, lengthMs: number, rows: readonly number[][]): BarColumns {
  const scaledColumn = (field: number, scale: number) => Float64Array.from(rows, (row) => row[field]! / scale);
  return {
    instrument,
    interval,
    length: rows.length,
    openMs: scaledColumn(0, 1),
    closeMs: Float64Array.from(rows, (row) => row[0]! + lengthMs),
    open: scaledColumn(1, 100),
    high: scaledColumn(2, 100),
    low: scaledColumn(3, 100),
    close: scaledColumn(4, 100),
    volume: scaledColumn(5, 1000),
  };
}

/** Returns the bars with `factor` times their length, as bars of a longer `interval`. */
export function stretchBars(bars: BarColumns, interval: Interval, factor: number): BarColumns {
  const longer = (ms: number) => START_MS + (ms - START_MS) * factor;
  return { ...bars, interval, openMs: bars.openMs.map(longer), closeMs: bars.closeMs.map(longer) };
}

/** Returns the first rows of bars. */
export function truncateBars(bars: BarColumns, length: number): BarColumns {
  const firstRows = (column: Float64Array) => column.slice(0, length);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const times = { openMs: firstRows(openMs), closeMs: firstRows(closeMs) };
  const prices = { open: firstRows(open), high: firstRows(high), low: firstRows(low), close: firstRows(close) };
  return { ...bars, length, ...times, ...prices, volume: firstRows(volume) };
}

export { feedPlan as feed };

/** Options of a plan, and the parameters of its strategies. */
export interface PlanOptions extends RunPlanOptions {
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Returns a plan of one or several strategies with equal parameters. */
export function planOf(
  strategies: StrategyClass | readonly StrategyClass[],
  feeds: readonly FeedPlan[],
  options: PlanOptions = {},
): RunPlan {
  const { params = {}, ...rest } = options;
  const strategyList = [strategies].flat();
  return runPlan(
    strategyList.map((strategy) => ({ strategy, params })),
    feeds,
    { risk: { maxLeverage: '3' }, ...rest },
  );
}

/** Returns every column of orders, fills and equity as text. Two runs are equal when their fingerprints are. */
export function fingerprint({ orders, fills, equity }: RunRecord): Record<string, string> {
  const parts: Record<string, string> = { texts: orders.texts.join() };
  for (const [name, table] of Object.entries({ orders, fills, equity })) {
    for (const [field, column] of Object.entries(table)) {
      if (ArrayBuffer.isView(column))
        parts[`${name}.${field}`] = Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('base64');
    }
  }
  return parts;
}
