// Computes what backtesting.py derives from bars: daily returns, the number of days in a year, and the drawdowns of the equity.

import { civilMonth } from '../../../base/calendar.ts';
import type { ProfileBars } from '../figures/input.ts';
import { pandasMean } from '../statistics/moments.ts';
import { rangeOf, runningMax } from '../statistics/orderedArithmetic.ts';

const DAY_MS = 86_400_000;
const WEEK = 7;
/** 1970-01-01 was a Thursday; Monday is 0. */
const FIRST_WEEKDAY = 3;
/** The tool measures the length of a bar on the last bars. */
const STEP_BARS = 100;

/** Returns the median distance of the last 100 bars in ms. NaN below two bars. */
export function medianStep(openMs: Float64Array): number {
  const last = openMs.subarray(Math.max(0, openMs.length - STEP_BARS));
  const steps = last
    .subarray(1)
    .map((ms, row) => ms - last[row]!)
    .toSorted();
  if (steps.length === 0) return NaN;
  const middle = steps.length >> 1;
  return steps.length % 2 === 1 ? steps[middle]! : (steps[middle - 1]! + steps[middle]!) / 2;
}

/**
 * Returns the number of periods in a year: 52 for weekly bars, 12 for monthly bars, 1 for yearly bars. Other bars give 365, or 252 if few
 * of them are on a weekend.
 */
export function yearDays({ openMs }: ProfileBars): number {
  const days = Math.floor(medianStep(openMs) / DAY_MS);
  if (days === WEEK) return 52;
  if (days === 31) return 12;
  if (days === 365) return 1;
  const weekend = openMs.map((ms) => ((Math.floor(ms / DAY_MS) + FIRST_WEEKDAY) % WEEK >= 5 ? 1 : 0));
  return pandasMean(weekend) > (2 / 7) * 0.6 ? 365 : 252;
}

/**
 * Returns the changes from the last equity of a day to that of the next day with a bar. With weekly, monthly or yearly bars, the changes
 * are between weeks, months or years.
 */
export function dayReturns({ openMs, equity }: ProfileBars): Float64Array {
  const keyOf = periodOf(Math.floor(medianStep(openMs) / DAY_MS));
  const last: number[] = [];
  let period = NaN;
  openMs.forEach((ms, row) => {
    const key = keyOf(ms);
    if (key === period) last[last.length - 1] = equity[row]!;
    else last.push(equity[row]!);
    period = key;
  });
  const out: number[] = [];
  for (let day = 1; day < last.length; day++) {
    const change = last[day]! / last[day - 1]! - 1;
    // The tool drops NaN but keeps infinities.
    if (!Number.isNaN(change)) out.push(change);
  }
  return Float64Array.from(out);
}

/** Returns a function that numbers the period of a time. `days` is the length of a bar in days. Weeks end on Sundays. */
function periodOf(days: number): (ms: number) => number {
  const day = (ms: number) => Math.floor(ms / DAY_MS);
  if (days === WEEK) return (ms) => Math.floor((day(ms) + FIRST_WEEKDAY) / WEEK);
  if (days === 31) return (ms) => civilMonth(ms).year * 12 + civilMonth(ms).month;
  if (days === 365) return (ms) => civilMonth(ms).year;
  return day;
}

/** The drawdowns by the definitions of the tool. */
export interface ToolDrawdowns {
  /** Deepest drawdown of the bars, at least 0. NaN where equity was never above 0. */
  readonly deepest: number;
  /** Mean of the deepest points of all drawdowns of more than one step. NaN without one. */
  readonly meanPeak: number;
  /** Longest and mean time between two bars at a peak, in s, rounded up like the tool. NaN without a drawdown. */
  readonly max: number;
  readonly mean: number;
}

/** Returns the drawdowns. A drawdown that has not recovered ends with the last bar. */
export function toolDrawdowns({ openMs, equity }: ProfileBars): ToolDrawdowns {
  const rowCount = equity.length;
  const top = runningMax(equity);
  const depth = equity.map((value, row) => 1 - value / top[row]!);
  const values = depth.filter((value) => !Number.isNaN(value));
  const deepest = values.length === 0 ? NaN : rangeOf(values).max;
  const peaks: number[] = [];
  for (let row = 0; row < rowCount; row++) if (depth[row] === 0 || row === rowCount - 1) peaks.push(row);
  const lengths: number[] = [];
  const depths: number[] = [];
  for (let index = 1; index < peaks.length; index++) {
    const from = peaks[index - 1]!;
    const to = peaks[index]!;
    if (to <= from + 1) continue;
    lengths.push(openMs[to]! - openMs[from]!);
    depths.push(rangeOf(depth.subarray(from, to + 1)).max);
  }
  if (lengths.length === 0) return oneStepDrawdown(deepest, values);
  const step = medianStep(openMs);
  return {
    deepest,
    meanPeak: pandasMean(Float64Array.from(depths)),
    max: roundedUp(rangeOf(Float64Array.from(lengths)).max, 1, step),
    mean: roundedUp(
      lengths.reduce((sum, ms) => sum + ms),
      lengths.length,
      step,
    ),
  };
}

/** Returns the drawdowns when only the last bar is below a peak. The tool then reports the depth in place of the duration. */
function oneStepDrawdown(deepest: number, depth: Float64Array): ToolDrawdowns {
  const fallen = depth.filter((value) => value !== 0);
  const average = pandasMean(fallen);
  return { deepest, meanPeak: average, max: fallen.length === 0 ? NaN : rangeOf(fallen).max, mean: average };
}

const UNITS = [DAY_MS, 3_600_000, 60_000, 1000, 1];

/** Returns `totalMs / count` in s, rounded up to whole units of the largest unit (day, hour, minute, second, ms) that divides `stepMs`. */
export function roundedUp(totalMs: number, count: number, stepMs: number): number {
  const unit = UNITS.find((size) => stepMs % size === 0) ?? 1;
  return (Math.ceil(totalMs / (count * unit)) * unit) / 1000;
}
