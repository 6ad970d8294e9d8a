// What can wait until the orders of a step have left: words for people, points of a picture.

export class AfterSendQueue {
  readonly #soon: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  /** `soon`: runs what it is given behind all that is under way, requests among it. */
  constructor(soon: (run: () => void) => void) {
    this.#soon = soon;
  }

  /** Once the disk has what was journalled, and the orders that waited for that have gone. */
  after(run: () => void): void {
    if (this.#isOver) run();
    else this.#waiting.push(run);
  }

  /** They go now. */
  lasts(): void {
    if (this.#waiting.length > 0) this.#soon(() => this.#run());
  }

  /** The disk takes nothing any more, so that nothing is waited for. */
  end(): void {
    this.#isOver = true;
    this.#run();
  }

  #run(): void {
    for (const each of this.#waiting.splice(0)) each();
  }
}
