// Queues work that can wait until the orders of a step have been sent: log texts and equity points.

/** The queue of one bot. */
export class AfterSendQueue {
  readonly #soon: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  /** `soon`: runs a function after all current work, including requests. */
  constructor(soon: (run: () => void) => void) {
    this.#soon = soon;
  }

  /** Runs `run` once everything journalled by now is durable and the waiting orders have been sent. */
  add(run: () => void): void {
    if (this.#isOver) run();
    else this.#waiting.push(run);
  }

  /** Called when records are durable and the orders are being sent: the work follows soon. */
  onDurable(): void {
    if (this.#waiting.length > 0) this.#soon(() => this.#run());
  }

  /** Called when the journal has failed: all work runs at once, now and later. */
  end(): void {
    this.#isOver = true;
    this.#run();
  }

  #run(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}
