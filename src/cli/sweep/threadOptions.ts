// Reads the options that both sweep commands share: the number of threads, and the memory of each.

import type { ThreadOptions } from '../../tasks/sweep/threads/threadRunner.ts';
import { defaultThreads } from '../../tasks/sweep/search/threadPool.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { wholeNumber } from '../options/values.ts';

const MAX_THREADS = 1024;
const MIB = 1024 * 1024;

/** The options of both commands about threads. */
interface ThreadArgs {
  readonly workers?: string | undefined;
  readonly memory?: string | undefined;
  readonly barTimeout: string;
}

/**
 * Returns the number of threads and the limits of each thread. There are at most as many threads as sets. Throws a ConfigError that names the
 * invalid option.
 */
export function threadOptions({ workers, memory, barTimeout }: ThreadArgs, sets = Infinity): ThreadOptions {
  const threads = Math.min(sets, wholeNumber('--workers', workers, MAX_THREADS) ?? defaultThreads());
  const totalMib = wholeNumber('--memory', memory, Number.MAX_SAFE_INTEGER / MIB);
  return { threads, barTimeoutMs: barTimeoutMs(barTimeout), laneBytes: totalMib === null ? null : (totalMib * MIB) / threads };
}
