// The clock of a running exchange: the wall clock, but it can be paused, stepped and run at another speed.

import { nowMs as wallMs } from '../../adapters/clock/wallClock.ts';
import type { DrivenClock } from '../faults/control.ts';

/** The time of one exchange. */
export class ExchangeClock implements DrivenClock {
  /** Exchange time at `#sinceMs` of the wall clock. */
  #originMs: number;
  #sinceMs = wallMs();
  #speed: number;
  #isPaused: boolean;

  /** Starts at `startMs`, by default now. At speed 0 it does not advance until it is stepped or resumed. */
  constructor(startMs = wallMs(), speed = 1) {
    this.#originMs = startMs;
    this.#isPaused = speed === 0;
    this.#speed = speed === 0 ? 1 : speed;
  }

  /** Returns the time, ms UTC. It never goes back, even if the wall clock does. */
  nowMs(): number {
    const nowWallMs = wallMs();
    if (!this.#isPaused) this.#originMs += Math.max(0, nowWallMs - this.#sinceMs) * this.#speed;
    this.#sinceMs = nowWallMs;
    return Math.floor(this.#originMs);
  }

  step(ms: number): void {
    this.nowMs();
    this.#originMs += ms;
  }

  pause(isPaused: boolean): void {
    this.nowMs();
    this.#isPaused = isPaused;
  }

  setSpeed(speed: number): void {
    this.nowMs();
    this.#speed = speed;
  }
}
