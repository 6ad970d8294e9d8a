// Delivers alerts to every notifier: urgent ones first, with growing pauses between retries, and without repeating the same alert.

import { ALERT_LEVELS, type Alert, type Notifier } from '../../ports/notifier.ts';
import type { Scheduler } from '../../ports/scheduler.ts';

export interface OutboxOptions {
  /** Time limit of one attempt, ms. */
  readonly timeoutMs?: number;
  /** Pause after the first failure. Doubles with each further failure. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Maximum number of attempts for one alert. */
  readonly max?: number;
  /** Within this time, the same code of the same scope is not sent again, unless it is more urgent. */
  readonly quietMs?: number;
  /** Receives alerts that were given up or dropped. */
  readonly lost?: (alert: Alert, notifier: string, why: string) => void;
}

const DEFAULTS = { timeoutMs: 10_000, firstPauseMs: 1000, maxPauseMs: 60_000, max: 20, quietMs: 60_000 } as const;
/** Maximum number of waiting alerts for each notifier. */
const MAX_WAITING = 100;

const urgency = ({ level }: Alert): number => ALERT_LEVELS.indexOf(level);

export class AlertOutbox {
  readonly #scheduler: Scheduler;
  readonly #queues: readonly Queue[];
  readonly #quietMs: number;
  /** The last alert sent, by scope and code. */
  readonly #recent = new Map<string, Alert>();

  constructor(scheduler: Scheduler, notifiers: readonly Notifier[], options: OutboxOptions = {}) {
    this.#scheduler = scheduler;
    this.#quietMs = options.quietMs ?? DEFAULTS.quietMs;
    this.#queues = notifiers.map((notifier) => new Queue(scheduler, notifier, options));
  }

  /** Sends an alert, at once if no other waits. */
  send(alert: Alert): void {
    const key = `${alert.scope} ${alert.code}`;
    const before = this.#recent.get(key);
    const isNews = !before || urgency(alert) > urgency(before) || this.#scheduler.nowMs - before.timeMs >= this.#quietMs;
    if (!isNews) return;
    this.#recent.set(key, { ...alert, timeMs: this.#scheduler.nowMs });
    for (const queue of this.#queues) queue.add(alert);
  }

  get waiting(): number {
    return this.#queues.reduce((sum, { length }) => sum + length, 0);
  }

  /** Accepts nothing more, retries waiting alerts at once, and calls `done` when all are delivered or after `maxMs`. */
  finish(maxMs: number, done: () => void): void {
    let left = this.#queues.length;
    const end = (): void => {
      this.#scheduler.cancel(deadline);
      this.stop();
      done();
    };
    const deadline = this.#scheduler.at(this.#scheduler.nowMs + maxMs, end);
    for (const queue of this.#queues) queue.whenEmpty(() => void (--left === 0 && end()));
  }

  /** Stops sending. */
  stop(): void {
    for (const queue of this.#queues) queue.stop();
  }
}

interface Waiting {
  readonly alert: Alert;
  tries: number;
}

class Queue {
  readonly #scheduler: Scheduler;
  readonly #notifier: Notifier;
  readonly #options: OutboxOptions & Required<Omit<OutboxOptions, 'lost'>>;
  readonly #waiting: Waiting[] = [];
  #giveUp: (() => void) | null = null;
  #timer: number | null = null;
  #isBusy = false;
  #isStopped = false;
  #emptied: (() => void) | null = null;

  constructor(scheduler: Scheduler, notifier: Notifier, options: OutboxOptions) {
    this.#scheduler = scheduler;
    this.#notifier = notifier;
    this.#options = { ...DEFAULTS, ...options };
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(alert: Alert): void {
    if (this.#isStopped) return;
    // Most urgent first; among equals, oldest first.
    const at = this.#waiting.findIndex((each) => urgency(each.alert) < urgency(alert));
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, { alert, tries: 0 });
    if (this.#waiting.length > MAX_WAITING) {
      const dropped = this.#waiting.pop();
      if (dropped) this.#options.lost?.(dropped.alert, this.#notifier.name, `${MAX_WAITING} others wait`);
    }
    // An alarm does not wait for the end of a pause.
    if (this.#timer !== null && alert.level === 'alarm') this.#wake();
    this.#sendNext();
  }

  /** Calls `run` once nothing is waiting or under way, which may never happen. */
  whenEmpty(run: () => void): void {
    if (this.#isStopped) return run();
    this.#emptied = run;
    this.#wake();
    this.#sendNext();
    this.#notifyEmpty();
  }

  #notifyEmpty(): void {
    if (this.#isBusy || this.#isStopped || this.#waiting.length > 0) return;
    const run = this.#emptied;
    this.#emptied = null;
    run?.();
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    this.#giveUp?.();
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
  }

  #sendNext(): void {
    const next = this.#waiting[0];
    if (!next || this.#isBusy || this.#timer !== null || this.#isStopped) return;
    this.#waiting.shift();
    this.#isBusy = true;
    next.tries++;
    const deadline = this.#scheduler.at(this.#scheduler.nowMs + this.#options.timeoutMs, () => this.#giveUp?.());
    this.#giveUp = this.#notifier.send(next.alert, (failure) => {
      this.#scheduler.cancel(deadline);
      this.#giveUp = null;
      this.#isBusy = false;
      if (failure) this.#onFailure(next, failure.why, failure.mayPass, failure.retryAfterMs);
      this.#sendNext();
      this.#notifyEmpty();
    });
  }

  #onFailure(item: Waiting, why: string, mayPass: boolean, retryAfterMs: number | null): void {
    if (this.#isStopped) return;
    const { max, firstPauseMs, maxPauseMs, lost } = this.#options;
    if (!mayPass || item.tries >= max) {
      lost?.(item.alert, this.#notifier.name, `${why}, after ${item.tries} tries`);
      return;
    }
    const at = this.#waiting.findIndex((each) => urgency(each.alert) < urgency(item.alert));
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, item);
    const pauseMs = Math.max(retryAfterMs ?? 0, Math.min(maxPauseMs, firstPauseMs * 2 ** (item.tries - 1)));
    this.#timer = this.#scheduler.at(this.#scheduler.nowMs + pauseMs, () => {
      this.#timer = null;
      this.#sendNext();
    });
  }

  #wake(): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
  }
}
