// Computes the positions and the labels of axis marks.

import { clockText, dayText, fixed } from '../../../base/text/format.ts';

const DAY_MS = 86_400_000;
/** Marks at least this far apart are labelled by year, or by month. Months and years vary in length. */
const MIN_YEAR_STEP_MS = 360 * DAY_MS;
const MIN_MONTH_STEP_MS = 27 * DAY_MS;

/** Returns the smallest step of 1, 2 or 5 times a power of ten that gives at most `maxMarks` marks. */
export function niceStep(span: number, maxMarks: number): number {
  const minStep = Math.max(span, Number.MIN_VALUE) / Math.max(1, maxMarks);
  const power = 10 ** Math.floor(Math.log10(minStep));
  const times = [1, 2, 5, 10].find((factor) => factor * power >= minStep) ?? 10;
  return times * power;
}

/** Returns round values from `low` to `high`. */
export function niceTicks(low: number, high: number, maxMarks: number): number[] {
  const step = niceStep(high - low, maxMarks);
  const ticks: number[] = [];
  // The last mark may lie above `high` by a rounding error.
  const end = high + step * 1e-9;
  for (let multiple = Math.ceil(low / step); multiple * step <= end; multiple++) ticks.push(multiple * step);
  return ticks;
}

/** A logarithmic axis whose ends have a smaller quotient has too few marks, so it gets those of a linear one. */
const MIN_LOG_QUOTIENT = 4;

/** Returns round values of a logarithmic axis between two values above 0. */
export function logTicks(low: number, high: number, maxMarks: number): number[] {
  if (high / low < MIN_LOG_QUOTIENT) return niceTicks(low, high, maxMarks);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of [1, 2, 5]) ticks.push(factor * 10 ** power);
  const visible = ticks.filter((tick) => tick >= low && tick <= high);
  return visible.length <= maxMarks * 2 ? visible : visible.filter((tick) => tick.toExponential().startsWith('1'));
}

/** Maximum number of decimals of a label. */
const MAX_DIGITS = 8;

/** Returns the number of decimals that distinguishes marks `step` apart. */
export function digitsOf(step: number): number {
  const hasMoreDigits = (scaled: number) => Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled;
  let digits = 0;
  while (digits < MAX_DIGITS && hasMoreDigits(step * 10 ** digits)) digits++;
  return digits;
}

/** Returns the labels of one axis. All have the number of decimals that their distance requires. */
export function numberTexts(ticks: readonly number[]): string[] {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  return ticks.map((tick) => fixed(tick, digitsOf(step)));
}

/** Returns the labels of a time axis with marks `step` ms apart. The coarser part of the time appears only where it changes. */
export function timeTexts(ticks: readonly number[], step: number): string[] {
  return ticks.map((timeMs, index) => {
    // A day is text such as `2024-01-31`.
    const day = dayText(timeMs);
    const [year = '', month = '', dayOfMonth = ''] = day.split('-');
    const dayBefore = index === 0 ? '' : dayText(ticks[index - 1] ?? 0);
    const isSameYear = dayBefore.startsWith(`${year}-`);
    if (step >= MIN_YEAR_STEP_MS) return year;
    if (step >= MIN_MONTH_STEP_MS) return isSameYear ? month : `${year}-${month}`;
    if (step >= DAY_MS) return isSameYear ? `${month}-${dayOfMonth}` : day;
    return day === dayBefore ? clockText(timeMs) : `${month}-${dayOfMonth}`;
  });
}
