// The heartbeat rule of part 6: the server pings, and a connection without a pong for too long is given up.

import type { Scheduler } from '../../ports/scheduler.ts';

export interface HeartbeatTimes {
  /** From ping to ping. */
  readonly everyMs: number;
  /** Without a pong, from the opening or the last pong on. */
  readonly pongTimeoutMs: number;
}

interface Acts {
  /** `stamp` has to come back. */
  readonly ping: (stamp: string) => void;
  readonly lost: () => void;
}

export class Heartbeat {
  readonly #scheduler: Scheduler;
  readonly #times: HeartbeatTimes;
  readonly #acts: Acts;
  /** Stamps that have not come back, oldest first; bounded by the rule itself. */
  readonly #waiting = new Set<string>();
  #next: number;
  #end: number;

  /** Begins at once; the first ping comes after `everyMs`. */
  constructor(scheduler: Scheduler, times: HeartbeatTimes, acts: Acts) {
    this.#scheduler = scheduler;
    this.#times = times;
    this.#acts = acts;
    this.#next = this.#after(times.everyMs, () => this.#sendPing());
    this.#end = this.#after(times.pongTimeoutMs, () => this.#lose());
  }

  /** A pong with the stamp of a ping; any other says nothing. */
  pong(stamp: string): void {
    if (!this.#waiting.has(stamp)) return;
    // An answer to a later ping is one to those before it too.
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
