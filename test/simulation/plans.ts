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
const HOUR_MS = 3_600_000;
/** Ticks of a price of 1, and lots of a volume of 1, of the instruments of `spot`. */
const PRICE_SCALE = 100;
const VOLUME_SCALE = 1000;
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

/** A bar in whole numbers: prices in ticks, the volume in lots. */
interface ScaledBar {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** Returns a seeded random walk of one-minute bars around 100. `missingShare`: the share of bars that are left out, 0 to 1. */
export function minutes(symbol: string, rows: number, seed: number, missingShare = 0): BarColumns {
  const random = seededRng(seed);
  const bars: ScaledBar[] = [];
  let lastClose = 10_000;
  for (let row = 0; row < rows; row++) {
    const open = lastClose + Math.round((random.next() - 0.5) * 20);
    const close = Math.max(1000, open + Math.round((random.next() - 0.5) * 120));
    const high = Math.max(open, close) + Math.floor(random.next() * 40);
    const low = Math.min(open, close) - Math.floor(random.next() * 40);
    lastClose = close;
    const isMissing = row > 0 && random.next() < missingShare;
    if (isMissing) continue;
    bars.push({ openMs: START_MS + row * MINUTE_MS, open, high, low, close, volume: Math.floor(random.next() * 50_000) });
  }
  return barColumns(spot(symbol), '1m', MINUTE_MS, bars);
}

/** Returns the hourly bars of minute bars. Missing minutes are left out, and an incomplete last hour too. */
export function hoursOf(bars: BarColumns): BarColumns {
  const hours: ScaledBar[] = [];
  for (let row = 0; row < bars.length;) {
    const openMs = Math.floor(bars.openMs[row]! / HOUR_MS) * HOUR_MS;
    const firstRow = row;
    let high = 0;
    let low = Infinity;
    for (; row < bars.length && bars.openMs[row]! < openMs + HOUR_MS; row++) {
      high = Math.max(high, bars.high[row]!);
      low = Math.min(low, bars.low[row]!);
    }
    const isIncomplete = row === bars.length;
    if (isIncomplete) break;
    const close = bars.close[row - 1]!;
    hours.push({
      openMs,
      open: Math.round(bars.open[firstRow]! * PRICE_SCALE),
      high: Math.round(high * PRICE_SCALE),
      low: Math.round(low * PRICE_SCALE),
      close: Math.round(close * PRICE_SCALE),
      volume: 0,
    });
  }
  return barColumns(bars.instrument, '1h', HOUR_MS, hours);
}

/** Returns bars as columns of prices and volumes. */
function barColumns(instrument: Instrument, interval: Interval, lengthMs: number, bars: readonly ScaledBar[]): BarColumns {
  const columnOf = (field: keyof ScaledBar, scale: number) => Float64Array.from(bars, (bar) => bar[field] / scale);
  return {
    instrument,
    interval,
    length: bars.length,
    openMs: columnOf('openMs', 1),
    closeMs: Float64Array.from(bars, ({ openMs }) => openMs + lengthMs),
    open: columnOf('open', PRICE_SCALE),
    high: columnOf('high', PRICE_SCALE),
    low: columnOf('low', PRICE_SCALE),
    close: columnOf('close', PRICE_SCALE),
    volume: columnOf('volume', VOLUME_SCALE),
  };
}

/** Returns the bars with `factor` times their length, as bars of a longer `interval`. */
export function stretchBars(bars: BarColumns, interval: Interval, factor: number): BarColumns {
  const longer = (ms: number) => START_MS + (ms - START_MS) * factor;
  return { ...bars, interval, openMs: bars.openMs.map(longer), closeMs: bars.closeMs.map(longer) };
}

/** Returns the first `length` rows of bars. */
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
  const { params = {}, ...runOptions } = options;
  const strategyList = [strategies].flat();
  return runPlan(
    strategyList.map((strategy) => ({ strategy, params })),
    feeds,
    { risk: { maxLeverage: '3' }, ...runOptions },
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
