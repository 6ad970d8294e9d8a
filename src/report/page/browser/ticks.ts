// Computes the positions and the labels of axis marks.

import { clockText, dayText, fixed } from '../../../base/text/format.ts';

const DAY = 86_400_000;

/** Returns the smallest step of 1, 2 or 5 times a power of ten that gives at most `max` marks. */
export function niceStep(span: number, max: number): number {
  const rough = Math.max(span, Number.MIN_VALUE) / Math.max(1, max);
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = [1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10;
  return times * power;
}

/** Returns round values from `low` to `high`. */
export function niceTicks(low: number, high: number, max: number): number[] {
  const step = niceStep(high - low, max);
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
}

/** Returns round values of a logarithmic axis between two values above 0. */
export function logTicks(low: number, high: number, max: number): number[] {
  if (high / low < 4) return niceTicks(low, high, max);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of [1, 2, 5]) ticks.push(factor * 10 ** power);
  const visible = ticks.filter((tick) => tick >= low && tick <= high);
  return visible.length <= max * 2 ? visible : visible.filter((tick) => tick.toExponential().startsWith('1'));
}

/** Returns the number of decimals that distinguishes marks `step` apart. */
export function digitsOf(step: number): number {
  let digits = 0;
  for (let scaled = step; digits < 8 && Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled; scaled = step * 10 ** digits) digits++;
  return digits;
}

/** Returns the labels of one axis. All have the number of decimals that their distance requires. */
export function numberTexts(ticks: readonly number[]): string[] {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  return ticks.map((tick) => fixed(tick, digitsOf(step)));
}

/** Returns the labels of a time axis with marks `step` ms apart. The coarser part of the time appears only where it changes. */
export function timeTexts(ticks: readonly number[], step: number): string[] {
  return ticks.map((ms, index) => {
    const day = dayText(ms);
    const before = index === 0 ? '' : dayText(ticks[index - 1] ?? 0);
    if (step >= 360 * DAY) return day.slice(0, 4);
    if (step >= 27 * DAY) return day.slice(0, 4) === before.slice(0, 4) ? day.slice(5, 7) : day.slice(0, 7);
    if (step >= DAY) return day.slice(0, 4) === before.slice(0, 4) ? day.slice(5) : day;
    return day === before ? clockText(ms) : day.slice(5);
  });
}
