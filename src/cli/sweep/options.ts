// What the two commands of sweeps have in common: whole numbers and threads as options.

import type { ThreadOptions } from '../../app/sweep/threads.ts';
import { ConfigError } from '../../base/errors.ts';
import { defaultThreads } from '../../research/pool.ts';
import { timeoutOf } from '../options/barTimeout.ts';

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
  return { threads, barTimeoutMs: timeoutOf(barTimeout), laneBytes: allMib === null ? null : (allMib * MIB) / threads };
}

/** The value of an option, null where it is not given. Throws ConfigError naming the option. */
export function wholeNumber(option: string, value: string | undefined, most: number): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= most) return number;
  throw new ConfigError(
    `${option}: expected a whole number from 1${most < 1e9 ? ` to ${most}` : ''}, got '${value}'`,
    `for example ${option} 4`,
  );
}
