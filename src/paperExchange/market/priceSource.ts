// Price sources: the times, prices and lots at which a market trades, from a seeded random walk, from bars or from recorded trades.

import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Rng } from '../../base/number/rng.ts';
import { type BarColumns, ticksOf } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';

const MILLION = 1_000_000;
/** A step below this many ticks is lost when it is rounded to ticks. */
const HALF_TICK = 0.5;
/** A random walk returns towards its first price by one part in `PULL_STEPS` of the distance at each step. */
const PULL_STEPS = 5000;

/** A trade of the simulated market. */
export interface PricePoint {
  readonly timeMs: number;
  /** Above 0. */
  readonly priceTicks: number;
  readonly lots: number;
}

/** Returns the next point; null at the end. The times of successive points never decrease. */
export type PriceSource = () => PricePoint | null;

/** The prices and the pace of a random walk. */
export interface WalkOptions {
  /** First price, in ticks. */
  readonly firstTicks: number;
  /** Mean time between points, ms. */
  readonly stepMs: number;
  /** Largest change between points, in millionths of the price. */
  readonly stepPpm: number;
  /** Maximum number of lots traded at a point. */
  readonly lots: number;
}

/** Returns an endless random walk from `fromMs` on. */
export function randomWalk(rng: Rng, fromMs: number, { firstTicks: firstPrice, stepMs, stepPpm, lots }: WalkOptions): PriceSource {
  let timeMs = fromMs;
  let exactPrice = firstPrice;
  // With the largest step below half a tick, rounding every step would leave the price where it is. Longer steps are rounded one by one.
  const isBelowTicks = (firstPrice * stepPpm) / MILLION < HALF_TICK;
  return () => {
    timeMs += 1 + Math.floor(rng.next() * 2 * stepMs);
    // The sum of three numbers is closer to market returns than a single one, and uses exact operations only.
    const change = (rng.next() + rng.next() + rng.next()) * (2 / 3) - 1;
    // A pull towards the first price, so that a demo of several weeks still shows plausible prices.
    const pull = (firstPrice - exactPrice) / firstPrice / PULL_STEPS;
    const movedPrice = exactPrice * (1 + (change * stepPpm) / MILLION + pull);
    exactPrice = Math.max(Math.round(firstPrice / 4), isBelowTicks ? movedPrice : Math.round(movedPrice), 1);
    return { timeMs, priceTicks: Math.round(exactPrice), lots: 1 + Math.floor(rng.next() * lots) };
  };
}

/** Trades in order of time: ms, ticks and lots. Each array has `length` elements. */
export interface RecordedTrades {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly ticks: Float64Array;
  readonly lots: Float64Array;
}

/** Returns recorded trades as points. The first is at `startMs`; `speed` scales the pace, and 1 is real time. */
export function replayTrades({ length, timeMs, ticks, lots }: RecordedTrades, startMs: number, speed: number): PriceSource {
  let index = 0;
  return () => {
    if (index >= length) return null;
    const point = { timeMs: Math.floor(startMs + (timeMs[index]! - timeMs[0]!) / speed), priceTicks: ticks[index]!, lots: lots[index]! };
    index++;
    return point;
  };
}

/** Four points for each bar: open, the nearer extreme, the other one, close. Bars built from these points equal the original bars. */
const POINTS = 4;

/**
 * Returns bars as points. The first is at `startMs`; `speed` scales the pace. Gaps between bars are kept. The volume of a bar is split
 * evenly in whole lots, at least one a point.
 */
export function replayBars(bars: BarColumns, startMs: number, speed: number): PriceSource {
  if (!(speed > 0 && Number.isFinite(speed))) throw new ConfigError(`speed: expected a number above 0, got ${speed}`, '1 is real time');
  const scale = pow10(bars.instrument.quantityDigits);
  const open = ticksOf(bars, 'open');
  const high = ticksOf(bars, 'high');
  const low = ticksOf(bars, 'low');
  const close = ticksOf(bars, 'close');
  const originMs = bars.openMs[0] ?? 0;
  let index = 0;
  return () => {
    const row = Math.floor(index / POINTS);
    if (row >= bars.length) return null;
    const point = index++ % POINTS;
    const openMs = bars.openMs[row]!;
    const closeMs = bars.closeMs[row]!;
    // The last point must lie within the bar.
    const barMs = openMs + Math.floor(((closeMs - 1 - openMs) * point) / (POINTS - 1));
    const isRising = close[row]! >= open[row]!;
    const [firstExtreme, secondExtreme] = isRising ? [low, high] : [high, low];
    const column = [open, firstExtreme, secondExtreme, close][point]!;
    const lots = Math.max(1, Math.round((bars.volume[row]! * scale) / POINTS));
    return { timeMs: Math.floor(startMs + (barMs - originMs) / speed), priceTicks: column[row]!, lots };
  };
}

/** Returns the lots of a quantity such as 0.5 of the base asset, at least one. */
export const lotsOfQuantity = (instrument: Instrument, quantity: number): number =>
  Math.max(1, Math.round(quantity * pow10(instrument.quantityDigits)));
