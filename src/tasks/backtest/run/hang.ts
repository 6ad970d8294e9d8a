// Strategies that hang: silence of a run in a phase in which an author's code runs, and what is said of it.

import { formatMinute } from '../../../model/time.ts';
import type { Heartbeat, Phase } from './heartbeat.ts';

/** Progress is read and silence is counted this often. */
export const LOOK_MS = 100;

/** How a run stood when it was ended for its silence. */
export class Hung {
  readonly phase: Phase;
  /** The end of its last finished block (ms UTC), or null before the first. */
  readonly doneMs: number | null;
  constructor({ phase, doneMs }: Pick<Heartbeat, 'phase' | 'doneMs'>) {
    this.phase = phase;
    this.doneMs = doneMs;
  }
}

/** Counts how long a run has been silent. */
export class Silence {
  readonly #heartbeat: Heartbeat;
  readonly #limitMs: number;
  #pulse: string;
  #silentMs = 0;

  /** `limitMs`: silence after which a strategy hangs; 0 waits for ever. */
  constructor(heartbeat: Heartbeat, limitMs: number) {
    this.#heartbeat = heartbeat;
    this.#limitMs = limitMs;
    this.#pulse = heartbeat.pulse;
  }

  /** To be called every LOOK_MS: how the run stands once it has been silent for too long, null until then. */
  look(): Hung | null {
    const { pulse, isGuarded } = this.#heartbeat;
    this.#silentMs = pulse === this.#pulse && isGuarded ? this.#silentMs + LOOK_MS : 0;
    this.#pulse = pulse;
    return this.#limitMs > 0 && this.#silentMs >= this.#limitMs ? new Hung(this.#heartbeat) : null;
  }
}

export const HANG_REMEDY = 'look for a loop that does not end; --bar-timeout SECONDS waits longer';

/** What a run that was visited bar by bar hung on. `closeMs`: closing times of each feed; `fromMs`: where the run begins. */
export function hangText({ phase, doneMs }: Hung, limitMs: number, closeMs: readonly Float64Array[], fromMs: number): string {
  const said = `no answer for ${limitMs / 1000} s`;
  if (phase === 'import') return `${said} while its file was loaded`;
  if (phase === 'setUp') return `${said} while it was constructed`;
  // The first close of any feed after what was done.
  const bar = Math.min(...closeMs.map((closes) => closes.find((ms) => ms > (doneMs ?? fromMs)) ?? Infinity));
  return `${said} on the bar that closed at ${formatMinute(bar)}`;
}
