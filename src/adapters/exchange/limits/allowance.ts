// How much of a limit that nobody publishes is used: less at once when the exchange refuses, a little more as long as it does not.

/** Windows without a refusal, in which calls had to wait, before the allowance grows by one call. */
const GROWTH_WINDOWS = 10;
/** How long a level that was refused is not tried again; twice as long each time it is. */
const MEMORY_MS = { first: 600_000, longest: 14_400_000 } as const;

export class Allowance {
  /** Weights in a window. */
  now: number;
  /** The limit that is assumed: never more is used, because to find out what is allowed beyond takes refusals, and these lead to bans. */
  readonly #max: number;
  /** The heaviest call, which has to fit. */
  readonly #min: number;
  readonly #growthMs: number;
  /** The least use known to have been refused. */
  #refused = Infinity;
  #refusedUntilMs = -Infinity;
  #memoryMs = 0;
  #changedMs = -Infinity;

  constructor(max: number, min: number, windowMs: number) {
    this.#max = max;
    this.#min = min;
    this.#growthMs = windowMs * GROWTH_WINDOWS;
    this.now = max;
  }

  /** The exchange refused when `level` was used, our own count of it: its limit is less than that. */
  refused(level: number, nowMs: number): void {
    this.#refused = level;
    this.#memoryMs = Math.min(MEMORY_MS.longest, Math.max(MEMORY_MS.first, this.#memoryMs * 2));
    this.#refusedUntilMs = nowMs + this.#memoryMs;
    this.#changedMs = nowMs;
    this.now = Math.max(this.#min, Math.floor(Math.min(this.now, level) / 2));
  }

  /** Calls wait although nothing has been refused for a while: it grows by one, up to below what was refused. */
  pressed(nowMs: number): void {
    const upper = nowMs < this.#refusedUntilMs ? Math.min(this.#max, this.#refused - 1) : this.#max;
    if (this.now >= upper || nowMs < this.#changedMs + this.#growthMs) return;
    this.now++;
    this.#changedMs = nowMs;
  }
}
