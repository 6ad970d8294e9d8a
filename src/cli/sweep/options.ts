// What the two commands of sweeps have in common: how many threads, and what each may hold.

import type { ThreadOptions } from '../../tasks/sweep/threads/threads.ts';
import { defaultThreads } from '../../tasks/sweep/search/pool.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { wholeNumber } from '../options/values.ts';

const MAX_THREADS = 1024;
const MIB = 1024 * 1024;

/** Options of both commands that say how their sets are run. */
interface ThreadArgs {
  readonly workers?: string | undefined;
  readonly memory?: string | undefined;
  readonly barTimeout: string;
}

/** For `sets` sets, where their number is known: a thread without a set only takes memory. Throws ConfigError naming the option. */
export function threadOptions({ workers, memory, barTimeout }: ThreadArgs, sets = Infinity): ThreadOptions {
  const threads = Math.min(sets, wholeNumber('--workers', workers, MAX_THREADS) ?? defaultThreads());
  const allMib = wholeNumber('--memory', memory, Number.MAX_SAFE_INTEGER / MIB);
  return { threads, barTimeoutMs: barTimeoutMs(barTimeout), laneBytes: allMib === null ? null : (allMib * MIB) / threads };
}
