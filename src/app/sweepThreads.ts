// The threads of a sweep: each loads the definition once, then runs the sets that its tasks name.

import { ThreadPool } from '../research/pool.ts';
import type { TaskResult } from '../research/sweep.ts';
import type { FeedPlan } from './plan.ts';
import type { SweepSetup } from './sweepSetup.ts';
import type { SweepAnswer, SweepData } from './worker/sweepWorker.ts';
import { fromWire } from './worker/wireError.ts';

/** Starts `threads` threads for the sets of `setup`. */
export async function threadRunner({ run, sets, resolved }: SweepSetup, threads: number): Promise<ThreadPool> {
  const worker = new URL(import.meta.url.endsWith('.ts') ? './worker/sweepWorker.ts' : './worker/sweepWorker.js', import.meta.url);
  const workerData: SweepData = { request: run, sets, feeds: sharedFeeds(resolved.plan.feeds) };
  return new ThreadPool({ worker, workerData, threads, read });
}

function read(answer: unknown): TaskResult {
  // The thread runs sweepWorker.ts, whose answers are of this type.
  const given = answer as SweepAnswer;
  if ('error' in given) throw fromWire(given.error);
  return given;
}

/** Columns of a set of bars. */
const COLUMNS = 7;

/** The feeds with their columns in one block of memory that all threads see: bars are copied once, however many threads there are. */
function sharedFeeds(feeds: readonly FeedPlan[]): readonly FeedPlan[] {
  const rows = feeds.reduce((sum, { bars }) => sum + bars.length, 0);
  const memory = new SharedArrayBuffer(rows * COLUMNS * Float64Array.BYTES_PER_ELEMENT);
  let at = 0;
  return feeds.map((feed) => {
    const { bars } = feed;
    const share = (column: Float64Array): Float64Array => {
      const shared = new Float64Array(memory, at, bars.length);
      shared.set(column.subarray(0, bars.length));
      at += shared.byteLength;
      return shared;
    };
    const times = { openMs: share(bars.openMs), closeMs: share(bars.closeMs) };
    const prices = { open: share(bars.open), high: share(bars.high), low: share(bars.low), close: share(bars.close) };
    return { ...feed, bars: { ...bars, ...times, ...prices, volume: share(bars.volume) } };
  });
}
