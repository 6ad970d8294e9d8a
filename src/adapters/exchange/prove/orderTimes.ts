// By how much the times that the exchange gives to orders lie behind the clock by which it checks requests, as own orders show.

/** Own orders that are further apart from the lost one, ms, say nothing about it: either clock may have been set meanwhile. */
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
