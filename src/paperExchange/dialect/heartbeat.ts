// The heartbeat rule of specification 6: the server pings, and closes a connection that sends no pong in time.

import type { Scheduler } from '../../ports/scheduler.ts';

/** The times of the heartbeat rule. */
export interface HeartbeatTimes {
  /** Time between pings. */
  readonly everyMs: number;
  /** Longest time without a pong, since the opening of the connection or the last pong. */
  readonly pongTimeoutMs: number;
}

/** What the heartbeat does to its connection. */
interface HeartbeatActions {
  /** `stamp` must come back in the pong. */
  readonly ping: (stamp: string) => void;
  /** Closes the connection: no pong came in time. */
  readonly onLost: () => void;
}

/** The heartbeat of one connection. */
export class Heartbeat {
  readonly #scheduler: Scheduler;
  readonly #times: HeartbeatTimes;
  readonly #actions: HeartbeatActions;
  /** Stamps of pings without a pong, oldest first. The pong time-out bounds their number. */
  readonly #unanswered = new Set<string>();
  /** Timers of the scheduler: the next ping, and the pong time-out. */
  #pingTimer: number;
  #timeoutTimer: number;

  /** Starts at once. The first ping follows after `everyMs`. */
  constructor(scheduler: Scheduler, times: HeartbeatTimes, actions: HeartbeatActions) {
    this.#scheduler = scheduler;
    this.#times = times;
    this.#actions = actions;
    this.#pingTimer = this.#after(times.everyMs, () => this.#sendPing());
    this.#timeoutTimer = this.#after(times.pongTimeoutMs, () => this.#reportLoss());
  }

  /** Handles a pong. A pong with an unknown stamp has no effect. */
  onPong(stamp: string): void {
    if (!this.#unanswered.has(stamp)) return;
    // A pong to a ping also answers all earlier pings.
    for (const answeredStamp of this.#unanswered) {
      this.#unanswered.delete(answeredStamp);
      if (answeredStamp === stamp) break;
    }
    this.#scheduler.cancel(this.#timeoutTimer);
    this.#timeoutTimer = this.#after(this.#times.pongTimeoutMs, () => this.#reportLoss());
  }

  /** Ends the heartbeat without closing the connection. */
  stop(): void {
    this.#scheduler.cancel(this.#pingTimer);
    this.#scheduler.cancel(this.#timeoutTimer);
  }

  #sendPing(): void {
    const stamp = String(this.#scheduler.nowMs);
    this.#unanswered.add(stamp);
    this.#pingTimer = this.#after(this.#times.everyMs, () => this.#sendPing());
    this.#actions.ping(stamp);
  }

  #reportLoss(): void {
    this.stop();
    this.#actions.onLost();
  }

  #after(ms: number, onDue: () => void): number {
    return this.#scheduler.at(this.#scheduler.nowMs + ms, onDue);
  }
}
