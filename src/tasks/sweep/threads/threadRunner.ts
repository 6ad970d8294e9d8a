// Starts the threads of a sweep and ends tasks that hang.

import { repeatEvery } from '../../../adapters/clock/wallClock.ts';
import { moduleUrl } from '../../../base/inPackage.ts';
import { SET_FIGURES } from '../../../report/sweep/figures/setFigures.ts';
import { ThreadPool, type PoolOptions, type PostTask } from '../search/threadPool.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';
import type { SweepSetup } from '../plan/setUp.ts';
import { stallText, StalledRun, POLL_MS, StallDetector } from '../../backtest/run/stallDetector.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import type { SweepAnswer, SweepData, SweepTask } from './sweepMessages.ts';
import { fromWire } from '../../backtest/run/wireError.ts';

/** Number and limits of the threads. */
export interface ThreadOptions {
  readonly threads: number;
  /** Time without progress after which a set fails, ms; 0: no limit. */
  readonly barTimeoutMs: number;
  /** Memory for the equity of sets that run together, bytes per thread; null: the default. */
  readonly laneBytes: number | null;
}

/** Starts threads for the sets of `setup`. */
export function threadRunner({ run, sets, resolved }: SweepSetup, { threads, barTimeoutMs, laneBytes }: ThreadOptions): ThreadPool {
  const { plan, contracts } = resolved;
  const worker = moduleUrl('tasks/sweep/threads/sweepWorker');
  const workerData: SweepData = {
    request: run,
    sets,
    feeds: sharedFeeds(plan.feeds),
    series: plan.series ?? [],
    contracts,
    laneBytes,
  };
  return new ThreadPool({ worker, workerData, threads, perform: taskRunner(plan, barTimeoutMs) });
}

/**
 * Returns a function that runs a task and ends it if it hangs. A task does not show which of its sets hangs, so each set is repeated alone,
 * bar by bar. A set that hangs again has failed. If it completes, its bars were only slow and its results are valid.
 */
function taskRunner({ feeds, fromMs }: RunPlan, barTimeoutMs: number): PoolOptions['perform'] {
  const closeMs = feeds.map(({ bars }) => bars.closeMs);
  return async (task, post, signal) => {
    const joint = await runWithStallWatch({ indices: task, isSlow: false }, post, { signal, barTimeoutMs });
    if (!(joint instanceof StalledRun)) return { ...joint, failed: task.map(() => null) };
    const singleResults = await Promise.all(
      task.map((set) => runWithStallWatch({ indices: [set], isSlow: true }, post, { signal, barTimeoutMs })),
    );
    const values = new Float64Array(task.length * SET_FIGURES.length).fill(NaN);
    singleResults.forEach((result, row) => {
      if (!(result instanceof StalledRun)) values.set(result.values, row * SET_FIGURES.length);
    });
    return {
      values,
      refused: singleResults.map((result) => (result instanceof StalledRun ? null : (result.refused[0] ?? null))),
      failed: singleResults.map((result) => (result instanceof StalledRun ? stallText(result, barTimeoutMs, closeMs, fromMs) : null)),
      warnings: singleResults.flatMap((result) => (result instanceof StalledRun ? [] : result.warnings)),
    };
  };
}

type TaskFigures = Exclude<SweepAnswer, { readonly error: unknown }>;

/** Runs sets in a thread. Resolves with StalledRun if they make no progress. */
async function runWithStallWatch(
  { indices, isSlow }: Pick<SweepTask, 'indices' | 'isSlow'>,
  post: PostTask,
  { signal, barTimeoutMs }: { readonly signal: AbortSignal; readonly barTimeoutMs: number },
): Promise<TaskFigures | StalledRun> {
  const progress = new ProgressCells();
  const stallDetector = new StallDetector(progress, barTimeoutMs);
  const ending = new AbortController();
  let stalled: StalledRun | null = null;
  const stopLooking = repeatEvery(POLL_MS, () => {
    stalled ??= stallDetector.check();
    if (stalled !== null) ending.abort();
  });
  try {
    const task: SweepTask = { indices, memory: progress.memory, isSlow };
    // The thread runs sweepWorker.ts, whose replies have this type.
    const answer = (await post(task, AbortSignal.any([signal, ending.signal]))) as SweepAnswer;
    if ('error' in answer) throw fromWire(answer.error);
    return answer;
  } catch (error) {
    if (stalled !== null && !signal.aborted) return stalled;
    throw error;
  } finally {
    stopLooking();
  }
}

/** Number of columns in a set of bars. */
const COLUMNS = 7;

/** Returns the feeds with their columns in one block of shared memory: bars are copied once for all threads. */
function sharedFeeds(feeds: readonly FeedPlan[]): readonly FeedPlan[] {
  const rows = feeds.reduce((sum, { bars }) => sum + bars.length, 0);
  const memory = new SharedArrayBuffer(rows * COLUMNS * Float64Array.BYTES_PER_ELEMENT);
  let offset = 0;
  return feeds.map((feed) => {
    const { bars } = feed;
    const share = (column: Float64Array): Float64Array => {
      const shared = new Float64Array(memory, offset, bars.length);
      shared.set(column.subarray(0, bars.length));
      offset += shared.byteLength;
      return shared;
    };
    const times = { openMs: share(bars.openMs), closeMs: share(bars.closeMs) };
    const prices = { open: share(bars.open), high: share(bars.high), low: share(bars.low), close: share(bars.close) };
    return { ...feed, bars: { ...bars, ...times, ...prices, volume: share(bars.volume) } };
  });
}
