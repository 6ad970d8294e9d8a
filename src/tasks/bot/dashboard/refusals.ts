// Counts requests that the dashboard has refused. Logs them at most once a minute, so that a client cannot fill the log.

const PERIOD_MS = 60_000;

export class Refusals {
  /** Count since the dashboard was opened. */
  total = 0;
  readonly #nowMs: () => number;
  readonly #tell: (message: string) => void;
  #toldMs = -Infinity;
  /** Refused since the last log line. */
  #untold = 0;
  #newest = '';

  constructor(nowMs: () => number, notify: (text: string) => void) {
    this.#nowMs = nowMs;
    this.#tell = notify;
  }

  /** `why`: reason of the refusal. `what`: what was asked for; untrusted text. */
  add(why: string, what: string): void {
    this.total++;
    this.#untold++;
    this.#newest = `(${why}): ${what.slice(0, 100)}`;
    if (this.#nowMs() - this.#toldMs >= PERIOD_MS) this.flush();
  }

  /** Logs the refusals that are not in the log yet. */
  flush(): void {
    if (this.#untold === 0) return;
    const others = this.#untold === 1 ? '' : ` and ${this.#untold - 1} requests before it`;
    this.#tell(`dashboard: refused ${this.#newest}${others}`);
    this.#untold = 0;
    this.#toldMs = this.#nowMs();
  }
}
