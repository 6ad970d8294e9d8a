// The clock of a running exchange: the wall clock, which can be paused, stepped and made to run faster or slower.

import { nowMs as wallMs } from '../../adapters/clock/wallClock.ts';
import type { DrivenClock } from '../../service/faults/control.ts';

export class ExchangeClock implements DrivenClock {
  #originMs = wallMs();
  #sinceMs = this.#originMs;
  #speed = 1;
  #isPaused = false;

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
