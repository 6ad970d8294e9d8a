// Detects strategies that hang: a run without progress in a phase in which user code runs.

import { formatMinute } from '../../../model/time.ts';
import type { ProgressCells, Phase } from './progressCells.ts';

/** Interval at which progress is read. */
export const POLL_MS = 100;

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

/** Measures how long a run has made no progress. */
export class StallDetector {
  readonly #progress: ProgressCells;
  readonly #limitMs: number;
  #version: string;
  #silentMs = 0;

  /** `limitMs`: time without progress after which a strategy counts as hanging; 0: no limit. */
  constructor(heartbeat: ProgressCells, limitMs: number) {
    this.#progress = heartbeat;
    this.#limitMs = limitMs;
    this.#version = heartbeat.version;
  }

  /** Call it every POLL_MS. Returns the state of a stalled run; null otherwise. */
  check(): StalledRun | null {
    const { version, isGuarded } = this.#progress;
    this.#silentMs = version === this.#version && isGuarded ? this.#silentMs + POLL_MS : 0;
    this.#version = version;
    return this.#limitMs > 0 && this.#silentMs >= this.#limitMs ? new StalledRun(this.#progress) : null;
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
  const bar = Math.min(...closeMs.map((closes) => closes.find((ms) => ms > (doneMs ?? fromMs)) ?? Infinity));
  return `${text} on the bar that closed at ${formatMinute(bar)}`;
}
