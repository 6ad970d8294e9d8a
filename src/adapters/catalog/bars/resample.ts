// Builds longer bars from shorter ones.

import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { mergeRows } from '../../../model/bars/aggregateBars.ts';
import { barsBetween, closeOf, nests, openOf, type Interval } from '../../../model/interval.ts';
import { barsOf, emptyColumns, sliceColumns } from '../files/columns.ts';

/** The result of resampling. */
export interface Resampled {
  readonly bars: BarColumns;
  /** Number of source bars in each. */
  readonly barsIn: Int32Array;
  /** Kept bars that have fewer source bars than their interval holds. */
  readonly thin: number;
  /** Bars dropped for insufficient coverage. */
  readonly dropped: number;
}

/**
 * Returns the bars of `interval`, which must be a multiple of the interval of `bars`. A bar is complete once the source reaches its end, so
 * the last one may be missing and none looks ahead. `minCoverage` (0 to 1) drops bars with a smaller fraction of their source bars. Volumes
 * are added in float64, oldest first. `sourceEndMs`: end of the source if `bars` is only a part of it. Throws ConfigError if the intervals
 * do not nest.
 */
export function resample(bars: BarColumns, interval: Interval, minCoverage = 0, sourceEndMs = lastClose(bars)): Resampled {
  if (!nests(bars.interval, interval)) {
    throw new ConfigError(
      `${interval} bars cannot be made from ${bars.interval} bars`,
      `take bars of an interval that divides ${interval}`,
    );
  }
  const { openMs, length } = bars;
  const maxBars = countGroups(openMs, interval);
  const raw = emptyColumns(maxBars);
  const barsIn = new Int32Array(maxBars);
  let barCount = 0;
  let thin = 0;
  let dropped = 0;
  for (let row = 0; row < length;) {
    const startMs = openOf(interval, openMs[row]!);
    const endMs = closeOf(interval, startMs);
    const firstRow = row;
    while (row < length && openMs[row]! < endMs) row++;
    if (sourceEndMs < endMs) break;
    const fullCount = barsBetween(bars.interval, startMs, endMs);
    // Divide, as users do: 33 of 60 is 0.55, but 60 * 0.55 is slightly more than 33.
    if ((row - firstRow) / fullCount < minCoverage) {
      dropped++;
      continue;
    }
    if (row - firstRow < fullCount) thin++;
    raw.openMs[barCount] = startMs;
    mergeRows(bars, firstRow, row, raw, barCount);
    barsIn[barCount++] = row - firstRow;
  }
  return { bars: barsOf(sliceColumns(raw, 0, barCount), bars.instrument, interval), barsIn: barsIn.slice(0, barCount), thin, dropped };
}

function lastClose({ closeMs, length }: BarColumns): number {
  return length === 0 ? -Infinity : closeMs[length - 1]!;
}

/** Returns the number of bars of `interval` that have at least one source bar. */
function countGroups(openMs: Float64Array, interval: Interval): number {
  let groups = 0;
  let endMs = -Infinity;
  for (let i = 0; i < openMs.length; i++) {
    if (openMs[i]! < endMs) continue;
    groups++;
    endMs = closeOf(interval, openOf(interval, openMs[i]!));
  }
  return groups;
}
