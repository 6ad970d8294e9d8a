// The exchange may give orders times that lie behind the clock by which it checks requests. Own orders show by how much.

/** An own order that was signed further than this from the lost one shows nothing about it, because a clock may have been set meanwhile. */
const MAX_APART_MS = 900_000;

/** The lag of the times of orders, from the newest own order whose row was read. */
export class OrderTimes {
  /** Signing time of that order, venue ms. */
  #signMs = -Infinity;
  #lagMs = 0;

  /** Notes the time in the row of an own order, and when its create was signed; venue ms. */
  noteOrderTime(signMs: number, timeMs: number | null): void {
    if (timeMs === null || signMs < this.#signMs) return;
    this.#signMs = signMs;
    this.#lagMs = signMs - timeMs;
  }

  /** Returns the lag for an order that was signed at `signMs`, ms; 0 if no own order near it shows one. */
  lagMs(signMs: number): number {
    return Math.abs(signMs - this.#signMs) > MAX_APART_MS ? 0 : Math.max(0, this.#lagMs);
  }
}
