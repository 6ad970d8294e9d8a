// Requests that the dashboard has refused: counted, and told to the log at most once a minute, so that nobody can fill it.

const PERIOD_MS = 60_000;

export class Refusals {
  /** Since the dashboard was opened. */
  total = 0;
  readonly #nowMs: () => number;
  readonly #tell: (message: string) => void;
  #toldMs = -Infinity;
  /** Refused since the last line in the log. */
  #untold = 0;
  #newest = '';

  constructor(nowMs: () => number, notify: (text: string) => void) {
    this.#nowMs = nowMs;
    this.#tell = notify;
  }

  /** `why` it was refused, and `what` was asked for, which a stranger may have written. */
  add(why: string, what: string): void {
    this.total++;
    this.#untold++;
    this.#newest = `(${why}): ${what.slice(0, 100)}`;
    if (this.#nowMs() - this.#toldMs >= PERIOD_MS) this.flush();
  }

  /** Tells of those that the log does not know of. */
  flush(): void {
    if (this.#untold === 0) return;
    const others = this.#untold === 1 ? '' : ` and ${this.#untold - 1} requests before it`;
    this.#tell(`dashboard: refused ${this.#newest}${others}`);
    this.#untold = 0;
    this.#toldMs = this.#nowMs();
  }
}
