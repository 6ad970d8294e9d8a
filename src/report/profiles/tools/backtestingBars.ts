// Computes what backtesting.py derives from bars: daily returns, the number of days in a year, and the drawdowns of the equity.

import { civilMonth } from '../../../base/calendar.ts';
import type { ProfileBars } from '../figures/profileInput.ts';
import { pandasMean } from '../statistics/moments.ts';
import { rangeOf, runningMax } from '../statistics/orderedArithmetic.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** The tool regards bars that are 31 or 365 days apart as monthly or yearly. */
const MONTH_DAYS = 31;
const YEAR_DAYS = 365;
/** 1970-01-01 was a Thursday; Monday is 0. */
const FIRST_WEEKDAY = 3;
/** The tool assumes trading on weekends if more than 60 % of the expected bars are there. */
const MIN_WEEKEND_SHARE = (2 / 7) * 0.6;
/** The tool measures the length of a bar on this number of last bars. */
const STEP_BARS = 100;

/** Returns the median distance of the last 100 bars in ms. NaN below two bars. */
export function medianStep(openMs: Float64Array): number {
  const lastOpens = openMs.subarray(Math.max(0, openMs.length - STEP_BARS));
  const distances = lastOpens.subarray(1).map((ms, row) => ms - lastOpens[row]!);
  const steps = distances.toSorted();
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
  if (days === WEEK_DAYS) return 52;
  if (days === MONTH_DAYS) return 12;
  if (days === YEAR_DAYS) return 1;
  const isWeekend = openMs.map((ms) => ((Math.floor(ms / DAY_MS) + FIRST_WEEKDAY) % WEEK_DAYS >= 5 ? 1 : 0));
  return pandasMean(isWeekend) > MIN_WEEKEND_SHARE ? 365 : 252;
}

/**
 * Returns the changes from the last equity of a day to that of the next day with a bar. With weekly, monthly or yearly bars, the changes
 * are between weeks, months or years.
 */
export function dayReturns({ openMs, equity }: ProfileBars): Float64Array {
  const periodNumberOf = periodNumbering(Math.floor(medianStep(openMs) / DAY_MS));
  const lastEquityOfPeriods: number[] = [];
  let currentPeriod = NaN;
  openMs.forEach((timeMs, row) => {
    const period = periodNumberOf(timeMs);
    if (period === currentPeriod) lastEquityOfPeriods.pop();
    lastEquityOfPeriods.push(equity[row]!);
    currentPeriod = period;
  });
  const changes: number[] = [];
  for (let index = 1; index < lastEquityOfPeriods.length; index++) {
    const change = lastEquityOfPeriods[index]! / lastEquityOfPeriods[index - 1]! - 1;
    // The tool drops NaN but keeps infinities.
    if (!Number.isNaN(change)) changes.push(change);
  }
  return Float64Array.from(changes);
}

/**
 * Returns a function that numbers the day, week, month or year of a time, by the length of a bar in days. Weeks end on Sundays.
 */
function periodNumbering(barDays: number): (timeMs: number) => number {
  const dayNumber = (timeMs: number) => Math.floor(timeMs / DAY_MS);
  if (barDays === WEEK_DAYS) return (timeMs) => Math.floor((dayNumber(timeMs) + FIRST_WEEKDAY) / WEEK_DAYS);
  if (barDays === MONTH_DAYS) return (timeMs) => civilMonth(timeMs).year * 12 + civilMonth(timeMs).month;
  if (barDays === YEAR_DAYS) return (timeMs) => civilMonth(timeMs).year;
  return dayNumber;
}

/** The drawdowns by the definitions of the tool. */
export interface ToolDrawdowns {
  /** Deepest drawdown of the bars, at least 0. NaN where equity was never above 0. */
  readonly deepest: number;
  /** Mean of the deepest points of all drawdowns of more than one step. NaN without one. */
  readonly meanDepth: number;
  /** Longest and mean time between two bars at a peak, in s, rounded up like the tool. NaN without a drawdown. */
  readonly maxSeconds: number;
  readonly meanSeconds: number;
}

/** Returns the drawdowns. A drawdown that has not recovered ends with the last bar. */
export function toolDrawdowns({ openMs, equity }: ProfileBars): ToolDrawdowns {
  const peaks = runningMax(equity);
  const depthByRow = equity.map((value, row) => 1 - value / peaks[row]!);
  const definedDepths = depthByRow.filter((depth) => !Number.isNaN(depth));
  const deepest = definedDepths.length === 0 ? NaN : rangeOf(definedDepths).max;
  const peakRows = rowsAtPeak(depthByRow);
  const lengthsMs: number[] = [];
  const depths: number[] = [];
  for (let index = 1; index < peakRows.length; index++) {
    const from = peakRows[index - 1]!;
    const to = peakRows[index]!;
    if (to <= from + 1) continue;
    lengthsMs.push(openMs[to]! - openMs[from]!);
    depths.push(rangeOf(depthByRow.subarray(from, to + 1)).max);
  }
  if (lengthsMs.length === 0) return oneStepDrawdown(deepest, definedDepths);
  const barLengthMs = medianStep(openMs);
  const totalMs = lengthsMs.reduce((sum, ms) => sum + ms);
  return {
    deepest,
    meanDepth: pandasMean(Float64Array.from(depths)),
    maxSeconds: roundedUp(rangeOf(Float64Array.from(lengthsMs)).max, 1, barLengthMs),
    meanSeconds: roundedUp(totalMs, lengthsMs.length, barLengthMs),
  };
}

/** Returns the rows at which equity is at its highest value up to then, and the last row. */
function rowsAtPeak(depthByRow: Float64Array): readonly number[] {
  const lastRow = depthByRow.length - 1;
  const rows: number[] = [];
  for (let row = 0; row <= lastRow; row++) if (depthByRow[row] === 0 || row === lastRow) rows.push(row);
  return rows;
}

/** Returns the drawdowns when only the last bar is below a peak. The tool then reports the depth in place of the duration. */
function oneStepDrawdown(deepest: number, depths: Float64Array): ToolDrawdowns {
  const nonZeroDepths = depths.filter((depth) => depth !== 0);
  const meanDepth = pandasMean(nonZeroDepths);
  const maxDepth = nonZeroDepths.length === 0 ? NaN : rangeOf(nonZeroDepths).max;
  return { deepest, meanDepth, maxSeconds: maxDepth, meanSeconds: meanDepth };
}

/** A day, an hour, a minute, a second and a millisecond. */
const TIME_UNITS_MS = [DAY_MS, 3_600_000, 60_000, 1000, 1];

/** Returns `totalMs / count` in s, rounded up to whole units of the largest unit (day, hour, minute, second, ms) that divides `stepMs`. */
export function roundedUp(totalMs: number, count: number, stepMs: number): number {
  const unitMs = TIME_UNITS_MS.find((ms) => stepMs % ms === 0) ?? 1;
  return (Math.ceil(totalMs / (count * unitMs)) * unitMs) / 1000;
}
