// Alerts on their way: each to every notifier, again with a growing pause where it did not arrive, the urgent ones first, and never the same one in a stream.

import { ALERT_LEVELS, type Alert, type Notifier } from '../../ports/notifier.ts';
import type { Scheduler } from '../../ports/scheduler.ts';

export interface OutboxOptions {
  /** ms of one try. */
  readonly timeoutMs?: number;
  /** Pause after the first failure; twice that after the second, and so on. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Tries of one alert. */
  readonly max?: number;
  /** The same code of the same scope is not sent again within this, unless it has become worse. */
  readonly quietMs?: number;
  /** Told what was given up, or left out. */
  readonly lost?: (alert: Alert, notifier: string, why: string) => void;
}

const DEFAULTS = { timeoutMs: 10_000, firstPauseMs: 1000, maxPauseMs: 60_000, max: 20, quietMs: 60_000 } as const;
/** Of one notifier. */
const MAX_WAITING = 100;

const urgency = ({ level }: Alert): number => ALERT_LEVELS.indexOf(level);

export class AlertOutbox {
  readonly #scheduler: Scheduler;
  readonly #queues: readonly Queue[];
  readonly #quietMs: number;
  /** By scope and code: what was sent last. */
  readonly #recent = new Map<string, Alert>();

  constructor(scheduler: Scheduler, notifiers: readonly Notifier[], options: OutboxOptions = {}) {
    this.#scheduler = scheduler;
    this.#quietMs = options.quietMs ?? DEFAULTS.quietMs;
    this.#queues = notifiers.map((notifier) => new Queue(scheduler, notifier, options));
  }

  /** Leaves at once where nothing waits. */
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

  /** Takes nothing more, tries at once what waits for its next try, and calls `done` when all has been told, or after `mostMs`. */
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

  /** Nothing is sent any more. */
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
    // What is most urgent goes first; of equals the older.
    const at = this.#waiting.findIndex((each) => urgency(each.alert) < urgency(alert));
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, { alert, tries: 0 });
    if (this.#waiting.length > MAX_WAITING) {
      const dropped = this.#waiting.pop();
      if (dropped) this.#options.lost?.(dropped.alert, this.#notifier.name, `${MAX_WAITING} others wait`);
    }
    // An alarm does not wait for the end of a pause.
    if (this.#timer !== null && alert.level === 'alarm') this.#wake();
    this.#next();
  }

  /** Calls `run` once nothing waits or is under way, which may be never. */
  whenEmpty(run: () => void): void {
    if (this.#isStopped) return run();
    this.#emptied = run;
    this.#wake();
    this.#next();
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

  #next(): void {
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
      if (failure) this.#failed(next, failure.why, failure.mayPass, failure.retryAfterMs);
      this.#next();
      this.#notifyEmpty();
    });
  }

  #failed(item: Waiting, why: string, mayPass: boolean, retryAfterMs: number | null): void {
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
      this.#next();
    });
  }

  #wake(): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
  }
}
