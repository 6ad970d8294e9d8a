// Where the axes of the page have their marks, and what stands there.

import { clockText, dayText, fixed } from '../../../base/text/format.ts';

const DAY = 86_400_000;

/** The step of 1, 2 or 5 times a power of ten that gives at most `most` marks. */
export function niceStep(span: number, max: number): number {
  const rough = Math.max(span, Number.MIN_VALUE) / Math.max(1, max);
  const power = 10 ** Math.floor(Math.log10(rough));
  const times = [1, 2, 5, 10].find((of) => of * power >= rough) ?? 10;
  return times * power;
}

/** Round values from `low` to `high`. */
export function niceTicks(low: number, high: number, max: number): number[] {
  const step = niceStep(high - low, max);
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
}

/** Values at round places of a logarithmic axis between two values above 0. */
export function logTicks(low: number, high: number, max: number): number[] {
  if (high / low < 4) return niceTicks(low, high, max);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const of of [1, 2, 5]) ticks.push(of * 10 ** power);
  const inside = ticks.filter((of) => of >= low && of <= high);
  return inside.length <= max * 2 ? inside : inside.filter((of) => of.toExponential().startsWith('1'));
}

/** As many decimals as tell marks of `step` apart. */
export function digitsOf(step: number): number {
  let digits = 0;
  for (let scaled = step; digits < 8 && Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled; scaled = step * 10 ** digits) digits++;
  return digits;
}

/** Marks of one axis: all with the decimals that their distance asks for. */
export function numberTexts(ticks: readonly number[]): string[] {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  return ticks.map((tick) => fixed(tick, digitsOf(step)));
}

/** Marks of a time axis that lie `step` ms apart: the coarser part stands where it changes. */
export function timeTexts(ticks: readonly number[], step: number): string[] {
  return ticks.map((ms, at) => {
    const day = dayText(ms);
    const before = at === 0 ? '' : dayText(ticks[at - 1] ?? 0);
    if (step >= 360 * DAY) return day.slice(0, 4);
    if (step >= 27 * DAY) return day.slice(0, 4) === before.slice(0, 4) ? day.slice(5, 7) : day.slice(0, 7);
    if (step >= DAY) return day.slice(0, 4) === before.slice(0, 4) ? day.slice(5) : day;
    return day === before ? clockText(ms) : day.slice(5);
  });
}
