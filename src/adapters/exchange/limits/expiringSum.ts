// A sum of weights in which each weight expires at its own time.

interface Part {
  readonly untilMs: number;
  readonly weight: number;
}

export class ExpiringSum {
  sum = 0;
  /** Sorted by time, soonest first. */
  readonly #parts: Part[] = [];

  /** Adds `weight` until `untilMs` (exclusive). Times mostly rise, so the search starts at the end. */
  add(weight: number, untilMs: number): void {
    let at = this.#parts.length;
    while (at > 0 && this.#parts[at - 1]!.untilMs > untilMs) at--;
    this.#parts.splice(at, 0, { untilMs, weight });
    this.sum += weight;
  }

  /** Removes expired weights. */
  settle(nowMs: number): void {
    let over = 0;
    for (const { untilMs, weight } of this.#parts) {
      if (untilMs > nowMs) break;
      this.sum -= weight;
      over++;
    }
    if (over > 0) this.#parts.splice(0, over);
  }

  /** Time of the next expiry; Infinity if the sum is empty. */
  get nextMs(): number {
    return this.#parts[0]?.untilMs ?? Infinity;
  }
}
