// Detects strategies that hang: a run without progress in a phase in which user code runs.

import { smallestOf } from '../../../base/number/extremes.ts';
import { threadUse, type ThreadUse } from '../../../adapters/runtime/threadUse.ts';
import { formatMinute } from '../../../model/time.ts';
import type { ProgressCells, Phase } from './progressCells.ts';

/** Interval at which progress is read. */
export const POLL_MS = 100;
/** A run without progress whose thread gets no processor time ends after this many times its limit. It may wait for a disk that never answers. */
const MAX_LIMITS = 20;

/** The state of a run when it was ended as stalled. */
export class StalledRun {
  /** The phase in which the run stalled. */
  readonly phase: Phase;
  /** End of its last finished block, ms UTC; null before the first. */
  readonly doneMs: number | null;
  constructor({ phase, doneMs }: Pick<ProgressCells, 'phase' | 'doneMs'>) {
    this.phase = phase;
    this.doneMs = doneMs;
  }
}

/** What is read of the progress of a run. */
type WatchedProgress = Pick<ProgressCells, 'version' | 'isGuarded' | 'phase' | 'doneMs' | 'thread'>;

/**
 * Measures how long a run has made no progress. Time in which its thread waits for a processor or a disk does not count, because a busy machine
 * must not end a run. Where the system does not say what a thread does, all time counts.
 */
export class StallDetector {
  readonly #progress: WatchedProgress;
  readonly #limitMs: number;
  readonly #useOf: (thread: number) => ThreadUse | null;
  #version: string;
  /** Time without progress that counts, ms. */
  #silentMs = 0;
  /** Time since the thread last got processor time, ms. */
  #waitedMs = 0;
  /** What the thread had done at the last check without progress. */
  #lastUse: ThreadUse | null = null;

  /** `limitMs`: time without progress after which a strategy counts as hanging; 0: no limit. `useOf`: what a thread has done; null: unknown. */
  constructor(progress: WatchedProgress, limitMs: number, useOf: (thread: number) => ThreadUse | null = threadUse) {
    this.#progress = progress;
    this.#limitMs = limitMs;
    this.#useOf = useOf;
    this.#version = progress.version;
  }

  /** Call it every POLL_MS. Returns the state of a stalled run; null otherwise. */
  check(): StalledRun | null {
    const { version, isGuarded } = this.#progress;
    const isSilent = version === this.#version && isGuarded;
    this.#version = version;
    if (isSilent) {
      const workedMs = this.#workedMs();
      this.#silentMs += workedMs;
      this.#waitedMs = workedMs === 0 ? this.#waitedMs + POLL_MS : 0;
    } else {
      this.#silentMs = this.#waitedMs = 0;
      this.#lastUse = null;
    }
    const isOver = this.#silentMs >= this.#limitMs || this.#waitedMs >= MAX_LIMITS * this.#limitMs;
    return this.#limitMs > 0 && isOver ? new StalledRun(this.#progress) : null;
  }

  /** Returns how long the thread has run or slept since the last check, ms. */
  #workedMs(): number {
    const before = this.#lastUse;
    const use = (this.#lastUse = this.#useOf(this.#progress.thread));
    if (use === null || before === null) return POLL_MS;
    const cpuMs = use.cpuMs - before.cpuMs;
    return use.isAsleep ? Math.max(POLL_MS, cpuMs) : cpuMs;
  }
}

/** The remedy of the error about a stalled run. */
export const HANG_REMEDY = 'look for a loop that does not end; --bar-timeout SECONDS waits longer';

/** Describes where a run with one bar per block stalled. `closeMs`: close times of each feed. `fromMs`: start of the run. */
export function stallText({ phase, doneMs }: StalledRun, limitMs: number, closeMs: readonly Float64Array[], fromMs: number): string {
  const text = `no answer for ${limitMs / 1000} s`;
  if (phase === 'import') return `${text} while its file was loaded`;
  if (phase === 'setUp') return `${text} while it was constructed`;
  // The first close of any feed after the last finished block.
  const bar = smallestOf(closeMs.map((closes) => closes.find((ms) => ms > (doneMs ?? fromMs)) ?? Infinity));
  return `${text} on the bar that closed at ${formatMinute(bar)}`;
}
