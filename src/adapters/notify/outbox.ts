// Delivers alerts to every notifier: urgent ones first, with growing pauses between retries, and without repeating the same alert.

import { ALERT_LEVELS, type Alert, type Notifier } from '../../ports/notifier.ts';
import type { Scheduler } from '../../ports/scheduler.ts';

/** What a caller may choose about the delivery of alerts. */
export interface OutboxOptions {
  /** Time limit of one attempt, ms. */
  readonly timeoutMs?: number;
  /** Pause after the first failure, ms. Doubles with each further failure. */
  readonly firstPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Maximum number of attempts for one alert. */
  readonly max?: number;
  /** Time (ms) in which the same code of the same scope is not sent again, unless it is more urgent. */
  readonly quietMs?: number;
  /** Called for each alert that was given up or dropped. */
  readonly lost?: (alert: Alert, notifier: string, reason: string) => void;
}

const DEFAULT_OPTIONS = { timeoutMs: 10_000, firstPauseMs: 1000, maxPauseMs: 60_000, max: 20, quietMs: 60_000 } as const;
/** Maximum number of waiting alerts for each notifier. */
const MAX_WAITING_ALERTS = 100;

const urgency = ({ level }: Alert): number => ALERT_LEVELS.indexOf(level);

/** Delivers alerts to all notifiers, and retries those that fail. */
export class AlertOutbox {
  readonly #scheduler: Scheduler;
  readonly #queues: readonly NotifierQueue[];
  readonly #quietMs: number;
  /** The last alert sent, by scope and code. */
  readonly #recent = new Map<string, Alert>();

  constructor(scheduler: Scheduler, notifiers: readonly Notifier[], options: OutboxOptions = {}) {
    this.#scheduler = scheduler;
    this.#quietMs = options.quietMs ?? DEFAULT_OPTIONS.quietMs;
    this.#queues = notifiers.map((notifier) => new NotifierQueue(scheduler, notifier, options));
  }

  /** Sends an alert, immediately if no other alert waits. Ignores a repeated alert. */
  send(alert: Alert): void {
    const key = `${alert.scope} ${alert.code}`;
    const previous = this.#recent.get(key);
    const isRepeat =
      previous !== undefined && urgency(alert) <= urgency(previous) && this.#scheduler.nowMs - previous.timeMs < this.#quietMs;
    if (isRepeat) return;
    this.#recent.set(key, { ...alert, timeMs: this.#scheduler.nowMs });
    for (const queue of this.#queues) queue.queueAlert(alert);
  }

  /** Number of waiting alerts of all notifiers. */
  get waiting(): number {
    return this.#queues.reduce((sum, { length }) => sum + length, 0);
  }

  /** Retries waiting alerts immediately. Calls `done` when all are delivered, or after `maxMs`. */
  finish(maxMs: number, done: () => void): void {
    let busyQueues = this.#queues.length;
    const end = (): void => {
      this.#scheduler.cancel(deadline);
      this.stop();
      done();
    };
    const deadline = this.#scheduler.at(this.#scheduler.nowMs + maxMs, end);
    for (const queue of this.#queues) {
      queue.whenEmpty(() => {
        busyQueues--;
        if (busyQueues === 0) end();
      });
    }
  }

  /** Stops sending. */
  stop(): void {
    for (const queue of this.#queues) queue.stop();
  }
}

interface WaitingAlert {
  readonly alert: Alert;
  tries: number;
}

/** The waiting alerts of one notifier, the most urgent first. */
class NotifierQueue {
  readonly #scheduler: Scheduler;
  readonly #notifier: Notifier;
  readonly #options: OutboxOptions & Required<Omit<OutboxOptions, 'lost'>>;
  readonly #waiting: WaitingAlert[] = [];
  /** Ends the attempt under way; null while no attempt runs. */
  #giveUp: (() => void) | null = null;
  /** Timer of the pause after a failure; null if there is no pause. */
  #timer: number | null = null;
  #isBusy = false;
  #isStopped = false;
  /** Called once when the queue is empty. */
  #onEmpty: (() => void) | null = null;

  constructor(scheduler: Scheduler, notifier: Notifier, options: OutboxOptions) {
    this.#scheduler = scheduler;
    this.#notifier = notifier;
    this.#options = { ...DEFAULT_OPTIONS, ...options };
  }

  /** Number of alerts that wait for their first or next attempt. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Queues an alert and sends it as soon as possible. If too many wait, the least urgent and newest one is dropped and reported. */
  queueAlert(alert: Alert): void {
    if (this.#isStopped) return;
    this.#insert({ alert, tries: 0 });
    if (this.#waiting.length > MAX_WAITING_ALERTS) {
      const dropped = this.#waiting.pop();
      if (dropped) this.#options.lost?.(dropped.alert, this.#notifier.name, `${MAX_WAITING_ALERTS} others wait`);
    }
    // An alarm ends the pause after a failure.
    if (this.#timer !== null && alert.level === 'alarm') this.#wake();
    this.#sendNext();
  }

  /** Calls `done` when no alert is waiting or under way. Never calls it if every attempt of the notifier fails. */
  whenEmpty(done: () => void): void {
    if (this.#isStopped) return done();
    this.#onEmpty = done;
    this.#wake();
    this.#sendNext();
    this.#notifyEmpty();
  }

  /** Inserts an alert by urgency; among equals, the oldest comes first. */
  #insert(waitingAlert: WaitingAlert): void {
    const lessUrgentIndex = this.#waiting.findIndex((waiting) => urgency(waiting.alert) < urgency(waitingAlert.alert));
    this.#waiting.splice(lessUrgentIndex < 0 ? this.#waiting.length : lessUrgentIndex, 0, waitingAlert);
  }

  #notifyEmpty(): void {
    if (this.#isBusy || this.#isStopped || this.#waiting.length > 0) return;
    const onEmpty = this.#onEmpty;
    this.#onEmpty = null;
    onEmpty?.();
  }

  /** Drops all waiting alerts and ends the attempt under way. Later alerts are ignored. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    this.#giveUp?.();
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
  }

  /** Sends the first waiting alert, unless a send or a pause is under way. */
  #sendNext(): void {
    const nextAlert = this.#waiting[0];
    if (!nextAlert || this.#isBusy || this.#timer !== null || this.#isStopped) return;
    this.#waiting.shift();
    this.#isBusy = true;
    nextAlert.tries++;
    const deadline = this.#scheduler.at(this.#scheduler.nowMs + this.#options.timeoutMs, () => this.#giveUp?.());
    this.#giveUp = this.#notifier.send(nextAlert.alert, (failure) => {
      this.#scheduler.cancel(deadline);
      this.#giveUp = null;
      this.#isBusy = false;
      if (failure) this.#onFailure(nextAlert, failure.why, failure.mayPass, failure.retryAfterMs);
      this.#sendNext();
      this.#notifyEmpty();
    });
  }

  /** Puts a failed alert back and pauses, or gives it up after the last try. `mayPass`: another try may succeed. */
  #onFailure(waitingAlert: WaitingAlert, reason: string, mayPass: boolean, retryAfterMs: number | null): void {
    if (this.#isStopped) return;
    const { max, firstPauseMs, maxPauseMs, lost } = this.#options;
    if (!mayPass || waitingAlert.tries >= max) {
      lost?.(waitingAlert.alert, this.#notifier.name, `${reason}, after ${waitingAlert.tries} tries`);
      return;
    }
    this.#insert(waitingAlert);
    const pauseMs = Math.max(retryAfterMs ?? 0, Math.min(maxPauseMs, firstPauseMs * 2 ** (waitingAlert.tries - 1)));
    this.#timer = this.#scheduler.at(this.#scheduler.nowMs + pauseMs, () => {
      this.#timer = null;
      this.#sendNext();
    });
  }

  /** Ends the pause after a failure. */
  #wake(): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
  }
}
