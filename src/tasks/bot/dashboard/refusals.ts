// Counts requests that the dashboard has refused. Logs them at most once a minute, so that a client cannot fill the log.

const LOG_PERIOD_MS = 60_000;
/** Maximum length of a target in the log, because it is text of the client. */
const MAX_TARGET_LENGTH = 100;

/** The refused requests of one dashboard. */
export class Refusals {
  /** Count since the dashboard was opened. */
  total = 0;
  readonly #nowMs: () => number;
  readonly #log: (message: string) => void;
  /** Time of the last log line, ms. */
  #loggedMs = -Infinity;
  /** Refused since the last log line. */
  #unlogged = 0;
  /** Reason and target of the newest refusal. */
  #newest = '';

  constructor(nowMs: () => number, log: (message: string) => void) {
    this.#nowMs = nowMs;
    this.#log = log;
  }

  /** Counts a refusal, and logs it if the last log line is old enough. `target`: the requested path or act; untrusted text. */
  add(reason: string, target: string): void {
    this.total++;
    this.#unlogged++;
    this.#newest = `(${reason}): ${target.slice(0, MAX_TARGET_LENGTH)}`;
    if (this.#nowMs() - this.#loggedMs >= LOG_PERIOD_MS) this.flush();
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
