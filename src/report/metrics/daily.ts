// Equity and benchmark of a run at its start, at every midnight UTC, and at its end.

import type { FeedRecord, RunRecord } from '../../model/run.ts';
import { DAY_MS } from './kernels/portfolio.ts';

export interface DailyEquity {
  /** Sampling instants (ms UTC), ascending; the first is the run's start. */
  readonly timeMs: Float64Array;
  /** The last known equity at each of them, in units of the reporting asset. */
  readonly equity: Float64Array;
  /** Buy-and-hold of the executed instruments, equal weights at the run's start, 1 at the start; null without execution rows. */
  readonly benchmark: Float64Array | null;
}

export function dailyEquity(record: RunRecord): DailyEquity {
  const timeMs = samplingTimes(record.fromMs, record.toMs);
  const { equity } = record;
  const values = new Float64Array(timeMs.length);
  for (let i = 0; i < timeMs.length; i++) {
    const known = countUpTo(equity.timeMs, equity.length, timeMs[i]!);
    values[i] = i === 0 || known === 0 ? record.startUnits : equity.units[known - 1]!;
  }
  return { timeMs, equity: values, benchmark: buyAndHold(record.feeds, timeMs) };
}

function samplingTimes(fromMs: number, toMs: number): Float64Array {
  const times = [fromMs];
  for (let day = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS; day < toMs; day += DAY_MS) times.push(day);
  if (toMs > fromMs) times.push(toMs);
  return Float64Array.from(times);
}

/** Each instrument is bought at its first open inside the run, with an equal part of the money, and valued at its last close. */
export function buyAndHold(feeds: readonly FeedRecord[], timeMs: Float64Array): Float64Array | null {
  const held = executionFeeds(feeds);
  if (held.length === 0) return null;
  const out = new Float64Array(timeMs.length);
  for (const { bars, firstRow } of held) {
    for (let i = 0; i < timeMs.length; i++) {
      const row = i === 0 ? -1 : countUpTo(bars.closeMs, bars.length, timeMs[i]!) - 1;
      out[i]! += (row < firstRow ? 1 : bars.close[row]! / bars.open[firstRow]!) / held.length;
    }
  }
  return out;
}

/** The feeds that match and mark, with at least one row inside the run. */
export function executionFeeds(feeds: readonly FeedRecord[]): readonly FeedRecord[] {
  return feeds.filter((feed) => feed.execution && feed.firstRow < feed.bars.length);
}

/** How many of the first `length` ascending times are at or before `ms`. */
export function countUpTo(times: Float64Array, length: number, ms: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
