// How much of an unpublished rate limit to use: much less after a refusal, then slowly more.

/** The allowance grows by one call after this many windows without a refusal in which calls had to wait. */
const GROWTH_WINDOWS = 10;
/** How long a refused level is not tried again. Doubles with each refusal. */
const MEMORY_MS = { first: 600_000, max: 14_400_000 } as const;

export class Allowance {
  /** Weight allowed in a window. */
  now: number;
  /** The assumed limit. It is never exceeded: finding out what else is allowed takes refusals, which lead to bans. */
  readonly #max: number;
  /** Weight of the heaviest call, which must fit. */
  readonly #min: number;
  readonly #growthMs: number;
  /** The lowest use known to have been refused. */
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

  /** The venue refused at use `level`, by our own count. Its limit is lower. */
  onRefusal(level: number, nowMs: number): void {
    this.#refused = level;
    this.#memoryMs = Math.min(MEMORY_MS.max, Math.max(MEMORY_MS.first, this.#memoryMs * 2));
    this.#refusedUntilMs = nowMs + this.#memoryMs;
    this.#changedMs = nowMs;
    this.now = Math.max(this.#min, Math.floor(Math.min(this.now, level) / 2));
  }

  /** Calls are waiting. If nothing was refused lately, the allowance grows by one, up to below the refused level. */
  onDemand(nowMs: number): void {
    const upper = nowMs < this.#refusedUntilMs ? Math.min(this.#max, this.#refused - 1) : this.#max;
    if (this.now >= upper || nowMs < this.#changedMs + this.#growthMs) return;
    this.now++;
    this.#changedMs = nowMs;
  }
}
