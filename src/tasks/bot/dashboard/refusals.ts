// Counts requests that the dashboard has refused. Logs them at most once a minute, so that a client cannot fill the log.

const PERIOD_MS = 60_000;

/** The refused requests of one dashboard. */
export class Refusals {
  /** Count since the dashboard was opened. */
  total = 0;
  readonly #nowMs: () => number;
  readonly #log: (message: string) => void;
  #loggedMs = -Infinity;
  /** Refused since the last log line. */
  #unlogged = 0;
  #newest = '';

  constructor(nowMs: () => number, notify: (text: string) => void) {
    this.#nowMs = nowMs;
    this.#log = notify;
  }

  /** Counts a refusal, and logs it if the last log line is old enough. `target`: the requested path or act; untrusted text. */
  add(reason: string, target: string): void {
    this.total++;
    this.#unlogged++;
    this.#newest = `(${reason}): ${target.slice(0, 100)}`;
    if (this.#nowMs() - this.#loggedMs >= PERIOD_MS) this.flush();
  }

  /** Logs the refusals that are not in the log yet. */
  flush(): void {
    if (this.#unlogged === 0) return;
    const others = this.#unlogged === 1 ? '' : ` and ${this.#unlogged - 1} requests before it`;
    this.#log(`dashboard: refused ${this.#newest}${others}`);
    this.#unlogged = 0;
    this.#loggedMs = this.#nowMs();
  }
}
