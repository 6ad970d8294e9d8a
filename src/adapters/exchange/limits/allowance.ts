// Decides how much of an unpublished rate limit to use: half after a refusal, then slowly more.

/** While calls wait, the allowance grows by one call after this many windows without a refusal. */
const GROWTH_WINDOWS = 10;
/** How long a refused level is not tried again. Doubles with each refusal. */
const MEMORY_MS = { first: 600_000, max: 14_400_000 } as const;

/** The weight of one rate class that may be used in a window. */
export class Allowance {
  /** Weight allowed in a window. */
  now: number;
  /** The assumed limit. It is never exceeded, because trying out more leads to refusals and bans. */
  readonly #max: number;
  /** Weight of the heaviest call, which must fit. */
  readonly #min: number;
  readonly #growthMs: number;
  /** The use at the latest refusal. */
  #refusedWeight = Infinity;
  #refusedUntilMs = -Infinity;
  #memoryMs = 0;
  #changedMs = -Infinity;

  constructor(max: number, min: number, windowMs: number) {
    this.#max = max;
    this.#min = min;
    this.#growthMs = windowMs * GROWTH_WINDOWS;
    this.now = max;
  }

  /** Halves the allowance, because the venue refused a call at use `usedWeight`, by our own count. */
  onRefusal(usedWeight: number, nowMs: number): void {
    this.#refusedWeight = usedWeight;
    this.#memoryMs = Math.min(MEMORY_MS.max, Math.max(MEMORY_MS.first, this.#memoryMs * 2));
    this.#refusedUntilMs = nowMs + this.#memoryMs;
    this.#changedMs = nowMs;
    this.now = Math.max(this.#min, Math.floor(Math.min(this.now, usedWeight) / 2));
  }

  /** Raises the allowance by one call for waiting calls, if nothing was refused lately. It stays below the refused level. */
  onDemand(nowMs: number): void {
    const maxNow = nowMs < this.#refusedUntilMs ? Math.min(this.#max, this.#refusedWeight - 1) : this.#max;
    if (this.now >= maxNow || nowMs < this.#changedMs + this.#growthMs) return;
    this.now++;
    this.#changedMs = nowMs;
  }
}
