// Coarser bars from finer ones.

import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { mergeRows, nests } from '../../../model/bars/aggregateBars.ts';
import { barsBetween, closeOf, openOf, type Interval } from '../../../model/interval.ts';
import { barsOf, emptyColumns, sliceColumns } from '../files/columns.ts';

export interface Resampled {
  readonly bars: BarColumns;
  /** How many fine bars each rests on. */
  readonly barsIn: Int32Array;
  /** Bars that rest on fewer than their interval holds, among those kept. */
  readonly thin: number;
  /** Bars left out for want of coverage. */
  readonly dropped: number;
}

/**
 * The bars of `interval`, which must be longer than that of `bars` and hold a whole number of them. A bar stands once its interval has
 * ended, that is, when the source goes on to its end or past it; so the last one may be missing, and none looks ahead. `minCoverage`,
 * a fraction from 0 to 1, leaves out bars that rest on a smaller share of their fine bars. Volumes are added in float64, oldest first.
 * `sourceEndMs` is how far the source goes where `bars` are only a part of it. Throws ConfigError when the intervals do not nest.
 */
export function resample(bars: BarColumns, interval: Interval, minCoverage = 0, sourceEndMs = lastClose(bars)): Resampled {
  if (!nests(bars.interval, interval)) {
    throw new ConfigError(
      `${interval} bars cannot be made from ${bars.interval} bars`,
      `take bars of an interval that divides ${interval}`,
    );
  }
  const { openMs, length } = bars;
  const max = countGroups(openMs, interval);
  const raw = emptyColumns(max);
  const barsIn = new Int32Array(max);
  let [n, thin, dropped] = [0, 0, 0];
  for (let row = 0; row < length;) {
    const startMs = openOf(interval, openMs[row]!);
    const endMs = closeOf(interval, startMs);
    const first = row;
    while (row < length && openMs[row]! < endMs) row++;
    if (sourceEndMs < endMs) break;
    const full = barsBetween(bars.interval, startMs, endMs);
    // Divided, as people do: 33 of 60 are 0.55, while 60 * 0.55 is a hair more than 33.
    if ((row - first) / full < minCoverage) {
      dropped++;
      continue;
    }
    if (row - first < full) thin++;
    raw.openMs[n] = startMs;
    mergeRows(bars, first, row, raw, n);
    barsIn[n++] = row - first;
  }
  return { bars: barsOf(sliceColumns(raw, 0, n), bars.instrument, interval), barsIn: barsIn.slice(0, n), thin, dropped };
}

function lastClose({ closeMs, length }: BarColumns): number {
  return length === 0 ? -Infinity : closeMs[length - 1]!;
}

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
