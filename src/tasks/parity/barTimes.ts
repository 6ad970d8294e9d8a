// Finds the bar of a time: on the grid of its interval, or among the rows of bars from trades.

import { firstAfter } from '../../base/number/search.ts';
import type { FeedPlan } from '../../definition/plan/plan.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import { openOf, typicalLengthMs } from '../../model/interval.ts';
import { isTradeBars } from '../../model/tradeBars.ts';

/** Returns the number of the bar that contains `timeMs`. It rises from bar to bar. */
export function barNumber({ interval, openMs, length }: BarColumns, timeMs: number): number {
  return isTradeBars(interval) ? firstAfter(openMs, 0, length, timeMs) : Math.floor(timeMs / typicalLengthMs(interval));
}

/** Returns the time at which the bar that contains `timeMs` opens. -Infinity before the first bar from trades. */
export function openAt(bars: BarColumns, timeMs: number): number {
  if (!isTradeBars(bars.interval)) return openOf(bars.interval, timeMs);
  const number = barNumber(bars, timeMs);
  return number === 0 ? -Infinity : bars.openMs[number - 1]!;
}

/** Returns the shortest bars. */
export const finestBars = (feeds: readonly FeedPlan[]): BarColumns =>
  feeds.map(({ bars }) => bars).reduce((a, b) => (typicalLengthMs(b.interval) < typicalLengthMs(a.interval) ? b : a));
