// The heartbeat rule of part 6: the server pings, and closes a connection that sends no pong in time.

import type { Scheduler } from '../../ports/scheduler.ts';

export interface HeartbeatTimes {
  /** Time between pings. */
  readonly everyMs: number;
  /** Longest time without a pong, since the opening of the connection or the last pong. */
  readonly pongTimeoutMs: number;
}

interface Acts {
  /** `stamp` must come back in the pong. */
  readonly ping: (stamp: string) => void;
  readonly lost: () => void;
}

export class Heartbeat {
  readonly #scheduler: Scheduler;
  readonly #times: HeartbeatTimes;
  readonly #acts: Acts;
  /** Stamps that have not come back, oldest first. The pong time-out bounds their number. */
  readonly #waiting = new Set<string>();
  #next: number;
  #end: number;

  /** Starts at once. The first ping follows after `everyMs`. */
  constructor(scheduler: Scheduler, times: HeartbeatTimes, acts: Acts) {
    this.#scheduler = scheduler;
    this.#times = times;
    this.#acts = acts;
    this.#next = this.#after(times.everyMs, () => this.#sendPing());
    this.#end = this.#after(times.pongTimeoutMs, () => this.#lose());
  }

  /** Handles a pong. A pong with an unknown stamp has no effect. */
  onPong(stamp: string): void {
    if (!this.#waiting.has(stamp)) return;
    // A pong to a ping also answers all earlier pings.
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each === stamp) break;
    }
    this.#scheduler.cancel(this.#end);
    this.#end = this.#after(this.#times.pongTimeoutMs, () => this.#lose());
  }

  stop(): void {
    this.#scheduler.cancel(this.#next);
    this.#scheduler.cancel(this.#end);
  }

  #sendPing(): void {
    const stamp = String(this.#scheduler.nowMs);
    this.#waiting.add(stamp);
    this.#next = this.#after(this.#times.everyMs, () => this.#sendPing());
    this.#acts.ping(stamp);
  }

  #lose(): void {
    this.stop();
    this.#acts.lost();
  }

  #after(ms: number, run: () => void): number {
    return this.#scheduler.at(this.#scheduler.nowMs + ms, run);
  }
}
