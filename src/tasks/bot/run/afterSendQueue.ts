// Queues work that can wait until the orders of a step have been sent: log texts and equity points.

/** The queue of one bot. */
export class AfterSendQueue {
  readonly #runSoon: (run: () => void) => void;
  readonly #queued: (() => void)[] = [];
  #hasEnded = false;

  /** `soon`: runs a function after all current work, including requests. */
  constructor(soon: (run: () => void) => void) {
    this.#runSoon = soon;
  }

  /** Runs `run` once everything journalled by now is durable and the waiting orders have been sent. */
  add(run: () => void): void {
    if (this.#hasEnded) run();
    else this.#queued.push(run);
  }

  /** Called when records are durable and the orders are being sent: the work follows soon. */
  onDurable(): void {
    if (this.#queued.length > 0) this.#runSoon(() => this.#runQueued());
  }

  /** Called when the journal has failed: all work runs at once, now and later. */
  end(): void {
    this.#hasEnded = true;
    this.#runQueued();
  }

  #runQueued(): void {
    for (const run of this.#queued.splice(0)) run();
  }
}
