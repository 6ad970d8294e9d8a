// The clock of a running exchange: the wall clock, which can be paused, stepped and made to run faster or slower.

import { nowMs as wallMs } from '../../adapters/clock/wallClock.ts';
import type { DrivenClock } from '../faults/control.ts';

export class ExchangeClock implements DrivenClock {
  #originMs: number;
  #sinceMs = wallMs();
  #speed: number;
  #isPaused: boolean;

  /** Begins at `startMs`, by default now; at speed 0 it stands until it is stepped or runs on. */
  constructor(startMs = wallMs(), speed = 1) {
    this.#originMs = startMs;
    this.#isPaused = speed === 0;
    this.#speed = speed === 0 ? 1 : speed;
  }

  /** Ms UTC; never goes back, whatever the wall clock does. */
  nowMs(): number {
    const wall = wallMs();
    if (!this.#isPaused) this.#originMs += Math.max(0, wall - this.#sinceMs) * this.#speed;
    this.#sinceMs = wall;
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
