// A sum of weights, each of which counts until a time of its own.

interface Part {
  readonly untilMs: number;
  readonly weight: number;
}

export class ExpiringSum {
  sum = 0;
  /** By time, the soonest first. */
  readonly #parts: Part[] = [];

  /** `weight` counts while now is before `untilMs`. Times mostly grow, so that the place is found from the end. */
  add(weight: number, untilMs: number): void {
    let at = this.#parts.length;
    while (at > 0 && this.#parts[at - 1]!.untilMs > untilMs) at--;
    this.#parts.splice(at, 0, { untilMs, weight });
    this.sum += weight;
  }

  /** Drops what counts no more. */
  settle(nowMs: number): void {
    let over = 0;
    for (const { untilMs, weight } of this.#parts) {
      if (untilMs > nowMs) break;
      this.sum -= weight;
      over++;
    }
    if (over > 0) this.#parts.splice(0, over);
  }

  /** When the next part stops to count; Infinity: there is none. */
  get nextMs(): number {
    return this.#parts[0]?.untilMs ?? Infinity;
  }
}
