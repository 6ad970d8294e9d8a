// Adds up weights that each expire at a time of their own.

interface WeightEntry {
  readonly untilMs: number;
  readonly weight: number;
}

/** A sum of weights, each with a time at which it expires. */
export class ExpiringSum {
  /** The sum of the weights. `removeExpired` updates it. */
  sum = 0;
  /** Sorted by time, soonest first. */
  readonly #entries: WeightEntry[] = [];

  /** Adds `weight` until `untilMs` (exclusive). Times mostly rise, so the search starts at the end. */
  add(weight: number, untilMs: number): void {
    let place = this.#entries.length;
    while (place > 0 && this.#entries[place - 1]!.untilMs > untilMs) place--;
    this.#entries.splice(place, 0, { untilMs, weight });
    this.sum += weight;
  }

  /** Removes expired weights. */
  removeExpired(nowMs: number): void {
    let expired = 0;
    for (const { untilMs, weight } of this.#entries) {
      if (untilMs > nowMs) break;
      this.sum -= weight;
      expired++;
    }
    if (expired > 0) this.#entries.splice(0, expired);
  }

  /** Time of the next expiry; Infinity if the sum is empty. */
  get nextMs(): number {
    return this.#entries[0]?.untilMs ?? Infinity;
  }
}
