// Detects incidents. Many replies with an unknown outcome in a short time start one; a longer time without any ends it.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/orderSettings.ts';

type Settings = Pick<OrderSettings, 'incidentCount' | 'incidentWindowMs' | 'incidentCleanMs'>;

/** Takes notice when an incident begins and ends. */
export interface IncidentSink {
  /** An incident has begun. `reason` is one line for the operator. */
  onBegin(reason: string): void;
  /** The incident has ended. */
  onEnd(): void;
}

/** Whether an incident is on, and the replies that may begin one. */
export class Incidents {
  readonly #scheduler: Scheduler;
  readonly #settings: Settings;
  readonly #sink: IncidentSink;
  /** Our times, ms, of the latest such replies. */
  #seenMs: readonly number[] = [];
  #isOn = false;
  #timer: number | null = null;

  constructor(scheduler: Scheduler, settings: Settings, sink: IncidentSink) {
    this.#scheduler = scheduler;
    this.#settings = settings;
    this.#sink = sink;
  }

  /** Notes a reply with an unknown outcome. */
  noteReply(): void {
    const { nowMs } = this.#scheduler;
    const { incidentCount, incidentWindowMs } = this.#settings;
    this.#seenMs = [...this.#seenMs.filter((atMs) => atMs > nowMs - incidentWindowMs), nowMs];
    if (!this.#isOn && this.#seenMs.length >= incidentCount) {
      this.#isOn = true;
      this.#sink.onBegin(`${this.#seenMs.length} answers without a known outcome within ${incidentWindowMs / 1000} s`);
    }
    if (this.#isOn) this.#arm();
  }

  /** Ends the timer. An incident that is on stays on. */
  stop(): void {
    if (this.#timer !== null) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  /** Ends the incident after `incidentCleanMs`, unless another such reply arrives before. */
  #arm(): void {
    this.stop();
    this.#timer = this.#scheduler.at(this.#scheduler.nowMs + this.#settings.incidentCleanMs, () => {
      this.#timer = null;
      this.#isOn = false;
      this.#seenMs = [];
      this.#sink.onEnd();
    });
  }
}
