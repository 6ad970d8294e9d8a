// What the two commands of sweeps have in common: whole numbers as options, and how they are stopped.

import type { ThreadOptions } from '../app/sweepThreads.ts';
import { ConfigError } from '../base/errors.ts';
import { defaultThreads } from '../research/pool.ts';
import { timeoutOf } from './barTimeout.ts';

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

export interface Stop {
  readonly signal: AbortSignal;
  /** Exit code that a shell expects of the signal that came. */
  code(): number;
  release(): void;
}

/** The first signal ends the work in order, a second one the process. */
export function stopOnSignal(): Stop {
  const controller = new AbortController();
  let code = 0;
  const on = (name: 'SIGINT' | 'SIGTERM', exitCode: number) => {
    const act = () => {
      if (controller.signal.aborted) process.exit(exitCode);
      code = exitCode;
      controller.abort();
    };
    process.on(name, act);
    return () => void process.off(name, act);
  };
  const offs = [on('SIGINT', 130), on('SIGTERM', 143)];
  return { signal: controller.signal, code: () => code, release: () => offs.forEach((off) => off()) };
}
