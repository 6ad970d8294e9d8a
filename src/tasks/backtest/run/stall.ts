// Strategies that hang: silence of a run in a phase in which an author's code runs, and what is said of it.

import { formatMinute } from '../../../model/time.ts';
import type { ProgressCells, Phase } from './progressCells.ts';

/** Progress is read and silence is counted this often. */
export const POLL_MS = 100;

/** How a run stood when it was ended for its silence. */
export class StalledRun {
  readonly phase: Phase;
  /** The end of its last finished block (ms UTC), or null before the first. */
  readonly doneMs: number | null;
  constructor({ phase, doneMs }: Pick<ProgressCells, 'phase' | 'doneMs'>) {
    this.phase = phase;
    this.doneMs = doneMs;
  }
}

/** Counts how long a run has been silent. */
export class StallDetector {
  readonly #progress: ProgressCells;
  readonly #limitMs: number;
  #version: string;
  #silentMs = 0;

  /** `limitMs`: silence after which a strategy hangs; 0 waits for ever. */
  constructor(heartbeat: ProgressCells, limitMs: number) {
    this.#progress = heartbeat;
    this.#limitMs = limitMs;
    this.#version = heartbeat.version;
  }

  /** To be called every LOOK_MS: how the run stands once it has been silent for too long, null until then. */
  check(): StalledRun | null {
    const { version, isGuarded } = this.#progress;
    this.#silentMs = version === this.#version && isGuarded ? this.#silentMs + POLL_MS : 0;
    this.#version = version;
    return this.#limitMs > 0 && this.#silentMs >= this.#limitMs ? new StalledRun(this.#progress) : null;
  }
}

export const HANG_REMEDY = 'look for a loop that does not end; --bar-timeout SECONDS waits longer';

/** What a run that was visited bar by bar hung on. `closeMs`: closing times of each feed; `fromMs`: where the run begins. */
export function stallText({ phase, doneMs }: StalledRun, limitMs: number, closeMs: readonly Float64Array[], fromMs: number): string {
  const text = `no answer for ${limitMs / 1000} s`;
  if (phase === 'import') return `${text} while its file was loaded`;
  if (phase === 'setUp') return `${text} while it was constructed`;
  // The first close of any feed after what was done.
  const bar = Math.min(...closeMs.map((closes) => closes.find((ms) => ms > (doneMs ?? fromMs)) ?? Infinity));
  return `${text} on the bar that closed at ${formatMinute(bar)}`;
}
